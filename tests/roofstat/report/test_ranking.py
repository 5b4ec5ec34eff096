"""Kernels are ranked by modelled time times launches."""

import dataclasses

from roofstat.report import launch_time_s, ranked


def test_rank_is_time_times_launches_with_unknown_last(make_kernel, make_unknown_kernel):
    long_once = make_kernel(name="long_once", modelled_time_s=1.0)
    long_once = dataclasses.replace(
        long_once, launch=dataclasses.replace(long_once.launch, count=1)
    )
    short_often = make_kernel(name="short_often", modelled_time_s=0.02)  # 100 launches
    unknown = make_unknown_kernel()
    assert launch_time_s(short_often) == 2.0
    assert launch_time_s(unknown) is None
    names = [kernel.name for kernel in ranked([unknown, long_once, short_often])]
    assert names == ["short_often", "long_once", "declared"]


def test_ties_keep_the_order_of_places(make_kernel):
    kernels = [make_kernel(line=line) for line in (9, 2, 5)]
    assert [kernel.line for kernel in ranked(kernels)] == [2, 5, 9]
