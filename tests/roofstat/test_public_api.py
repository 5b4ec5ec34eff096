"""The public names exist, and importing the command line stays cheap."""

import subprocess
import sys

import pytest

import roofstat


@pytest.mark.parametrize("name", roofstat.__all__)
def test_every_public_name_exists_and_is_documented(name):
    value = getattr(roofstat, name)
    assert name == "__version__" or value.__doc__


def test_all_is_sorted():
    assert list(roofstat.__all__) == sorted(roofstat.__all__)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'anlyze_paths'"):
        _ = roofstat.anlyze_paths


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["gpus", "--help"]])
def test_help_and_version_import_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from roofstat.cli.main import main\n"
        f"status = main({arguments!r})\n"
        "heavy = {'numpy', 'rich', 'clang'} & set(sys.modules)\n"
        "sys.exit(status or (f'imported {heavy}' if heavy else 0))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
