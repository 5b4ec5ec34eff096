"""Verdict, limiter, intensity and times by their definitions."""

import dataclasses
import math

import pytest
from hypothesis import given, strategies as st

from roofstat.hardware import TensorType, available_gpus, load_gpu
from roofstat.roofline import (
    BoundBy,
    ConfidenceParameters,
    JudgeRule,
    NumberType,
    Verdict,
    Work,
    confidence,
    decision_distance,
    latency_time_s,
    log_absorbed,
    place,
    resource_times_s,
    ridges,
)

A100 = load_gpu("a100")
PARAMETERS = ConfidenceParameters(
    base_compute=0.5,
    base_bandwidth=0.3,
    absorbed=0.6,
    tail=2.0,
    highest=0.99,
    interval_share=0.8,
)

amounts = st.floats(0, 1e15, allow_nan=False)
works = st.builds(
    Work,
    sp_flop=amounts,
    dp_flop=amounts,
    hp_flop=amounts,
    int_op=amounts,
    special_op=amounts,
    dram_bytes=st.floats(1, 1e12),
    l2_bytes=amounts,
    shared_bytes=amounts,
)
cards = st.sampled_from([load_gpu(name) for name in available_gpus()])


def test_bandwidth_only_below_every_ridge():
    ridge = ridges(A100)
    below = {kind: 0.99 * ridge[kind] * 1e9 for kind in ridge}
    work = Work(
        sp_flop=below[NumberType.FP32],
        dp_flop=below[NumberType.FP64],
        int_op=below[NumberType.INT],
        dram_bytes=1e9,
    )
    assert place(work, A100).verdict is Verdict.BANDWIDTH


@pytest.mark.parametrize(
    ("field", "kind"),
    [("sp_flop", NumberType.FP32), ("dp_flop", NumberType.FP64), ("int_op", NumberType.INT)],
)
def test_one_type_at_its_ridge_is_compute(field, kind):
    work = Work(**{field: ridges(A100)[kind] * 1e9}, dram_bytes=1e9)
    placed = place(work, A100)
    assert placed.ratio[kind] == pytest.approx(1)
    assert placed.verdict is Verdict.COMPUTE
    assert placed.limiter is kind


def test_limiter_has_the_largest_share_of_its_ridge_not_the_most_work():
    # FP64 at half its ridge, FP32 at a third of its own: FP64 limits with less work
    ridge = ridges(A100)
    work = Work(
        dp_flop=ridge[NumberType.FP64] / 2 * 1e9,
        sp_flop=ridge[NumberType.FP32] / 3 * 1e9,
        dram_bytes=1e9,
    )
    assert work.sp_flop > work.dp_flop
    assert place(work, A100).limiter is NumberType.FP64


def test_paper_rule_ignores_half_and_tensor_work():
    work = Work(hp_flop=1e15, tensor_flop={TensorType.FP16: 1e15}, sp_flop=1, dram_bytes=1e6)
    assert place(work, A100).verdict is Verdict.COMPUTE
    assert place(work, A100, rule=JudgeRule.PAPER).verdict is Verdict.BANDWIDTH


def test_work_without_traffic_is_compute_and_infinite():
    placed = place(Work(int_op=5, dram_bytes=0), A100)
    assert placed.verdict is Verdict.COMPUTE
    assert placed.intensity[NumberType.INT] == math.inf
    assert "no DRAM traffic" in placed.unknown[NumberType.INT]
    assert NumberType.INT not in placed.intensity_interval


def test_no_work_is_bandwidth_without_a_limiter():
    placed = place(Work(dram_bytes=100), A100)
    assert (placed.verdict, placed.limiter) == (Verdict.BANDWIDTH, None)


def test_unknown_traffic_is_unknown_and_says_so():
    placed = place(Work(sp_flop=5, dram_bytes=None), A100)
    assert placed.verdict is Verdict.UNKNOWN
    assert placed.intensity[NumberType.FP32] is None
    assert placed.unknown[NumberType.FP32] == "the DRAM traffic is unknown"
    assert BoundBy.DRAM not in placed.times_s


def test_unknown_count_is_unknown_unless_another_type_decides():
    unknown = Work(sp_flop=None, dram_bytes=1e6)
    assert place(unknown, A100).verdict is Verdict.UNKNOWN
    decided = Work(sp_flop=None, int_op=1e12, dram_bytes=1e6)
    assert place(decided, A100).verdict is Verdict.COMPUTE


def test_tensor_ridge_follows_the_mix_of_types():
    # half the work at the FP16 peak, half at the TF32 peak: the times add
    peaks = A100.tensor_flop_per_s
    work = Work(tensor_flop={TensorType.FP16: 1e12, TensorType.TF32: 1e12}, dram_bytes=1)
    mean = 2 / (1 / peaks[TensorType.FP16] + 1 / peaks[TensorType.TF32])
    assert ridges(A100, work)[NumberType.TENSOR] * A100.dram_bytes_per_s == pytest.approx(mean)


def test_tensor_type_that_the_card_lacks_is_not_judged_silently():
    placed = place(Work(tensor_flop={TensorType.FP8: 1e12}, dram_bytes=1e6), A100)
    assert placed.verdict is Verdict.UNKNOWN
    assert NumberType.TENSOR in placed.unknown


def test_times_are_work_over_peak():
    work = Work(sp_flop=3e12, dram_bytes=5e9, l2_bytes=7e9, special_op=1e9, shared_bytes=2e9)
    times = resource_times_s(work, A100)
    assert times[BoundBy.FP32] == pytest.approx(3e12 / (2 * 64 * 108 * 1.41e9))
    assert times[BoundBy.DRAM] == pytest.approx(5e9 / 2039e9)
    assert times[BoundBy.L2] == pytest.approx(7e9 / A100.l2_bytes_per_s)
    assert times[BoundBy.SPECIAL] == pytest.approx(1e9 / (16 * 108 * 1.41e9))
    assert times[BoundBy.SHARED] == pytest.approx(2e9 / (128 * 108 * 1.41e9))
    assert BoundBy.FP64 not in times


def test_l1_and_shared_memory_are_one_unit_on_nvidia_cards_alone():
    """128 bytes a clock and SM each: 2e9 B and 3e9 B one after another, or side by side."""
    work = Work(shared_bytes=2e9, l1_bytes=3e9)
    clocks_per_s = 128 * 108 * 1.41e9
    assert resource_times_s(work, A100)[BoundBy.SHARED] == pytest.approx(5e9 / clocks_per_s)
    amd = load_gpu("mi250x")
    apart = max(2e9 / amd.shared_bytes_per_s, 3e9 / amd.l1_bytes_per_s)
    assert resource_times_s(work, amd)[BoundBy.SHARED] == pytest.approx(apart)


def test_schedulers_issue_one_instruction_of_a_warp_each_clock():
    """Four schedulers of 32 lanes: what is issued beside most of the arithmetic takes longest, and is named for it."""
    instructions = {NumberType.FP32: 4e11}
    work = Work(sp_flop=8e11, int_op=2e11, instructions=instructions, issued_op=1.6e12)
    times = resource_times_s(work, A100)
    assert times[BoundBy.ISSUE] == pytest.approx(1.6e12 / (4 * 32 * 108 * 1.41e9))
    assert times[BoundBy.FP32] == pytest.approx(8e11 / A100.fp32_flop_per_s)
    assert place(work, A100).bound_by is BoundBy.ISSUE
    assert times[BoundBy.INT] == pytest.approx(2e11 / (64 * 108 * 1.41e9))
    few = place(dataclasses.replace(work, issued_op=6e11), A100)
    assert few.bound_by is BoundBy.FP32


def test_a_pipe_as_wide_as_the_schedulers_is_named_for_what_it_takes_of_them():
    """128 lanes of FP32 on an H100: of 1e12 instructions 9.5e11 keep it as busy as the schedulers, 8e11 do not."""
    h100 = load_gpu("h100")
    for instructions, expected in ((9.5e11, BoundBy.FP32), (8e11, BoundBy.ISSUE)):
        work = Work(
            sp_flop=instructions, instructions={NumberType.FP32: instructions}, issued_op=1e12
        )
        placed = place(work, h100)
        assert placed.bound_by is expected
        assert max(placed.times_s.values()) == pytest.approx(1e12 / (128 * h100.sm_count * 1.98e9))


def test_a_launch_takes_its_start_its_waits_and_its_busiest_resource():
    work = Work(dram_bytes=2e9, sp_flop=1e9, latency_s=1e-3)
    placed = place(work, A100)
    dram = 2e9 / A100.dram_bytes_per_s
    assert placed.modelled_time_s == pytest.approx(dram + 1e-3 + A100.launch_overhead_s)
    assert placed.bound_by is BoundBy.LATENCY


def test_idle_sms_slow_arithmetic_and_not_memory():
    work = Work(sp_flop=1e12, dram_bytes=1e9, busy_sm_share=1 / 108)
    times = resource_times_s(work, A100)
    assert times[BoundBy.FP32] == pytest.approx(108 * 1e12 / A100.fp32_flop_per_s)
    assert times[BoundBy.DRAM] == pytest.approx(1e9 / A100.dram_bytes_per_s)


def test_atomics_take_the_slowest_of_their_kinds():
    many_apart = Work(global_atomic_op=1e6, global_atomic_same_address_op=10)
    one_address = Work(global_atomic_op=1e6, global_atomic_same_address_op=1e6)
    integers = Work(global_atomic_op=1e6, global_atomic_same_address_int_op=1e6)
    requests = Work(global_atomic_op=1e6, global_atomic_same_sector_request=1e6)
    works = (many_apart, one_address, integers, requests)
    times = [resource_times_s(work, A100)[BoundBy.ATOMICS] for work in works]
    assert times[0] == pytest.approx(1e6 / A100.global_atomic_op_per_s)
    assert times[1] == pytest.approx(1e6 / A100.global_atomic_same_address_op_per_s)
    assert times[2] == pytest.approx(1e6 / A100.global_atomic_same_address_int_op_per_s)
    assert times[2] < times[1]
    assert times[3] == pytest.approx(1e6 / A100.global_atomic_same_sector_request_per_s)


def test_tiny_launches_are_bound_by_their_launch_and_not_faster_than_their_work():
    placed = place(Work(sp_flop=32, dram_bytes=256), A100)
    assert placed.bound_by is BoundBy.LAUNCH
    busiest = 256 / A100.dram_bytes_per_s
    assert placed.modelled_time_s == pytest.approx(A100.launch_overhead_s + busiest)
    assert placed.attainable_time_s == pytest.approx(256 / A100.dram_bytes_per_s)


def test_latency_binds_where_a_chain_is_longer_than_the_traffic():
    chain = latency_time_s(A100, waves=1.5, serial_clocks=5e5, rare_clocks=1000)
    assert chain == pytest.approx((2 * 5e5 + 1000) / A100.clock_hz)
    assert place(Work(dram_bytes=1e6, latency_s=chain), A100).bound_by is BoundBy.LATENCY


@pytest.mark.parametrize("field", ["sp_flop", "dram_bytes", "latency_s"])
@pytest.mark.parametrize("amount", [-1.0, math.nan, math.inf])
def test_impossible_amounts_are_refused(field, amount):
    with pytest.raises(ValueError, match=field):
        Work(**{field: amount})


def test_confidence_falls_with_a_long_tail_of_distance_over_spread():
    # one ridge away by a factor e, spread root(0.5^2 + 1.2^2) = 1.3: 1 - 1/2 (1 + 1 / 2.6)^-2
    spread = PARAMETERS.spread(Verdict.COMPUTE, [1.2])
    assert spread == pytest.approx(1.3)
    expected = 1 - 0.5 * (1 + 1 / 2.6) ** -2
    assert confidence([math.e, 0.01], spread, PARAMETERS) == pytest.approx(expected)


def test_traffic_that_the_cache_absorbs_makes_compute_verdicts_less_sure():
    # e^2 times as many bytes to L2 as to DRAM: spread root(0.5^2 + (0.6 * 2)^2) = 1.3 below, 0.3 above
    work = Work(sp_flop=1e13, dram_bytes=1e9, l2_bytes=1e9 * math.e**2)
    assert log_absorbed(work.l2_bytes, work.dram_bytes) == pytest.approx(2)
    assert log_absorbed(1e9, 2e9) == log_absorbed(None, 1e9) == log_absorbed(1e9, 0.0) == 0
    found = place(work, A100, parameters=PARAMETERS)
    plain = place(Work(sp_flop=1e13, dram_bytes=1e9), A100, parameters=PARAMETERS)
    assert found.verdict is plain.verdict is Verdict.COMPUTE
    ratios = found.ratio.values()
    assert found.confidence == confidence(ratios, math.hypot(0.5, 0.6 * 2), PARAMETERS)
    assert plain.confidence == confidence(ratios, 0.5, PARAMETERS)
    assert found.confidence < plain.confidence
    assert PARAMETERS.spread(Verdict.BANDWIDTH, [], 2.0) == 0.3


def test_confidence_is_even_at_the_ridge_and_capped_far_from_it():
    assert confidence([1.0], 0.5, PARAMETERS) == 0.5
    assert confidence([1e9], 0.5, PARAMETERS) == PARAMETERS.highest
    assert confidence([0.0], 0.5, PARAMETERS) == PARAMETERS.highest
    assert confidence([math.inf], 0.5, PARAMETERS) == PARAMETERS.highest


def test_interval_holds_the_stated_share():
    work = Work(sp_flop=3e9, dram_bytes=1e9)
    found = place(work, A100, assumption_weights=[1.2], parameters=PARAMETERS)
    interval = found.intensity_interval[NumberType.FP32]
    below, above = math.hypot(0.5, 1.2), math.hypot(0.3, 1.2)
    assert interval.low == pytest.approx(3 * math.exp(-PARAMETERS.half_width(below)))
    assert interval.high == pytest.approx(3 * math.exp(PARAMETERS.half_width(above)))
    # one case in ten lies below, one in ten above
    assert PARAMETERS.beyond(PARAMETERS.half_width(below), below) == pytest.approx(0.1)


def test_interval_ends_where_nothing_would_be_absorbed():
    # e^4 times as many bytes to L2 as to DRAM: with a spread of root(0.5^2 + (0.6 * 4)^2) the interval would reach below the
    # intensity of the L2 bytes, 3 / e^4, by more than the spread of 0.5 that is left there
    work = Work(sp_flop=3e9, dram_bytes=1e9, l2_bytes=1e9 * math.e**4)
    interval = place(work, A100, parameters=PARAMETERS).intensity_interval[NumberType.FP32]
    assert PARAMETERS.half_width(math.hypot(0.5, 2.4)) > 4 + PARAMETERS.half_width(0.5)
    assert interval.low == pytest.approx(3 * math.exp(-4 - PARAMETERS.half_width(0.5)))


@pytest.mark.property
@given(work=works, gpu=cards)
def test_attainable_time_reaches_every_roof_and_no_more(work, gpu):
    placed = place(work, gpu)
    times = placed.times_s
    assert placed.attainable_time_s is not None
    assert placed.attainable_time_s >= work.dram_bytes / gpu.dram_bytes_per_s
    assert placed.attainable_time_s >= (work.sp_flop or 0) / gpu.fp32_flop_per_s * (1 - 1e-12)
    assert times[placed.bound_by] == max(times.values())
    alone = times[BoundBy.LAUNCH] + times.get(BoundBy.LATENCY, 0.0)
    work_times = [times[part] for part in times if part not in (BoundBy.LAUNCH, BoundBy.LATENCY)]
    assert placed.modelled_time_s == pytest.approx(alone + max(work_times, default=0.0))


@pytest.mark.property
@given(work=works, gpu=cards, scale=st.floats(0.01, 100))
def test_verdict_depends_on_intensity_alone(work, gpu, scale):
    bigger = Work(
        sp_flop=work.sp_flop * scale,
        dp_flop=work.dp_flop * scale,
        hp_flop=work.hp_flop * scale,
        int_op=work.int_op * scale,
        dram_bytes=work.dram_bytes * scale,
    )
    before, after = place(work, gpu), place(bigger, gpu)
    if decision_distance(before.ratio.values()) > 1e-9:
        assert before.verdict is after.verdict


@pytest.mark.property
@given(work=works, gpu=cards)
def test_verdict_is_its_definition(work, gpu):
    placed = place(work, gpu)
    reached = [kind for kind, ratio in placed.ratio.items() if ratio >= 1]
    assert (placed.verdict is Verdict.COMPUTE) == bool(reached)
    if placed.limiter is not None:
        assert placed.ratio[placed.limiter] == max(placed.ratio.values())
    assert 0.5 <= placed.confidence <= 1


@pytest.mark.property
@given(ratio=st.floats(1e-6, 1e6), weights=st.lists(st.floats(0, 3), max_size=4))
def test_assumptions_and_nearness_never_make_surer(ratio, weights):
    spread = PARAMETERS.spread(Verdict.BANDWIDTH, weights)
    sure = confidence([ratio], spread, PARAMETERS)
    doubtful = PARAMETERS.spread(Verdict.BANDWIDTH, [*weights, 0.5])
    assert confidence([ratio], doubtful, PARAMETERS) <= sure
    nearer = math.exp(math.log(ratio) / 2)
    assert confidence([nearer], spread, PARAMETERS) <= sure


def test_packed_half_work_at_the_pipes_rate_is_at_the_ridge():
    # An A100's SM starts 128 thread-level HFMA2 a clock (4 schedulers, 32 lanes); each counts 2 FLOP, packed or not.
    seconds = 1e-3
    instructions = 128 * A100.sm_count * A100.clock_hz * seconds
    work = Work(hp_flop=2 * instructions, dram_bytes=A100.dram_bytes_per_s * seconds)
    assert place(work, A100).ratio[NumberType.FP16] == pytest.approx(1.0)
    assert resource_times_s(work, A100)[BoundBy.FP16] == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("flop", "instructions", "op"),
    # An addition takes the pipe as long as a multiply-add; what is not known of instructions decides nothing.
    [(1e12, 1e12, 2e12), (2e12, 1e12, 2e12), (1e12, 0.0, 1e12)],
)
def test_a_pipe_takes_an_instruction_at_a_time(flop, instructions, op):
    work = Work(dp_flop=flop, instructions={NumberType.FP64: instructions})
    assert resource_times_s(work, A100)[BoundBy.FP64] == pytest.approx(op / A100.fp64_flop_per_s)
    amd = load_gpu("mi250x")
    # Its peak is that of packed instructions.
    assert resource_times_s(work, amd)[BoundBy.FP64] == pytest.approx(flop / amd.fp64_flop_per_s)
