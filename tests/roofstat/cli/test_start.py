"""What a run imports: a short command must not pay for parts that it does not use."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = (
    "__global__ void k(float *x) { x[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(nullptr); }\n"
)
OPTIONAL = {"openai", "pygls", "lsprotocol", "plotly", "matplotlib", "dask", "pandas", "scipy"}
ANALYSIS = {"numpy", "clang", "ctypes"}
PROCESSES = {"multiprocessing"}


def imported(*arguments: str) -> set[str]:
    """Names of the top-level modules that the command's own process has imported at its end."""
    program = (
        "import sys\n"
        "from roofstat.cli.main import main\n"
        "assert main(sys.argv[1:]) == 0\n"
        "print('\\n', *{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-c", program, *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return set(output.splitlines()[-1].split())


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    time.sleep(0.05)  # a file that has just changed is not trusted
    return str(path)


def test_a_first_run_leaves_the_analysis_to_its_worker(source):
    assert not imported(source) & (OPTIONAL | ANALYSIS)


def test_a_repeated_run_starts_no_worker(source, tmp_path):
    output = str(tmp_path / "report.json")
    imported(source, "--format", "json", "-o", output)
    first = Path(output).read_bytes()
    heavy = OPTIONAL | ANALYSIS | PROCESSES | {"rich"}
    assert not imported(source, "--format", "json", "-o", output) & heavy
    assert Path(output).read_bytes() == first


@pytest.mark.parametrize(
    "command",
    [["schema"], ["gpus", "--format", "json"], ["cache"], ["rules", "RS101"], ["--version"]],
)
def test_other_commands_import_no_analysis(command):
    assert not imported(*command) & (OPTIONAL | ANALYSIS | PROCESSES)
