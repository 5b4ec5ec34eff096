"""The extension for VS Code: its manifest, its package, its client against the server, and all of it in VS Code."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import roofstat
from roofstat.lsp.settings import SECTION, read_settings

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
VSCODE = EXTENSION / "test" / "editor" / "node_modules" / "code-server" / "lib" / "vscode"
OWN = {"path", "reportIn", "trace.server"}
"""Settings that are the extension's own."""

needs_packages = pytest.mark.skipif(
    shutil.which("npm") is None or not (EXTENSION / "node_modules").is_dir(),
    reason="the packages of editors/vscode are not installed (npm ci there)",
)


def npm(*arguments, **environment):
    done = subprocess.run(
        ["npm", "run", "--silent", *arguments],
        cwd=EXTENSION,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def manifest():
    return json.loads((EXTENSION / "package.json").read_text("utf-8"))


def test_the_manifest_offers_the_settings_of_the_server(manifest):
    properties = manifest["contributes"]["configuration"]["properties"]
    offered = {name.removeprefix(f"{SECTION}."): each for name, each in properties.items()}
    page = (ROOT / "docs" / "editors.md").read_text("utf-8")
    rows = re.findall(r"^\| (`roofstat\.[^|]*) \|", page, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`roofstat\.(\w+)`", row)}
    documented -= {"report", "showReport", "gpus"}
    assert offered.keys() - OWN == documented
    # With the defaults of the manifest the server does what it does without an editor's settings.
    assert read_settings(
        {name: each["default"] for name, each in offered.items()}
    ) == read_settings({})


def test_the_extension_has_the_version_and_the_licence_of_the_package(manifest):
    assert manifest["version"] == roofstat.__version__
    assert (EXTENSION / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert f"## {manifest['version']}" in (EXTENSION / "CHANGELOG.md").read_text("utf-8")


@needs_packages
def test_the_client_works_with_the_server(program):
    npm("test", ROOFSTAT=str(program))


@needs_packages
def test_the_package_has_what_the_extension_needs_and_nothing_else():
    npm("package")
    with zipfile.ZipFile(EXTENSION / "dist" / "roofstat.vsix") as package:
        names = set(package.namelist())
        notices = package.read("extension/dist/ThirdPartyNotices.txt").decode()
    assert names == {
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "extension/LICENSE.txt",
        "extension/changelog.md",
        "extension/dist/ThirdPartyNotices.txt",
        "extension/dist/extension.js",
        "extension/icon.png",
        "extension/package.json",
        "extension/readme.md",
    }
    assert "vscode-languageclient" in notices


@needs_packages
def test_the_extension_works_in_vs_code(program):
    if not (VSCODE / "node_modules").is_dir():
        pytest.skip("VS Code is not installed (editors/vscode/test/editor/prepare.sh)")
    if not Path(chromium := os.environ.get("CHROMIUM", "/usr/bin/chromium")).exists():
        pytest.skip(f"there is no {chromium}")
    shown = npm("test:editor", ROOFSTAT=str(program))
    assert shown.count("\nok - ") + shown.startswith("ok - ") >= 11
