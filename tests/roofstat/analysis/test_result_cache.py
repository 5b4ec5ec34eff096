"""Results of earlier runs: used while everything they rest on is unchanged, and never otherwise."""

import dataclasses
import enum
import hashlib
import io
import os
import pickle
import stat
import time
from pathlib import Path

import pytest

from roofstat.analysis import AnalysisOptions, analyze_paths
from roofstat.analysis.inputs import digest_of
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.result_cache import ResultCache
from roofstat.hardware import load_gpu
from roofstat.report import to_json

SOURCE = """
#include "sizes.h"
#include <cstdio>
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = FACTOR * x[i];
}
int main() {
  int n = 1024;
  if (FILE *f = fopen("n.txt", "r")) fscanf(f, "%d", &n);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  k<<<(n + 255) / 256, 256>>>(x, n);
}
"""


@pytest.fixture
def options(tmp_path):
    return AnalysisOptions(gpu=load_gpu("a100"), include_dirs=(tmp_path / "include",))


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "src" / "k.cu"
    path.parent.mkdir()
    (tmp_path / "include").mkdir()
    path.write_text(SOURCE)
    (tmp_path / "include" / "sizes.h").write_text("#define FACTOR 2.0f\n")
    settle()
    return path


@pytest.fixture
def cache(tmp_path):
    return ResultCache(tmp_path / "cache")


def settle():
    """Let the clock pass the age at which a file is trusted."""
    time.sleep(0.05)


def kept(cache, source, options):
    """Analyse and keep, and say whether a new run would use it."""
    cache.store([source], options, analyze_program([source], options))
    return known(cache, source, options)


def known(cache, source, options):
    return ResultCache(cache.directory).load([source], options)


def grid(result):
    return result.kernels[0].launch.grid[0]


def test_an_unchanged_program_has_the_same_result(cache, source, options):
    result = analyze_program([source], options)
    cache.store([source], options, result)
    assert known(cache, source, options) == result
    assert stat.S_IMODE(cache.directory.stat().st_mode) == 0o700


def test_every_file_that_a_result_rests_on_counts(cache, source, options, tmp_path):
    edits = {
        source: SOURCE.replace("1024", "2048"),
        tmp_path / "include/sizes.h": "#define FACTOR 3.0f\n",
        # Read in preference to the one in the include directory, and a data file of the program.
        tmp_path / "src/sizes.h": "#define FACTOR 4.0f\n",
        tmp_path / "src/n.txt": "4096\n",
        tmp_path / "n.txt": "8192\n",
        # Stands for a bundled header.
        tmp_path / "include/cstdio": "",
    }
    for path, text in edits.items():
        assert kept(cache, source, options) is not None, path
        before = path.read_text() if path.exists() else None
        path.write_text(text)
        assert known(cache, source, options) is None, path
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
        assert known(cache, source, options) is not None, path
        settle()


def test_a_data_file_decides_the_launch(cache, source, options, tmp_path):
    assert grid(kept(cache, source, options)) != 16
    (tmp_path / "src/n.txt").write_text("4096\n")
    settle()
    assert grid(kept(cache, source, options)) == 16


def test_options_that_change_the_result_have_entries_of_their_own(cache, source, options):
    assert kept(cache, source, options) is not None
    for change in (
        {"gpu": load_gpu("h100")},
        {"defines": ("A=1",)},
        {"program_args": ("7",)},
        {"values": {"n": 5}},
        {"kernel_pattern": "other"},
    ):
        assert known(cache, source, dataclasses.replace(options, **change)) is None, change
    for change in ({"jobs": 4}, {"timeout_s": 3.0}, {"min_confidence": 0.5}):
        assert known(cache, source, dataclasses.replace(options, **change)) is not None, change
    assert ResultCache(cache.directory, salt="CPATH=/opt").load([source], options) is None


def test_a_file_that_changed_during_the_analysis_is_not_trusted(cache, source, options):
    source.write_text(SOURCE)
    assert kept(cache, source, options) is None


@pytest.mark.parametrize(
    "include",
    ["#include NAME", "#/**/include <a.h>", "#include \\\n <a.h>", "#if __has_include(X)\n#endif"],
)
def test_an_include_without_a_plain_name_is_never_kept(cache, source, options, include):
    source.write_text(f'#define NAME "sizes.h"\n#define X "sizes.h"\n{include}\n{SOURCE}')
    settle()
    assert kept(cache, source, options) is None


def test_damaged_and_foreign_entries_are_ignored(cache, source, options):
    assert kept(cache, source, options) is not None
    [(entry, _)] = cache.entries()
    whole = entry.read_bytes()

    class Harmful:
        def __reduce__(self):
            return os.system, ("touch harmed",)

    bomb = pickle.dumps(Harmful())
    for content in (
        b"",
        b"short",
        whole[:-1],
        whole[:100] + b"\0" + whole[101:],
        hashlib.sha256(bomb).digest() + bomb,
    ):
        entry.write_bytes(content)
        assert known(cache, source, options) is None
    assert not Path("harmed").exists()
    assert kept(cache, source, options) is not None


class ByName(pickle.Pickler):
    """Writes members of enumerations as Python 3.11.0 to 3.11.3 do."""

    def reducer_override(self, value):
        if isinstance(value, enum.Enum):
            return getattr, (type(value), value.name)
        return NotImplemented


def rewritten(value):
    """An entry with a value as those versions write it."""
    stream = io.BytesIO()
    ByName(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return hashlib.sha256(stream.getvalue()).digest() + stream.getvalue()


def test_members_of_enumerations_by_name(cache, source, options):
    result = kept(cache, source, options)
    [(entry, _)] = cache.entries()
    entry.write_bytes(rewritten(result))
    assert known(cache, source, options) == result

    class Attribute:
        def __reduce__(self):
            return getattr, (type(result), "__init__")

    entry.write_bytes(rewritten((result, Attribute())))
    assert known(cache, source, options) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written(source, options, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert kept(ResultCache(tmp_path / "closed" / "cache"), source, options) is None


def test_a_file_in_place_of_the_directory(source, options, tmp_path):
    (tmp_path / "file").write_text("")
    assert kept(ResultCache(tmp_path / "file" / "cache"), source, options) is None


def test_the_oldest_go_first(tmp_path):
    cache = ResultCache(tmp_path, limit_bytes=250)
    for age, name in enumerate(["a.result", "b.pch", "c.result", "other.txt"]):
        (tmp_path / name).write_bytes(b"x" * 100)
        os.utime(tmp_path / name, ns=(10**18 - age, 10**18 - age))
    cache.trim(250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.result", "b.pch", "other.txt"]


def test_a_second_run_does_not_analyse(source, options, cache):
    options = dataclasses.replace(options, timeout_s=60)
    first = analyze_paths([source], options, cache=cache)

    def never(_files, _options):
        raise AssertionError

    again = analyze_paths([source], options, cache=ResultCache(cache.directory), analyzer=never)
    assert to_json(again) == to_json(first)
    assert not first.errors


def test_digests_tell_missing_from_empty(tmp_path):
    (tmp_path / "empty").write_text("")
    assert digest_of(str(tmp_path / "empty"))
    assert digest_of(str(tmp_path / "missing")) is None
