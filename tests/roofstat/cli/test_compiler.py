"""`roofstat cc`: a compiler launcher that adds findings and changes nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofstat.analysis.compile_commands import expanded
from roofstat.cli.main import main
from roofstat.errors import UsageError
from roofstat.report import Compiler
from roofstat.rules import rule_for

ROOT = Path(__file__).parents[3]
UNCOALESCED = rule_for("RS101").bad.source
NEEDS_MACRO = UNCOALESCED.replace("m[row * columns + j]", "m[ROW * columns + j]")


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """A stand-in that notes its arguments and ends with the status that its first one says."""
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(NEEDS_MACRO)
    script = tmp_path / "compiler"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\nexit "${1#-status=}"\n')
    script.chmod(0o755)
    return str(script)


def call(capsys, *arguments):
    status = main(["cc", "--no-cache", "--", *arguments])
    return status, capsys.readouterr()


def test_findings_go_to_the_error_stream_under_the_compilers_flags(compiler, capsys):
    status, said = call(
        capsys, compiler, "-status=0", "-DROW=row", "-c", "k.cu", "-o", "-", "-Werror"
    )
    assert (status, said.out) == (0, "")
    assert said.err.startswith("k.cu:5:")
    assert "[RS101]" in said.err
    assert Path("asked").read_text().split() == [
        "-status=0", "-DROW=row", "-c", "k.cu", "-o", "-", "-Werror",
    ]  # fmt: skip


def test_the_compilers_status_is_passed_on_and_its_errors_come_first(compiler, capsys):
    status, said = call(capsys, compiler, "-status=3", "-DROW=row", "-c", "k.cu")
    assert (status, said.err) == (3, "")


def test_links_are_not_analysed(compiler, capsys):
    Path("k.o").write_bytes(b"\0")
    assert call(capsys, compiler, "-status=0", "k.o", "-o", "k")[1].err == ""


def test_a_compiler_that_is_not_there_is_said(compiler, capsys):
    status, said = call(capsys, "./nothing", "-c", "k.cu")
    assert (status, "cannot run ./nothing" in said.err) == (127, True)
    assert main(["cc"]) == 2


def test_what_cannot_be_executed_is_told_apart_from_what_is_not_there(compiler, capsys):
    Path("text").write_text("")
    assert call(capsys, "./text")[0] == 126


@pytest.mark.parametrize("flag", ["-E", "-M", "--generate-nonsystem-dependencies", "--dryrun"])
def test_what_compiles_nothing_is_not_analysed(compiler, capsys, flag):
    arguments = (compiler, "-status=0", "-DROW=row", flag, "k.cu")
    assert call(capsys, *arguments)[1].err == ""


def test_the_code_of_the_compiler_at_hand_is_assumed(compiler, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "roofstat.analysis.analyze_paths",
        lambda _paths, options, **_: asked.append(options.compiler) or 1 / 0,
    )
    for name in ("nvcc", "clang++", "hipcc"):
        Path(name).symlink_to(compiler)
        status, said = call(capsys, f"./{name}", "-status=0", "-c", "k.cu")
        # An analysis that breaks does not break the build.
        assert (status, "no findings: ZeroDivisionError" in said.err) == (0, True)
    assert asked == [None, Compiler.CLANG, Compiler.CLANG]


def test_response_files_are_read(compiler, capsys):
    Path("flags.rsp").write_text('-DROW=row "-DTEXT=a b"\n# a note\n@more.rsp\n')
    Path("more.rsp").write_text("-I include\n")
    assert list(expanded(["--options-file", "flags.rsp", "-c", "k.cu"])) == [
        "-DROW=row", "-DTEXT=a b", "-I", "include", "-c", "k.cu",
    ]  # fmt: skip
    assert list(expanded(["-DX=@y", "-optf=more.rsp", "@absent"])) == ["-DX=@y", "-I", "include"]
    assert "[RS101]" in call(capsys, compiler, "-status=0", "@flags.rsp", "-c", "k.cu")[1].err


def test_response_files_that_include_themselves_end(compiler):
    Path("loop.rsp").write_text("@loop.rsp")
    with pytest.raises(UsageError, match="without end"):
        list(expanded(["@loop.rsp"]))


@pytest.mark.skipif(
    not all(map(shutil.which, ("cmake", "ninja", "nvcc"))), reason="needs cmake, ninja and nvcc"
)
def test_a_cmake_build_with_nvcc_shows_the_findings(tmp_path):
    (tmp_path / "k.cu").write_text(NEEDS_MACRO)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CUDA)\n"
        "add_library(k OBJECT k.cu)\ntarget_compile_definitions(k PRIVATE ROW=row)\n"
        "target_compile_options(k PRIVATE --use_fast_math)\n"
    )
    launcher = f"{sys.executable};-m;roofstat;cc;--no-cache;--"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    configure = [
        "cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", "-DCMAKE_CUDA_ARCHITECTURES=80",
        f"-DCMAKE_CUDA_COMPILER_LAUNCHER={launcher}",
    ]  # fmt: skip
    done = subprocess.run(configure, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        ["cmake", "--build", tmp_path / "build"],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "k.cu:5:" in done.stdout
    assert "[RS101]" in done.stdout
