"""GPU files: peaks, sources, names, and messages for files that are wrong."""

import re

import pytest

from roofstat.errors import HardwareError
from roofstat.hardware import FigureStatus, available_gpus, gpu_aliases, load_gpu
from roofstat.hardware.catalogue import figure_sources
from roofstat.hardware.figures import FIGURES
from roofstat.hardware.gpu import TensorType


def ridges(name):
    gpu = load_gpu(name)
    return [
        peak / gpu.dram_bytes_per_s
        for peak in (gpu.fp32_flop_per_s, gpu.fp64_flop_per_s, gpu.int_op_per_s)
    ]


def test_h100_reproduces_the_ridges_of_its_label_table():
    assert ridges("h100-sxm") == pytest.approx([19.973, 9.9851, 4.994], rel=0.01)


def test_paper_card_has_the_paper_s_peaks():
    # 68 SM at 1.44 GHz, 128 / 2 / 64 lanes, all doubled, the integer ones too
    gpu = load_gpu("rtx3080-paper")
    assert gpu.fp32_flop_per_s == pytest.approx(68 * 1.44e9 * 128 * 2) == 25067.52e9
    assert gpu.fp64_flop_per_s == pytest.approx(391.68e9)
    assert gpu.int_op_per_s == pytest.approx(12533.76e9)
    assert gpu.dram_bytes_per_s == 760.3e9


def test_integer_ridge_counts_lanes_once():
    gpu = load_gpu("a100")
    assert gpu.int_op_per_s == pytest.approx(108 * 64 * 1.41e9)
    assert gpu.fp32_flop_per_s == pytest.approx(108 * 64 * 1.41e9 * 2)


@pytest.mark.parametrize("name", available_gpus())
def test_every_figure_has_a_known_source(name):
    known = figure_sources()
    for key, figure in load_gpu(name).figures.items():
        assert key in FIGURES
        assert figure.source.split(), key
        assert all(source in known for source in figure.source.split()), key
        assert figure.status is not FigureStatus.USER


def test_every_source_is_cited():
    cited = {
        source
        for name in available_gpus()
        for figure in load_gpu(name).figures.values()
        for source in figure.source.split()
    }
    # S1 to S29 are carried over as a body; the others must each serve.
    unused = {key for key in figure_sources() if key not in cited}
    assert all(re.fullmatch(r"S\d+", key) for key in unused), unused


@pytest.mark.parametrize("name", available_gpus())
def test_every_card_obeys_what_physics_and_its_own_figures_demand(name):
    gpu = load_gpu(name)
    assert gpu.dram_bytes_per_s < gpu.l2_bytes_per_s < gpu.shared_bytes_per_s * 2
    assert gpu.fp64_flop_per_s <= gpu.fp32_flop_per_s <= 2 * gpu.fp16_flop_per_s
    assert gpu.max_threads_per_sm % gpu.warp_size == 0
    assert gpu.shared_bytes_per_block <= gpu.shared_bytes_per_sm <= 256 * 1024
    assert gpu.base_clock_hz is None or gpu.base_clock_hz <= gpu.boost_clock_hz
    assert gpu.dram_latency_s > gpu.l2_latency_s
    if TensorType.FP16 in gpu.tensor_flop_per_s:
        assert gpu.tensor_flop_per_s[TensorType.FP16] >= gpu.fp16_flop_per_s * 0.5


@pytest.mark.parametrize("alias", sorted(gpu_aliases()))
def test_aliases_lead_to_cards(alias):
    assert load_gpu(alias).id == gpu_aliases()[alias]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("A100", "a100-sxm-80"), ("RTX 3080", "rtx3080"), ("h100_sxm", "h100-sxm")],
)
def test_spelling_of_names_is_forgiving(written, meant):
    assert load_gpu(written).id == meant


@pytest.mark.parametrize(
    ("wrong", "near"), [("h1000", "h100"), ("rtx3800", "rtx3080"), ("mi300", "mi300x")]
)
def test_wrong_names_are_answered_with_the_nearest(wrong, near):
    with pytest.raises(HardwareError, match=near):
        load_gpu(wrong)


def test_nothing_like_a_name_is_pointed_to_the_list():
    with pytest.raises(HardwareError, match="roofstat gpus"):
        load_gpu("%%%")


def test_families_are_not_cards():
    with pytest.raises(HardwareError):
        load_gpu("ga100")


def test_unchecked_chips_are_marked():
    assert load_gpu("h100").validated
    assert load_gpu("rtx3080-paper").validated
    for name in ("mi300x", "max1550", "rtx4090", "v100"):
        assert not load_gpu(name).validated


def test_user_file_changes_what_it_states_and_inherits_the_rest(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "Half an A100"\ninherit = "a100"\n[figures]\nsm_count = 54\n'
        'dram_gb_per_s = { value = 1000, source = "measured here", status = "measured" }\n'
    )
    gpu, whole = load_gpu(file), load_gpu("a100")
    assert (gpu.id, gpu.name, gpu.sm_count) == ("mine", "Half an A100", 54)
    assert gpu.fp32_flop_per_s == pytest.approx(whole.fp32_flop_per_s / 2)
    assert gpu.dram_bytes_per_s == 1000e9
    assert gpu.l2_bytes == whole.l2_bytes
    assert gpu.figures["sm_count"].source == str(file)
    assert gpu.figures["dram_gb_per_s"].status is FigureStatus.MEASURED
    assert not gpu.validated


@pytest.mark.parametrize(
    ("text", "key", "remedy"),
    [
        ("[figures\n", "TOML", "mend"),
        ("sm_count = 3\n", "sm_count", r"under \[figures\]"),
        ('inherit = "a10o"\n', "inherit", "a10"),
        ('inherit = "a100"\n[figures]\nsm_cuont = 3\n', "sm_cuont", "sm_count"),
        ('inherit = "a100"\n[figures]\nsm_count = "many"\n', "sm_count", "SM"),
        ('inherit = "a100"\n[figures]\nsm_count = 0\n', "sm_count", "above 0"),
        ('inherit = "a100"\n[figures]\nsm_count = 1.5\n', "sm_count", "whole"),
        ('inherit = "a100"\n[figures]\nsm_count = nan\n', "sm_count", "SM"),
        ('inherit = "a100"\nfigures = 3\n', "figures", r"\[figures\]"),
        ('inherit = "a100"\nschema = "x"\n', "schema", "roofstat-gpu/1"),
        ("inherit = 3\n", "inherit", "inherit ="),
        ("[figures]\nsm_count = 3\n", "boost_mhz", "inherit"),
        ('inherit = "a100"\nvendor = "ACME"\n', "vendor", "NVIDIA"),
        (
            'inherit = "a100"\n[figures]\nsm_count = {value = 3, status = "sure"}\n',
            "sm_count",
            "confirmed",
        ),
    ],
)
def test_malformed_files_name_file_key_and_remedy_in_one_line(tmp_path, text, key, remedy):
    file = tmp_path / "card.toml"
    file.write_text(text)
    with pytest.raises(HardwareError) as caught:
        load_gpu(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert key in message
    assert re.search(remedy, message)
    assert "\n" not in message


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_unreadable_files_are_named(tmp_path, content):
    file = tmp_path / "card.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(HardwareError, match=re.escape(str(file))):
        load_gpu(file)


@pytest.mark.parametrize("clock", ["base", "1440", 1440, "1440 MHz"])
def test_clock_scales_core_rates_and_not_dram(clock):
    boost, slow = load_gpu("rtx3080"), load_gpu("rtx3080").with_clock(clock)
    factor = 1440 / 1710
    assert slow.clock_hz == 1440e6
    for name in ("fp32_flop_per_s", "int_op_per_s", "l2_bytes_per_s", "shared_bytes_per_s"):
        assert getattr(slow, name) == pytest.approx(getattr(boost, name) * factor)
    assert slow.tensor_flop_per_s[TensorType.FP16] == pytest.approx(
        boost.tensor_flop_per_s[TensorType.FP16] * factor
    )
    assert slow.l2_latency_s == pytest.approx(boost.l2_latency_s / factor)
    assert slow.dram_bytes_per_s == boost.dram_bytes_per_s
    assert slow.with_clock("boost").fp32_flop_per_s == pytest.approx(boost.fp32_flop_per_s)


@pytest.mark.parametrize("clock", ["fast", "-3", "0", "nan", "inf", "1e9", "3500"])
def test_senseless_clocks_are_refused(clock):
    with pytest.raises(HardwareError, match="base, boost or a number"):
        load_gpu("a100").with_clock(clock)


def test_unknown_base_clock_is_said():
    with pytest.raises(HardwareError, match="no base clock is known"):
        load_gpu("orin-agx-64").with_clock("base")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("NVIDIA A100-SXM4-80GB", "a100-sxm-80"),
        ("NVIDIA GeForce RTX 3080", load_gpu("rtx3080").id),
        ("Tesla T4", load_gpu("t4").id),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
        ("Tesla V100-PCIE-32GB", "v100-pcie"),
        ("NVIDIA GH200 480GB", "gh200-96"),
    ],
)
def test_names_as_a_driver_tells_them(name, identifier):
    assert load_gpu(name).id == identifier


def test_a_longer_name_of_a_known_model_is_answered_with_its_forms():
    with pytest.raises(HardwareError, match=r"did you mean .*h100"):
        load_gpu("NVIDIA H100 64GB HBM2")


def test_a_display_needs_its_frame_and_its_rate(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('inherit = "rtx3080"\n[figures]\ndisplay_frame_mb = 8.3\n')
    with pytest.raises(HardwareError, match="need each other"):
        load_gpu(str(path))
    path.write_text('inherit = "rtx3080"\n[figures]\ndisplay_frame_mb = 8.3\ndisplay_hz = 144\n')
    gpu = load_gpu(str(path))
    assert (gpu.display_frame_bytes, gpu.display_frames_per_s) == pytest.approx((8.3e6, 144))
