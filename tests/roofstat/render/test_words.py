"""Words of the report that all forms share."""

import pytest

from roofstat.render.hints import conflict_ways, hints
from roofstat.render.words import instance_name, readable_signature
from roofstat.report import AccessReport, BoundBy, Direction, MemorySpace


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("saxpy(int, float *)", "saxpy"),
        ("void ns::fill<(int)4, float>(float *)", "fill<4, float>"),
        ("fill<(bool)1, ns::op<(unsigned int)8>>(float *)", "fill<true, ns::op<8>>"),
        ("scan::DeviceScanKernel<float>", "DeviceScanKernel<float>"),
        ("odd", "other"),
    ],
)
def test_instances_are_told_apart(make_kernel, signature, name):
    bare = "other" if name == "other" else name.partition("<")[0]
    assert instance_name(make_kernel(name=bare, signature=signature)) == name


@pytest.mark.parametrize(
    ("signature", "shown"),
    [
        ("saxpy(int, float *)", "saxpy(int, float *)"),
        ("void n::add<float, (int)256, int, (bool)1>(T1 *, const T1 *, T3)", "void n::add<float, 256, int, true>(float *, const float *, int)"),
        ("void f<ns::op<(int)8, float>, (bool)0>(T1, T2, T3)", "void f<ns::op<8, float>, false>(ns::op<8, float>, false, T3)"),
        ("void s<float>::f(T1 *)", "void s<float>::f(T1 *)"),
        ("scan::DeviceScanKernel<float>", "scan::DeviceScanKernel<float>"),
    ],
)  # fmt: skip
def test_signatures_are_those_of_the_instances(make_kernel, signature, shown):
    assert readable_signature(make_kernel(signature=signature)) == shown


def test_what_decides_the_time_beside_the_verdict_is_said(make_kernel):
    said = (
        "the verdict sets arithmetic against DRAM traffic and nothing else; what takes longest is "
    )
    times_s = {BoundBy.SHARED: 3e-3, BoundBy.FP32: 2e-3, BoundBy.DRAM: 1e-3}
    kernel = make_kernel(sp_per_element=4000, bound_by=BoundBy.SHARED, times_s=times_s)
    found = hints(kernel)
    assert f"{said}L1 and shared memory" in found
    assert (
        "fewer passes through L1 and shared memory would leave 2.00 ms for FP32 arithmetic, up to 1.5× faster"
        in found
    )
    for bound in (BoundBy.FP32, BoundBy.LATENCY, BoundBy.LAUNCH):
        other = make_kernel(sp_per_element=4000, bound_by=bound, times_s={**times_s, bound: 3e-3})
        assert not [text for text in hints(other) if text.startswith(said)]


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
