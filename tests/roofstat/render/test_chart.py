"""The roofline chart: right size, roofs in order, marks on their places."""

import pytest
from hypothesis import given, strategies as st

from roofstat.render.chart import Mark, Roof, roofline_chart

ROOFS = [Roof(name="FP32", peak_op_per_s=1e13), Roof(name="INT", peak_op_per_s=1e12)]


def chart(marks, width=60, height=12):
    return roofline_chart(1e12, ROOFS, marks, width=width, height=height)


def test_size_and_labels():
    lines = chart([Mark(glyph="●", intensity=1.0, op_per_s=1e12)])
    assert len(lines) == 12
    assert max(len(line) for line in lines) <= 60
    assert [line for line in lines if line.endswith(" FP32")]
    assert any("10T┤" in line for line in lines)
    assert "10" in lines[-1].split()


def test_higher_roofs_and_faster_marks_are_drawn_higher():
    lines = chart(
        [
            Mark(glyph="A", intensity=10.0, op_per_s=1e13),
            Mark(glyph="B", intensity=0.1, op_per_s=1e10),
        ]
    )
    row = {glyph: next(i for i, line in enumerate(lines) if glyph in line) for glyph in "AB"}
    column = {glyph: lines[row[glyph]].index(glyph) for glyph in "AB"}
    assert row["A"] < row["B"]
    assert column["A"] > column["B"]
    names = [line.split()[-1] for line in lines if line.split()[-1] in {"FP32", "INT"}]
    assert names == ["FP32", "INT"]


@pytest.mark.property
@given(
    intensity=st.floats(1e-6, 1e6),
    op_per_s=st.floats(1e-3, 1e15),
    width=st.integers(24, 120),
    height=st.integers(5, 30),
)
def test_any_mark_is_shown_inside_the_chart(intensity, op_per_s, width, height):
    lines = chart([Mark(glyph="●", intensity=intensity, op_per_s=op_per_s)], width, height)
    assert sum(line.count("●") for line in lines) == 1
    assert len(lines) == height
    assert max(len(line) for line in lines) <= width
