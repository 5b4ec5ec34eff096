"""The page: what it shows is the Markdown form's, its charts are true, and it runs nothing."""

import re
from html.parser import HTMLParser

import pytest

from roofstat.render import Detail, RenderOptions, render
from roofstat.render.roofline_spots import RooflineSpot
from roofstat.render.svg_chart import svg_roofline
from roofstat.report import NumberType

WITHOUT_END = {"meta", "path", "circle", "br"}


class Page(HTMLParser):
    """Checks that elements close in order; collects them and the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.text = [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in WITHOUT_END:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(report, detail=Detail.FULL):
    return Page(render(report, "html", RenderOptions(detail=detail)))


def test_the_page_says_what_markdown_says(make_report, make_kernel):
    page = page_of(make_report(make_kernel()))
    for needed in (
        "A100 SXM4 80GB",
        "saxpy(int, float, const float *, float *)",
        "bandwidth-bound, 99 % sure; INT at 0.052× its ridge; time bound by DRAM bandwidth",
        "134 MB read, 67.1 MB written",
        "a launch is lost",
        "SIGSEGV",
    ):
        assert needed in page.text, needed
    assert [attributes.get("style") for attributes in page.named("th")][:3] == [
        None, None, "text-align:right",
    ]  # fmt: skip


def test_there_is_a_chart_with_a_spot_for_each_type_unless_only_the_table_is_wanted(
    make_report, make_kernel
):
    report = make_report(make_kernel(), make_kernel())
    page = page_of(report)
    assert len(page.named("svg")) == 2
    assert len(page.named("circle")) == 4  # FP32 and INT of two kernels
    assert page_of(report, Detail.SUMMARY).named("svg") == []


def test_hostile_names_stay_text_and_nothing_is_loaded_or_run(make_report, make_kernel):
    hostile = '<script src="x">k</script>"\'&'
    page = page_of(make_report(make_kernel(signature=hostile, name=hostile, file=hostile)))
    assert hostile in page.text
    assert not {"script", "link", "img", "iframe", "a"} & {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name[:2] == "on"]


@pytest.mark.parametrize("ridge", [4.78, 100.0])
def test_a_spot_at_the_ridge_lies_on_the_corner_of_its_roof(ridge):
    corner = RooflineSpot(
        kind=NumberType.FP32, peak_op_per_s=ridge * 1e12, intensity=ridge, op_per_s=ridge * 1e12
    )
    lower = RooflineSpot(
        kind=NumberType.INT, peak_op_per_s=ridge * 5e11, intensity=0.1, op_per_s=1e10
    )
    page = Page(svg_roofline(1e12, [corner, lower]))
    spot = page.named("circle")[0]
    roof = next(each["d"] for each in page.named("path") if each.get("class") == "roof")
    _, at_ridge, end = re.findall(r"([\d.]+) ([\d.]+)", roof)
    assert at_ridge == (spot["cx"], spot["cy"])
    assert end[1] == spot["cy"]
    # A tenth of an operation for each byte allows 100 Gop/s: the other spot lies a decade below its roof.
    assert float(page.named("circle")[1]["cy"]) > float(spot["cy"])
