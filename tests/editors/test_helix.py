"""The form of the set-up for Helix, which is not run."""

import tomllib

from roofstat.lsp.settings import SECTION, read_settings


def test_the_set_up_starts_the_server_beside_clangd_with_known_settings(set_ups):
    (text,) = set_ups("toml")
    set_up = tomllib.loads(text)
    server = set_up["language-server"]["roofstat"]
    assert [server["command"], *server["args"]] == ["roofstat", "lsp"]
    assert read_settings(server["config"][SECTION]).words == ("--gpu=h100",)
    assert {each["name"]: each["language-servers"] for each in set_up["language"]} == {
        "cpp": ["clangd", "roofstat"],
        "c": ["clangd", "roofstat"],
    }
