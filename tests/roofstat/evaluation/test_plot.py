from __future__ import annotations

import json
import re

from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.plot import plot_page
from roofstat.roofline import Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


def page(*outcomes):
    return plot_page(
        Evaluation(tables=("invented",), launch=LaunchMode.LABELS, outcomes=outcomes, seconds=0.1)
    )


def data_of(text):
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match
    return json.loads(match.group(1))


def test_the_page_holds_every_row_and_its_cards_roofs(make_outcome):
    data = data_of(page(make_outcome(C, C), make_outcome(B, None, gpu="quantum-1")))
    assert [row["verdict"] for row in data["rows"]] == ["compute", None]
    assert set(data["cards"]) == {"h100-sxm"}
    card = data["cards"]["h100-sxm"]
    # H100 SXM: 132 SM, 128 FP32 lanes, two FLOP each, 1.98 GHz; 3.35 TB/s
    assert abs(card["peaks"]["fp32"] / (132 * 128 * 2 * 1.98e9) - 1) < 1e-4
    assert card["bandwidth"] == 3.35e12


def test_the_page_asks_nothing_of_the_network(make_outcome):
    text = page(make_outcome(C, C))
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)\s*=", text)
    assert "fetch(" not in text


def test_names_cannot_end_the_data(make_outcome):
    name = "k</script><script>alert(1)</script>(int)"
    text = page(make_outcome(C, C, kernel=name))
    assert "alert(1)</script>" not in text
    assert data_of(text)["rows"][0]["name"] == name
