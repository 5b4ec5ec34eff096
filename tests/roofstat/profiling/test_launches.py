"""Which launches are kept."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from roofstat.errors import ProfileError
from roofstat.profiling import select
from roofstat.profiling.ncu_export import read_ncu_csv


@pytest.fixture
def launches(recorded):
    return read_ncu_csv(recorded("base_units.csv"), "f")


def test_the_first_of_each_kernel_and_configuration(launches):
    chosen = select(launches)
    assert chosen.launches == tuple(launches[at] for at in (0, 3, 4, 5))
    assert chosen.left_out == 0


def test_every_launch_where_asked(launches):
    assert select(launches, every=True).launches == launches


def test_the_cap_says_what_it_leaves_out(launches):
    chosen = select(launches, most=3)
    assert chosen.launches == tuple(launches[at] for at in (0, 3, 4))
    assert chosen.left_out == 1


def test_only_kernels_that_match(launches):
    assert select(launches, kernel=re.compile("double")).launches == (launches[4],)


def test_no_match_names_what_there_is(launches):
    with pytest.raises(ProfileError) as caught:
        select(launches, kernel=re.compile("nothing"))
    assert "scale<double>" in (caught.value.remedy or "")


def test_launches_that_were_not_measured_are_no_rows(launches):
    faulted = replace(launches[4], grid=(0, 0, 0), block=(0, 0, 0), measured={}, time_s=None)
    chosen = select((launches[0], faulted))
    assert (chosen.launches, chosen.failed) == ((launches[0],), (faulted.kernel,))
    with pytest.raises(ProfileError, match=r"nothing was measured: .*scale<double>.* failed"):
        select((faulted,))
