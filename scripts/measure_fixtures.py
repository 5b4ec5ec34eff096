"""Measure the CUDA fixtures on this machine's card and print a label table.

Builds every program that `fixtures/labels/second_sizes.toml` (or another file of that form) names and profiles it with
`roofstat profile` at each of the sizes given there::

    python scripts/measure_fixtures.py > fixtures/labels/CARD_second_sizes.csv
    python scripts/measure_fixtures.py --folder fixtures/held_out > fixtures/held_out/CARD.csv

It needs nvcc and ncu on the path and the right to read the GPU's counters. What fails is said on the error stream; the
other programs are not affected.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_FLAGS = {"lambda_transform": ("--extended-lambda",)}


@dataclass(frozen=True, slots=True)
class Program:
    """A fixture with its files relative to the repository's root."""

    name: str
    sources: tuple[str, ...]

    @classmethod
    def find(cls, name: str, programs: Path) -> Program:
        """The program of that name in a folder: a file, a folder, or a host program of a library fixture."""
        folder = programs / name
        if folder.is_dir():
            files = sorted(folder.glob("*.cu"))
        elif name.startswith("hosts/"):
            files = [ROOT / "fixtures" / "labels" / f"{name}.cu"]
        else:
            files = [folder.with_suffix(".cu")]
        sources = tuple(file.relative_to(ROOT).as_posix() for file in files)
        return cls(name.rpartition("/")[2], sources)

    @property
    def flags(self) -> tuple[str, ...]:
        """What the compiler must be told beyond the card."""
        return ("-std=c++17", *_FLAGS.get(self.name, ()))

    def build(self, folder: Path, arch: str) -> Path:
        """Compile it; raises CalledProcessError."""
        target = folder / self.name
        command = ["nvcc", "-O3", f"-arch={arch}", *self.flags, "-o", str(target), *self.sources]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return target


def profile(program: Program, built: Path, args: str, compiler: str) -> str | None:
    """The table of one run; None where it failed, which is said."""
    command = [sys.executable, "-m", "roofstat", "profile", "--suite", "fixtures"]
    command += [word for source in program.sources for word in ("--source", source)]
    command += [f"--flags={shlex.join(program.flags)}", "--compiler", compiler]
    done = subprocess.run(
        [*command, "--", str(built), *shlex.split(args)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(f"{program.name} {args}: {done.stderr.strip()}", file=sys.stderr)
        return None
    print(f"{program.name} {args}: {len(done.stdout.splitlines()) - 1} rows", file=sys.stderr)
    return done.stdout


def nvcc_version() -> str:
    """`nvcc-13.0`."""
    done = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True)
    found = re.search(r"release (\d+\.\d+)", done.stdout)
    return f"nvcc-{found[1]}" if found else "nvcc"


def main() -> int:
    """Build in parallel, profile one after the other, print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--folder", type=Path, help="programs, with their sizes.toml; the CUDA fixtures by default"
    )
    parser.add_argument("--sizes", type=Path, help="file of sizes")
    parser.add_argument("--program", metavar="REGEX", default="", help="only these")
    parser.add_argument("--arch", default="native", help="architecture for nvcc")
    options = parser.parse_args()
    folder, listing = ROOT / "fixtures" / "cuda", ROOT / "fixtures" / "labels" / "second_sizes.toml"
    if options.folder:
        folder, listing = options.folder.resolve(), options.folder / "sizes.toml"
    listed: dict[str, list[str]] = tomllib.loads((options.sizes or listing).read_text("utf-8"))
    sizes = {name: args for name, args in listed.items() if re.search(options.program, name)}
    compiler, failed, header = nvcc_version(), 0, False
    with tempfile.TemporaryDirectory() as built_in, ThreadPoolExecutor() as pool:
        programs = {name: Program.find(name, folder) for name in sizes}
        building = {
            name: pool.submit(program.build, Path(built_in), options.arch)
            for name, program in programs.items()
        }
        for name, all_args in sizes.items():
            try:
                built = building[name].result()
            except subprocess.CalledProcessError as error:
                print(f"{name}: {error.stderr.strip()}", file=sys.stderr)
                failed += len(all_args)
                continue
            for args in all_args:
                table = profile(programs[name], built, args, compiler)
                if table is None:
                    failed += 1
                    continue
                head, _, rows = table.partition("\n")
                sys.stdout.write(rows if header else f"{head}\n{rows}")
                header = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
