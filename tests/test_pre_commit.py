"""The hooks of .pre-commit-hooks.yaml in real commits, through pre-commit itself."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from roofstat.rules import rule_for

ROOT = Path(__file__).parents[1]
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
CLEAN = rule_for("RS101").good.source
UNCOALESCED = rule_for("RS101").bad.source
HEADER = "template <int N> __device__ float scaled(float x) { return N * x; }\n"
RELAX = '#include "scaled.cuh"\n' + rule_for("RS201").good.source.replace(
    "value * 0.9f + 0.1f", "scaled<3>(value)"
)
POWER = rule_for("RS901").bad


def git(directory, *arguments, check=True, **more):
    command = ["git", "-C", str(directory), *IDENTITY, *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True, **more)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory):
    """A repository with the package as it is here, as pre-commit clones it; its last commit."""
    directory = tmp_path_factory.mktemp("hooks")
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").stdout
    for name in listed.split("\0"):
        if name.startswith(("roofstat/", "clang_queries/")) or name in {
            "pyproject.toml", "README.md", ".pre-commit-hooks.yaml",
        }:  # fmt: skip
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, directory / name)
    git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "package")
    return directory, git(directory, "rev-parse", "HEAD").stdout.strip()


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """What pre-commit needs to build its environment without a network: the dependencies are those of this Python."""
    pytest.importorskip("pre_commit")
    pytest.importorskip("setuptools")
    home = tmp_path_factory.mktemp("home")
    paths = [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*paths, sysconfig.get_path("purelib")]),
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads the value of a negative option
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "ROOFSTAT_CACHE_DIR": str(home / "cache"),
    }


@pytest.fixture(scope="module")
def work(hooks, environment, tmp_path_factory):
    """A repository with both hooks installed."""
    directory = tmp_path_factory.mktemp("work")
    repository, revision = hooks
    (directory / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {repository}\n  rev: {revision}\n  hooks:\n  - id: roofstat\n  - id: roofstat-verdict\n"
    )
    git(directory, "init", "-q")
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install", "--install-hooks"],
        cwd=directory, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


@pytest.fixture
def commit(work, environment):
    """Files to the outcome of a commit of them; what a failed commit leaves is dropped."""

    def run(**files):
        for name, text in files.items():
            (work / name.replace("_", ".")).write_text(text)
        git(work, "add", "-A")
        done = git(work, "commit", "-m", "change", check=False, env=environment)
        if done.returncode and git(work, "rev-parse", "-q", "--verify", "HEAD", check=False).stdout:
            git(work, "reset", "-q", "--hard")
        return done.returncode, done.stdout + done.stderr

    return run


def test_commits_pass_or_fail_by_what_they_change(commit):
    good_omp, bad_omp = (getattr(rule_for("RS401"), each).source for each in ("good", "bad"))
    status, shown = commit(
        sums_cu=f'#include "scaled.cuh"\n{CLEAN}',
        scaled_cuh=HEADER,
        relax_cu=RELAX,
        region_cpp=good_omp,
        power_cu=POWER.before,
        notes_txt="no source\n",
    )
    assert status == 0, shown
    assert shown.count("Passed") == 2

    status, shown = commit(sums_cu=UNCOALESCED)
    assert (status, "sums.cu:5:" in shown, "[RS101]" in shown) == (1, True, True), shown

    status, shown = commit(**{"with blanks_cu": UNCOALESCED})
    assert (status, "with blanks.cu:5:" in shown) == (1, True), shown

    status, shown = commit(region_cpp=bad_omp)
    assert (status, "region.cpp:4:" in shown, "[RS401]" in shown) == (1, True, True), shown

    status, shown = commit(scaled_cuh=HEADER.replace("N * x", "N * x * 0.1 + 0.3"))
    assert (status, "scaled.cuh:1:" in shown, "[RS201]" in shown) == (1, True, True), shown

    status, shown = commit(power_cu=POWER.source)
    assert (status, "[RS901]" in shown) == (1, True), shown

    status, shown = commit(sums_cu=f"{CLEAN}// harmless\n")
    assert status == 0, shown
