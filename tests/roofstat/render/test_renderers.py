"""The forms of a report: complete, of the asked width, and safe for any content."""

import dataclasses
import json

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from roofstat.errors import UsageError
from roofstat.hardware import load_gpu
from roofstat.render import FORMATS, Detail, RenderOptions, render
from roofstat.render.explain import render_explanation
from roofstat.report import (
    BoundBy,
    Counts,
    LaunchSource,
    LibraryOrigin,
    Severity,
    TrafficRegime,
    Verdict,
    report_schema,
    to_json,
)


def text_of(report, **options):
    return render(report, "text", RenderOptions(**options))


def test_unknown_forms_are_named(make_report):
    with pytest.raises(UsageError, match="text, json, jsonl, markdown"):
        render(make_report(), "yaml")


def test_the_text_says_which_numbers_were_not_derived_from_source(make_report, make_kernel):
    origin = LibraryOrigin(name="CUB", call="cub::X", variant="", element="float", items=5)
    said = "kernel of CUB: its numbers were measured, not derived from source"
    assert said in text_of(make_report(make_kernel(library=origin)))
    assert said not in text_of(make_report(make_kernel()))


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_ends_in_one_newline(make_report, form):
    text = render(make_report(), form)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_json_is_the_report_s_json(make_report):
    report = make_report()
    data = json.loads(render(report, "json"))
    assert data == to_json(report)
    jsonschema.Draft202012Validator(report_schema()).validate(data)


def test_jsonl_has_one_record_a_line(make_report):
    report = make_report()
    records = [json.loads(line) for line in render(report, "jsonl").splitlines()]
    kinds = [record["record"] for record in records]
    assert kinds == ["report", "kernel", "kernel", "diagnostic", "error"]
    assert records[0]["gpu"]["id"] == "a100-sxm-80"
    assert {**records[1], "record": None} == {**to_json(report)["kernels"][0], "record": None}


def test_text_says_what_a_reader_needs(make_report, make_kernel):
    text = text_of(make_report(make_kernel()), width=110)
    for needed in (
        "A100 SXM4 80GB",
        "saxpy(int, float, const float *, float *)",
        "examples/saxpy.cu:3",
        "BANDWIDTH-BOUND",
        "99 % sure",
        "INT at 0.052× its ridge",
        "time bound by DRAM bandwidth",
        "65,536 blocks of 256 threads",
        "100 launches, from the host code, examples/saxpy.cu:20",
        "100 % occupancy",
        "33.6 MFLOP",
        "0.167",
        "9.56",
        "134 MB read, 67.1 MB written",
        "185 MB profiled",
        "32 for 4",
        "67 %",
        "the loop runs 20 times",
        "×/÷ 1.22",
        "compute-bound from 19× the INT work",
        "x touches 32 sectors a request where 4 hold its bytes (8×)",
        "a launch is lost",
        "SIGSEGV",
    ):
        assert needed in text, needed


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 132, 200])
@pytest.mark.parametrize("detail", Detail)
def test_no_line_is_wider_than_the_terminal(make_report, make_kernel, width, detail):
    kernels = [make_kernel(name=f"kernel_with_a_long_name_{i}", line=i + 1) for i in range(5)]
    text = text_of(make_report(*kernels), width=width, detail=detail)
    assert max(len(line) for line in text.splitlines()) <= width


def test_the_latency_is_derived_from_its_terms(make_report, make_kernel):
    report = make_report(make_kernel())
    options = RenderOptions(width=110)
    text = render_explanation(report.kernels[0], report, [], options)
    for line in (
        "a load: 50 % L2 × 200 + 50 % DRAM × 400 = 300 clocks",
        "instructions issued: 30 clocks",
        "waits for loads from global memory: 600 clocks = 2.00 waits × 300 (line 4: 2.00)",
        "waits for arithmetic: 20 clocks",
        # (65 × 650 + 1410) / 1.41 GHz
        "65 waves × 650 clocks + 1,410 once, on paths of few blocks; / 1.41 GHz = 31.0 µs",
    ):
        assert line in text, line


def test_many_kernels_become_a_table_that_keeps_names_verdicts_and_places(make_report, make_kernel):
    kernels = [make_kernel(name=f"kernel{i}", line=i + 1) for i in range(6)]
    text = text_of(make_report(*kernels), width=120)
    for i in range(6):
        assert f"kernel{i} " in text
        assert f"examples/saxpy.cu:{i + 1}" in text
    assert text.count("bandwidth-bound") == 7  # six rows and the closing line
    assert "accesses" not in text
    assert "accesses" in text_of(make_report(*kernels), width=120, detail=Detail.FULL)


LONG = "normalize<std::complex<double>, 256, tag<4>>"


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_the_table_cuts_names_but_no_figures(make_report, make_kernel, width):
    file = "benchmarks/of/some/depth/normalize_rows.cu"
    signature = f"void {LONG}(float *)"
    kernels = [
        make_kernel(name="normalize", signature=signature, file=file, line=123),
        make_kernel(name="k", signature="k()", file=file, line=7),
    ]
    options = {"width": width, "detail": Detail.SUMMARY}
    text = text_of(make_report(*kernels), **options)
    lines = [line for line in text.splitlines() if "bandwidth-bound  99 %" in line]
    assert len(lines) == 2
    assert all(" 101 µs" in line for line in lines)
    if width >= 80:
        assert {line.rpartition(":")[2] for line in lines} == {"123", "7"}
        assert all("_rows.cu:" in line for line in lines)
    else:
        assert "_rows.cu" not in "".join(lines)


def test_the_table_is_whole_where_nothing_breaks_its_lines(make_report, make_kernel):
    kernel = make_kernel(
        name="normalize", signature=f"void {LONG}(float *)", file=f"{'d/' * 40}a.cu"
    )
    report = make_report(kernel)
    text = text_of(report, width=80, uncut=True, detail=Detail.SUMMARY)
    line = next(line for line in text.splitlines() if "bandwidth-bound  99 %" in line)
    assert LONG in line
    assert line.endswith(f" {'d/' * 40}a.cu:3")
    longer = [other for other in text.splitlines() if len(other) > 80 and other != line]
    assert len(longer) == 1  # the table's heading


def test_assumed_launches_are_never_left_out_of_the_table(make_report, make_kernel):
    launch = dataclasses.replace(make_kernel().launch, source=LaunchSource.ASSUMED)
    kernel = make_kernel(launch=launch, file=f"{'d/' * 40}a.cu")
    text = text_of(make_report(kernel), width=80, detail=Detail.SUMMARY)
    assert " assumed " in text
    assert "of ridge" not in text


def test_no_escape_sequences_without_colour_and_some_with_it(make_report):
    assert "\x1b" not in text_of(make_report())
    assert "\x1b[" in text_of(make_report(), colour=True)


def test_ascii_output_is_ascii(make_report, make_kernel):
    text = text_of(make_report(make_kernel(), make_kernel(sp_per_element=4000)), unicode=False)
    assert text.isascii()
    assert "98.7 us" in text


def test_verdicts_below_the_wanted_confidence_are_uncertain(make_report, make_kernel):
    near = make_kernel(sp_per_element=110)
    report = make_report(near, min_confidence=0.9)
    assert "UNCERTAIN" in text_of(report)
    assert "leans bandwidth" in text_of(report)
    assert "**uncertain**, leaning to bandwidth" in render(report, "markdown")
    assert "BANDWIDTH-BOUND" in text_of(make_report(near))


def test_confidence_is_never_shown_as_certainty(make_report, make_kernel):
    text = text_of(make_report(make_kernel(confidence=1.0)))
    assert "99 % sure" in text
    assert "100 % sure" not in text


def test_unvalidated_cards_are_marked_in_every_readable_form(make_report, make_kernel):
    gpu = load_gpu("mi300x")
    report = make_report(make_kernel(gpu), gpu=gpu)
    assert "unvalidated" in text_of(report)
    assert "Unvalidated" in render(report, "markdown")
    assert json.loads(render(report, "json"))["gpu"]["validated"] is False


def test_regimes_that_differ_are_said(make_report, make_kernel):
    verdicts = {
        TrafficRegime.STEADY: Verdict.BANDWIDTH,
        TrafficRegime.PROFILED: Verdict.COMPUTE,
    }
    text = text_of(make_report(make_kernel(verdicts=verdicts)), width=160)
    assert "a profiler's isolated launch gives compute" in text


@pytest.mark.parametrize("bound", BoundBy)
def test_every_bound_has_a_name(make_report, make_kernel, bound):
    kernel = make_kernel(bound_by=bound, times_s={bound: 1e-3, BoundBy.DRAM: 5e-4})
    assert "time bound by" in text_of(make_report(kernel))
    assert "time bound by" in render(make_report(kernel), "markdown")


@pytest.mark.parametrize(
    ("dram_s", "hint"),
    [
        (1e-4, "neither arithmetic nor memory is busy: more independent work"),
        (8e-4, "DRAM bandwidth is busy 80 % of the time"),
        (8e-4, "would help, up to 1.2×"),
    ],
)
def test_what_is_busy_while_warps_wait_is_named(make_report, make_kernel, dram_s, hint):
    times_s = {BoundBy.LATENCY: 1e-3, BoundBy.LAUNCH: 9e-4, BoundBy.DRAM: dram_s}
    kernel = make_kernel(bound_by=BoundBy.LATENCY, times_s=times_s)
    assert hint in text_of(make_report(kernel), width=200)


def test_a_gain_that_is_none_is_not_offered(make_report, make_kernel):
    # 2 % between what is longest and what comes next
    times_s = {BoundBy.L2: 1.02e-3, BoundBy.LATENCY: 1.02e-3, BoundBy.DRAM: 1e-3}
    for bound in (BoundBy.L2, BoundBy.LATENCY):
        text = text_of(make_report(make_kernel(bound_by=bound, times_s=times_s)), width=200)
        assert "1× faster" not in text
        assert "up to 1×" not in text


def test_a_loop_without_a_share_of_the_work_is_said_to_be_unrolled(make_report, make_kernel):
    kernel = make_kernel()
    loops = (dataclasses.replace(kernel.loops[0], share=None), *kernel.loops[1:])
    report = make_report(dataclasses.replace(kernel, loops=loops))
    for text in (text_of(report), render(report, "markdown")):
        assert "unrolled" in text


def test_a_title_keeps_what_tells_instances_apart(make_report, make_kernel):
    many = ", ".join(["const float *"] * 10)
    kernel = make_kernel(name="fill", signature=f"void fill<double>({many})")
    assert "fill<double>(…) ─" in text_of(make_report(kernel), width=80)


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        # FP32 alone above its ridge of 9.56: 4000 / 12 = 333, 35 times
        ({"sp_per_element": 4000}, "bandwidth-bound below 1/35 of the FP32 work"),
        # both above: less work of one type alone would change nothing
        (
            {"sp_per_element": 4000, "int_per_element": 4000},
            "bandwidth-bound from 70× the DRAM bytes",
        ),
        # 110 / 12 = 9.17 of 9.56
        ({"sp_per_element": 110}, "compute-bound from 4.3 % more FP32 work"),
    ],
)
def test_what_would_flip_the_verdict(make_report, make_kernel, changes, hint):
    assert hint in text_of(make_report(make_kernel(**changes)), width=160)


def test_remarks_that_repeat_are_grouped_and_many_are_cut(make_report):
    (remark,) = make_report().diagnostics
    same = [dataclasses.replace(remark, line=line) for line in (1, 2, 3)]
    others = [dataclasses.replace(remark, message=f"remark {i}") for i in range(30)]
    report = make_report(diagnostics=(*others, *same))
    text = text_of(report, width=200)
    assert "23 more, with -v" in text  # 31 distinct ones, 8 of them shown
    full = text_of(report, width=200, detail=Detail.FULL)
    assert "a launch is lost to an error in its arguments [RS901] 3 times" in full
    assert "remark 29" in full
    assert "- 11 more, in the JSON form" in render(report, "markdown")
    assert len(json.loads(render(report, "json"))["diagnostics"]) == 33


def test_grave_remarks_come_first(make_report):
    (remark,) = make_report().diagnostics
    note = dataclasses.replace(remark, severity=Severity.NOTE, message="small")
    error = dataclasses.replace(remark, severity=Severity.ERROR, message="grave")
    text = text_of(make_report(diagnostics=(note, remark, error)), width=200)
    assert text.index("grave") < text.index("a launch is lost") < text.index("small")


def test_empty_report_says_so(make_report):
    empty = dataclasses.replace(make_report(), kernels=(), diagnostics=(), errors=(), files=2)
    assert "no kernel found in 2 files" in text_of(empty)
    assert "No kernel found" in render(empty, "markdown")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (3, "no kernel found in 3 files, of which 1 has no result"),
        (1, "nothing is known of 1 file"),
    ],
)
def test_a_report_without_results_does_not_say_that_there_is_nothing(make_report, files, said):
    (error,) = make_report().errors
    empty = dataclasses.replace(
        make_report(), kernels=(), diagnostics=(), errors=(error, error), files=files
    )
    assert said in text_of(empty)
    assert f"{said[0].upper()}{said[1:]}." in render(empty, "markdown")


def test_hostile_names_stay_text(make_report, make_kernel):
    kernel = make_kernel(signature="k\x1b[2J[bold]`|*<b>", name="k", file="a\nb|c`.cu")
    report = make_report(kernel, make_kernel(), make_kernel(), make_kernel())
    text = text_of(report, detail=Detail.FULL, width=150)
    assert "\x1b" not in text
    assert "[bold]" in text
    markdown = render(report, "markdown")
    rows = [line for line in markdown.splitlines() if line.startswith("| `k`")]
    assert len(rows) == 1
    assert "\x1b" not in markdown


def test_markdown_tables_have_as_many_cells_as_headings(make_report):
    lines = render(make_report(), "markdown").splitlines()
    width = 0
    for line in lines:
        if line.startswith("|"):
            cells = line.replace("\\|", "").count("|")
            width = width or cells
            assert cells == width, line
        else:
            width = 0


def test_explanation_derives_ridge_intensity_time_and_confidence(make_report, make_kernel):
    kernel = make_kernel()
    source = ["", "", "", "", "y[i] = a * x[i] + y[i];"]
    text = render_explanation(kernel, make_report(kernel), source, RenderOptions(width=200))
    for needed in (
        "y[i] = a * x[i] + y[i];",
        "threads: 64 warps an SM / 8 warps a block = 8 blocks",
        "FP32: 2 × 64 a clock × 108 SMs × 1.41 GHz = 19.5 TFLOP/s; / 2.04 TB/s = 9.56 FLOP/B",
        "[S1 S2, confirmed]",
        "FP32: 33.6 MFLOP / 201 MB = 0.167 FLOP/B, 0.017× the ridge: below it",
        "DRAM bandwidth: 201 MB / 2.04 TB/s = 98.7 µs",
        # ln(4.78 / 0.25) = 2.95; root(0.07^2 + 0.2^2) = 0.212
        "|ln(intensity / ridge)| = 2.95; spread 0.224 = root of 0.1² for bandwidth verdicts",
    ):
        assert needed in text, needed


def test_explanation_of_a_pipe_that_few_multiply_adds_fill_counts_instructions(
    make_report, make_kernel
):
    # 1 GFLOP in as many instructions, on half of the 108 SMs: each as long as a multiply-add.
    kernel = make_kernel(counts=Counts(sp_flop=1e9, dp_flop=0.0, int_op=0.0))
    launch = dataclasses.replace(kernel.launch, grid=(54, 1, 1))
    seconds = 2e9 / (make_report(kernel).gpu.fp32_flop_per_s / 2)
    kernel = dataclasses.replace(kernel, launch=launch, times_s={BoundBy.FP32: seconds})
    text = render_explanation(kernel, make_report(kernel), [], RenderOptions(width=200))
    assert "1.00 Ginstr / 9.75 Tinstr/s × 0.5 of the SMs busy = 205 µs" in text


def test_explanation_of_an_unknown_kernel_is_short_and_says_why(make_report, make_unknown_kernel):
    kernel = make_unknown_kernel()
    text = render_explanation(kernel, make_report(kernel), [], RenderOptions())
    assert "UNKNOWN" in text
    assert "the kernel has no body" in text


amounts = st.one_of(st.none(), st.floats(0, 1e18))


@pytest.mark.property
@settings(max_examples=40, deadline=None)
@given(values=st.lists(amounts, min_size=6, max_size=6), width=st.integers(20, 180))
def test_no_form_fails_on_any_amounts(make_report, make_kernel, values, width):
    kernel = make_kernel(
        counts=Counts(sp_flop=values[0], dp_flop=values[1], int_op=values[2]),
        intensity=dict.fromkeys(make_kernel().intensity, values[3]),
        modelled_time_s=values[4],
        confidence=None if values[5] is None else min(values[5], 1.0),
    )
    for form in FORMATS:
        render(make_report(kernel), form, RenderOptions(width=width))
    render_explanation(kernel, make_report(kernel), [], RenderOptions(width=width))


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_accesses_that_differ_in_nothing_are_one_row(make_report, make_kernel, form):
    kernel = make_kernel()
    read, write = kernel.accesses
    part = dataclasses.replace(read, share=read.share / 16)
    kernel = dataclasses.replace(kernel, accesses=(*[part] * 16, write))
    lines = [line for line in render(make_report(kernel), form).splitlines() if "read" in line]
    (row,) = [line for line in lines if "x16" in line]
    assert "67 %" in row
