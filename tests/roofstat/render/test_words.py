"""Words of the report that all forms share."""

import pytest

from roofstat.render.hints import conflict_ways, hints
from roofstat.render.words import instance_name
from roofstat.report import AccessReport, BoundBy, Direction, MemorySpace


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("saxpy(int, float *)", "saxpy"),
        ("void ns::fill<(int)4, float>(float *)", "fill<4, float>"),
        ("fill<(bool)1, ns::op<(unsigned int)8>>(float *)", "fill<1, ns::op<8>>"),
        ("scan::DeviceScanKernel<float>", "DeviceScanKernel<float>"),
        ("odd", "other"),
    ],
)
def test_instances_are_told_apart(make_kernel, signature, name):
    bare = "other" if name == "other" else name.partition("<")[0]
    assert instance_name(make_kernel(name=bare, signature=signature)) == name


def shared(wavefronts, element_bytes=4):
    return AccessReport(
        line=3,
        array="tile",
        space=MemorySpace.SHARED,
        direction=Direction.READ,
        element_bytes=element_bytes,
        wavefronts_per_request=wavefronts,
    )


@pytest.mark.parametrize(
    ("access", "ways"),
    [(shared(1), None), (shared(32), 32), (shared(4, 16), None), (shared(8, 8), 4)],
)
def test_conflicts_are_counted_against_what_the_bytes_need(access, ways):
    assert conflict_ways(access) == ways


def test_conflicts_that_decide_the_time_are_a_hint(make_kernel):
    kernel = make_kernel(
        accesses=(shared(32),), bound_by=BoundBy.SHARED, times_s={BoundBy.SHARED: 1e-3}
    )
    assert [text for text in hints(kernel) if "32-way bank conflicts in tile" in text]
    calm = make_kernel(accesses=(shared(32),), bound_by=BoundBy.DRAM)
    assert not [text for text in hints(calm) if "bank conflicts" in text]
