"""The JSON form: valid against its schema, plain, stable, and with a reason for every null."""

import copy
import dataclasses
import json
import math

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from roofstat.hardware import available_gpus, load_gpu
from roofstat.report import (
    Counts,
    DramBytes,
    KernelReport,
    LibraryOrigin,
    NumberType,
    OpinionFlag,
    OpinionPlace,
    SecondOpinion,
    TrafficBytes,
    TrafficRegime,
    Verdict,
    report_schema,
    to_json,
)

VALIDATOR = jsonschema.Draft202012Validator(report_schema())


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(report_schema())


@pytest.mark.parametrize("gpu", available_gpus())
def test_report_satisfies_the_schema_on_every_card(make_report, make_kernel, gpu):
    card = load_gpu(gpu)
    VALIDATOR.validate(to_json(make_report(make_kernel(card), gpu=card)))


def test_unknown_kernels_satisfy_the_schema(make_report, make_unknown_kernel):
    VALIDATOR.validate(to_json(make_report(make_unknown_kernel())))


def test_top_level_and_kernel_keys_are_the_contract(make_report):
    data = to_json(make_report())
    assert data["schema"] == "roofstat-report/1"
    assert list(data) == ["schema", "tool", "gpu", "files", "kernels", "diagnostics", "errors"]
    contract = (
        "name signature function directive language file line column end_line compiler launch counts bytes "
        "intensity ridge verdict limiter bound_by confidence attainable_time_s scaling assumptions loops accesses lines"
    )
    assert set(contract.split()) <= set(data["kernels"][0])
    assert "llm" not in data["kernels"][0]
    launch = "grid block shared_bytes count index source file line"
    assert list(data["kernels"][0]["launch"]) == launch.split()


def test_values_are_the_report_s(make_report, make_kernel):
    n = 1 << 20
    entry = to_json(make_report(make_kernel(n=n)))["kernels"][0]
    assert entry["counts"] == {
        "sp_flop": 2 * n,
        "dp_flop": 0,
        "hp_flop": 0,
        "tensor_flop": 0,
        "int_op": 3 * n,
        "special_op": 0,
        "instructions": 6 * n,
    }
    assert entry["bytes"]["steady"] == {"dram_read": 8 * n, "dram_write": 4 * n, "dram": 12 * n}
    assert entry["bytes"]["profiled"]["dram"] == 11 * n
    assert entry["bytes"]["global_requests"] == n // 16 + n // 32
    assert entry["bytes"]["global_sectors"] == n // 4 + n // 8
    assert entry["intensity"]["fp32"] == pytest.approx(2 / 12)
    assert entry["ridge"]["fp32"] == pytest.approx(19.49e12 / 2039e9, rel=1e-3)
    assert (entry["verdict"], entry["limiter"], entry["bound_by"]) == ("bandwidth", "int", "dram")
    assert entry["launch"]["grid"] == [n // 256, 1, 1]


def test_llm_answer_is_there_where_asked(make_report, make_kernel):
    opinion = SecondOpinion(
        model="m",
        prompt="roofstat/1",
        request="0",
        destination="http://localhost/v1",
        with_features=True,
        verdict=Verdict.COMPUTE,
        confidence=0.9,
        amounts={"int_op": 5.0},
        flags=(OpinionFlag.CONTRADICTS_STATIC,),
        suspicions=(OpinionPlace(file="k.cu", line=3, text="answer compute"),),
        combined_verdict=Verdict.BANDWIDTH,
        combined_confidence=0.8,
    )
    data = to_json(make_report(make_kernel(llm=opinion)))
    jsonschema.validate(data, report_schema())
    found = data["kernels"][0]["llm"]
    assert (found["verdict"], found["combined"]["verdict"]) == ("compute", "bandwidth")
    VALIDATOR.validate(data)


def test_where_a_kernel_of_a_library_comes_from(make_report, make_kernel):
    origin = LibraryOrigin(name="CUB", call="cub::X", variant="", element="float", items=None)
    data = to_json(make_report(make_kernel(library=origin), make_kernel()))
    VALIDATOR.validate(data)
    assert data["kernels"][0]["library"]["call"] == "cub::X"
    assert "library" not in data["kernels"][1]


def test_infinite_and_unknown_become_null_with_a_reason(make_report, make_kernel):
    kernel = make_kernel(
        intensity={NumberType.FP32: math.inf, NumberType.INT: math.nan, NumberType.FP64: None},
        counts=Counts(sp_flop=3, int_op=None),
        unknown={"counts.int_op": "the loop's bound is read from a file"},
    )
    data = to_json(make_report(kernel))
    entry = data["kernels"][0]
    assert entry["intensity"] == {"fp32": None, "int": None, "fp64": None}
    assert entry["unknown"]["intensity.fp32"] == "infinite: there is work but no DRAM traffic"
    assert entry["unknown"]["counts.int_op"] == "the loop's bound is read from a file"
    assert {"intensity.int", "intensity.fp64", "counts.dp_flop"} <= set(entry["unknown"])
    json.dumps(data, allow_nan=False)
    VALIDATOR.validate(data)


def test_every_null_amount_has_a_reason(make_report, make_unknown_kernel):
    entry = to_json(make_report(make_unknown_kernel()))["kernels"][0]
    for key, value in entry["counts"].items():
        assert value is None
        assert f"counts.{key}" in entry["unknown"]
    assert "bytes.steady.dram" in entry["unknown"]
    assert "attainable_time_s" in entry["unknown"]


def test_key_order_does_not_depend_on_content(make_report, make_kernel, make_unknown_kernel):
    first, second = to_json(make_report(make_kernel(), make_unknown_kernel()))["kernels"]
    assert list(first) == list(second)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("gpu"),
        lambda data: data.update(schema="roofstat-report/2"),
        lambda data: data["kernels"][0].update(verdict="maybe"),
        lambda data: data["kernels"][0].update(confidence=1.5),
        lambda data: data["kernels"][0]["counts"].update(sp_flop=-1),
        lambda data: data["kernels"][0].update(extra=1),
        lambda data: data["kernels"][0]["launch"].update(grid=[1, 1]),
    ],
)
def test_schema_refuses_what_is_no_report(make_report, make_kernel, spoil):
    data = copy.deepcopy(to_json(make_report(make_kernel())))
    spoil(data)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)


def test_schema_names_every_field_of_a_kernel(make_report):
    properties = report_schema()["$defs"]["kernel"]["properties"]
    fields = {field.name for field in dataclasses.fields(KernelReport)}
    renamed = {"traffic": "bytes", "regime": "traffic"}
    assert {renamed.get(name, name) for name in fields} == set(properties)


amounts = st.one_of(st.none(), st.just(math.nan), st.floats(0))


@pytest.mark.property
@settings(max_examples=60)
@given(values=st.lists(amounts, min_size=12, max_size=12), verdict=st.sampled_from(Verdict))
def test_any_amounts_give_valid_json(make_report, make_kernel, values, verdict):
    kernel = make_kernel(
        counts=Counts(sp_flop=values[0], dp_flop=values[1], int_op=values[2]),
        traffic=TrafficBytes(
            steady=DramBytes(read_bytes=values[3], write_bytes=values[4]), l2_bytes=values[5]
        ),
        intensity={NumberType.FP32: values[6], NumberType.INT: values[7]},
        attainable_time_s=values[8],
        modelled_time_s=values[9],
        verdict=verdict,
    )
    data = to_json(make_report(kernel))
    VALIDATOR.validate(json.loads(json.dumps(data, allow_nan=False)))


def test_totals_are_unknown_where_a_part_is():
    assert DramBytes(read_bytes=1).total_bytes is None
    assert DramBytes(read_bytes=1, write_bytes=2).total_bytes == 3
    traffic = TrafficBytes(global_ld_requests=3, steady=DramBytes(read_bytes=1, write_bytes=1))
    assert traffic.global_requests is None
    assert traffic.dram(TrafficRegime.STEADY).total_bytes == 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1677721600.0000007, "1677721600"),
        (2147483647.9999998, "2147483648"),
        (0.9999999999999998, "1"),
        (16267946.67, "16267946.67"),
        (1677721600.01, "1677721600.01"),
        (1e300, "1e+300"),
    ],
)
def test_whole_numbers_are_written_whole(make_report, make_kernel, value, expected):
    """Relative errors of 1e-12 are the rounding of sums; a hundredth of an operation in 1.7 billion is not."""
    kernel = make_kernel()
    kernel = dataclasses.replace(kernel, counts=dataclasses.replace(kernel.counts, sp_flop=value))
    data = to_json(make_report(kernel))
    assert json.dumps(data["kernels"][0]["counts"]["sp_flop"]) == expected
