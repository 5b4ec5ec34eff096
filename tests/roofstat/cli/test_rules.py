"""`roofstat rules`."""

from roofstat.cli.main import main
from roofstat.rules import RULES


def test_all_rules_are_listed(capsys):
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in RULES]


def test_one_rule_is_described_by_code_or_name(capsys):
    assert main(["rules", "RS104"]) == 0
    by_code = capsys.readouterr().out
    assert main(["rules", "bank-conflicts"]) == 0
    assert capsys.readouterr().out == by_code
    assert "32 banks" in by_code


def test_an_unknown_rule_is_a_usage_error(capsys):
    assert main(["rules", "RS999"]) == 2
    assert "no rule is called" in capsys.readouterr().err
