"""The settings of folders, without a client."""

import argparse

import pytest

from roofstat.cli.lsp import _Reader
from roofstat.lsp.folders import Folders


@pytest.fixture
def said():
    return []


@pytest.fixture
def folders(tmp_path, said):
    found = Folders(_Reader(vars(argparse.Namespace(no_cache=True))), said.append)
    found.set_roots([tmp_path])
    return found


WRONG = {
    "debounceMs": "x",
    "select": ["RS999"],
    "launches": ["zzz"],
    "inlayHints": "no",
    "timeLimitS": -3,
    "defines": 4,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_costs_no_other(folders, said, tmp_path, name):
    # Before and behind it.
    folders.set_section({"codeLens": False, name: WRONG[name], "gpu": "h100"})
    folder = folders.of(str(tmp_path / "a.cu"))
    assert (folder.options.analysis.gpu.name.split()[0], folder.settings.code_lens) == (
        "H100",
        False,
    )
    (message,) = said
    assert message.startswith(f"roofstat.{name}")


def test_a_setting_that_becomes_wrong_stays_as_it_was(folders, tmp_path):
    for gpu, limit in (("h100", 7), ("h10", 8)):
        folders.set_section({"gpu": gpu, "timeLimitS": limit})
        folder = folders.of(str(tmp_path / "a.cu"))
        assert folder.options.analysis.gpu.name.split()[0] == "H100"
        assert folder.settings.time_limit_s == limit


def test_each_wrong_setting_is_named(folders, said, tmp_path):
    folders.set_section(WRONG)
    assert folders.of(str(tmp_path / "a.cu")).settings.debounce_s == 0.15
    assert [each.split()[0].rstrip(":") for each in said] == [f"roofstat.{each}" for each in WRONG]


def test_a_wrong_file_of_the_folder_leaves_the_settings(folders, said, tmp_path):
    (tmp_path / "roofstat.toml").write_text("gpu = ")
    folders.set_section({"gpu": "h100", "timeLimitS": 7})
    folder = folders.of(str(tmp_path / "a.cu"))
    assert (folder.options.analysis.gpu.name.split()[0], folder.settings.time_limit_s) == (
        "H100",
        7,
    )
    (message,) = said
    assert "roofstat.toml" in message


def test_null_means_that_nothing_is_set(folders, tmp_path):
    def gpu():
        return folders.of(str(tmp_path / "a.cu")).options.analysis.gpu.name.split()[0]

    folders.set_section({"gpu": "h100"})
    assert gpu() == "H100"
    folders.set_section(None)
    assert gpu() == "A100"
    # What was sent unasked holds then.
    folders.set_common_section({"gpu": "l4"})
    folders.set_section({"gpu": "h100"}, tmp_path)
    assert gpu() == "H100"
    folders.set_section(None, tmp_path)
    assert gpu() == "L4"
    folders.set_common_section({"gpu": None})
    assert gpu() == "A100"
