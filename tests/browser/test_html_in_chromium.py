"""The HTML file of a census in Chromium, wide and narrow, light and dark, and as it is printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.chromium import Tab, chromium
from harness.page_lake import SCRIPT, page_lake
from kafka_census.reading.html.page import as_html
from kafka_census.reading.html.read import read_page

WIDE, NARROW, PAPER = 1280, 390, 794
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
WIDTHS = "[innerWidth, document.documentElement.scrollWidth]"
"""Of the window, which a phone widens where the page is wider, and of the page."""
CUT_OFF = """
[...document.querySelectorAll('main *, header *')]
    .filter(each => !each.parentElement.closest('.scroll, pre, svg') && each.getBoundingClientRect().right > %d)
    .map(each => each.outerHTML.slice(0, 80))
"""
SCRIPTS = "document.querySelectorAll('script, img, iframe, object, embed, [onerror], [onload]').length"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    made = folder / "census.html"
    made.write_text(as_html(read_page(str(page_lake(folder / "lake")))), encoding="utf-8")
    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_census_is_whole_and_quiet(tab: Tab, file: Path, width: int, dark: bool) -> None:
    """No line in the console, no request, nothing wider than the window, also with all details open; names are text."""
    tab.open(file, width, dark=dark)
    tab.says(OPEN_ALL)
    assert tab.says(WIDTHS) == [width, width]
    assert tab.says(CUT_OFF % width) == []
    assert tab.says(SCRIPTS) == 0
    assert SCRIPT in tab.says("[...document.querySelectorAll('td')].map(each => each.textContent)")
    assert tab.console == []
    assert tab.requests == [file.as_uri()]


def test_the_style_is_applied_and_follows_the_scheme_of_the_reader(tab: Tab, file: Path) -> None:
    """The policy lets the page's own style; dark is dark, in the charts too, and what is printed is black on white."""
    paper = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.querySelector('svg text')).fill"
    bar = "getComputedStyle(document.querySelector('svg .color-0 rect')).fill"
    found = []
    for dark, media in ((False, "screen"), (True, "screen"), (True, "print")):
        tab.open(file, WIDE, dark=dark, media=media)
        found.append([tab.says(one) for one in (paper, text, bar)])
    light, at_night, printed = found
    assert light == ["rgb(246, 247, 249)", "rgb(92, 103, 120)", "rgb(47, 111, 208)"]
    assert at_night == ["rgb(18, 22, 28)", "rgb(152, 163, 179)", "rgb(110, 168, 255)"]
    assert printed[0] == "rgb(255, 255, 255)"
    assert tab.says("getComputedStyle(document.querySelector('nav')).display") == "none"


def test_what_is_printed_fits_the_paper(tab: Tab, file: Path) -> None:
    """A4 has 794 pixels, and nobody can scroll it."""
    tab.open(file, PAPER, media="print")
    assert tab.says("[...document.querySelectorAll('main table')].length") > 10
    rights = tab.says("[...document.querySelectorAll('main table')].map(each => each.getBoundingClientRect().right)")
    assert max(rights) <= PAPER


def test_charts_are_drawn(tab: Tab, file: Path) -> None:
    tab.open(file, NARROW)
    heights = tab.says(
        "[...document.querySelectorAll('svg .bar rect')].map(each => each.getBoundingClientRect().height)"
    )
    assert max(heights) > 100
    labels = "each => [each, each.closest('figure')].map(one => one.getBoundingClientRect().right)"
    for right, within in tab.says(f"[...document.querySelectorAll('svg text')].map({labels})"):
        assert right <= within
