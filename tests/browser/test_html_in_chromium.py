"""The HTML file of a census in Chromium, wide and narrow, light and dark, and as it is printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.chromium import Tab, chromium
from harness.page_lake import SCRIPT, page_lake, write_census
from kafka_census.reading.html.page import as_html
from kafka_census.reading.html.read import read_page

WIDE, NARROW, PAPER = 1280, 390, 794
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
WIDTHS = "[innerWidth, document.documentElement.scrollWidth]"
"""Of the window, which a phone widens where the page is wider, and of the page."""
CUT_OFF = """
[...document.querySelectorAll('main *, header *, nav *')]
    .filter(each => !each.parentElement.closest('%s') && each.getBoundingClientRect().right > innerWidth)
    .map(each => each.outerHTML.slice(0, 80))
"""
SCROLLS = {WIDE: ".scroll, pre, svg", NARROW: "svg"}
"""What may be wider than the window: on a phone nothing."""
OTHERS = "document.querySelectorAll('script ~ script, img, iframe, object, embed, [onerror], [onload]').length"
SEEN = """
[...document.querySelectorAll('figure')].find(each => each.querySelector('h3').textContent === 'Lag by group')
    .querySelectorAll('tbody tr')
"""
NAMES_SEEN = f"[...{SEEN}].filter(each => each.checkVisibility()).map(each => each.cells[0].textContent)"
SEARCH = "(field => {field.value = '%s'; field.dispatchEvent(new Event('input'))})(document.querySelector('nav input'))"


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


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a second census, with more groups than are shown at first."""
    folder = tmp_path_factory.mktemp("many")
    groups = [{"group_id": f"g-{number}", "lag_total": 5_000 * number, "topics": 1} for number in range(45)]
    brokers = [{"broker_id": number, "state": "alive", "leaders": 100 * number} for number in range(1, 5)]
    for number in (1, 2):
        write_census(folder, number, {"group_lag": groups[: 40 + number], "brokers": brokers[: 2 + number]})
    made = folder / "census.html"
    made.write_text(as_html(read_page(str(folder))), encoding="utf-8")
    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_census_is_whole_and_quiet(tab: Tab, file: Path, width: int, dark: bool) -> None:
    """No line in the console, no request, nothing wider than the window, also with all details open; names are text."""
    tab.open(file, width, dark=dark)
    tab.says(OPEN_ALL)
    assert tab.says(WIDTHS) == [width, width]
    assert tab.says(CUT_OFF % SCROLLS[width]) == []
    assert tab.says(OTHERS) == 0
    assert SCRIPT in tab.says("[...document.querySelectorAll('td')].map(each => each.textContent)")
    assert tab.console == []
    assert tab.requests == [file.as_uri()]


def test_the_style_is_applied_and_follows_the_scheme_of_the_reader(tab: Tab, file: Path) -> None:
    """The policy lets the page's own style; dark is dark, in bars and chips too; what is printed is on white."""
    paper = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.querySelector('.chip.critical')).color"
    bar = "getComputedStyle(document.querySelector('.bar rect')).fill"
    found = []
    for dark, media in ((False, "screen"), (True, "screen"), (True, "print")):
        tab.open(file, WIDE, dark=dark, media=media)
        found.append([tab.says(one) for one in (paper, text, bar)])
    light, at_night, printed = found
    assert light == ["rgb(246, 247, 249)", "rgb(179, 38, 30)", "rgb(185, 208, 242)"]
    assert at_night == ["rgb(18, 22, 28)", "rgb(255, 138, 128)", "rgb(47, 79, 125)"]
    assert printed[0] == "rgb(255, 255, 255)"
    assert tab.says("getComputedStyle(document.querySelector('nav')).display") == "none"


def test_what_is_printed_fits_the_paper(tab: Tab, file: Path) -> None:
    """A4 has 794 pixels, and nobody can scroll it."""
    tab.open(file, PAPER, media="print")
    assert tab.says("[...document.querySelectorAll('main table')].length") > 10
    rights = tab.says("[...document.querySelectorAll('main table')].map(each => each.getBoundingClientRect().right)")
    assert max(rights) <= PAPER


def test_bars_and_lines_are_drawn(tab: Tab, many: Path) -> None:
    tab.open(many, WIDE)
    widths = tab.says("[...document.querySelectorAll('#brokers .bar rect')].map(each => each.getBBox().width)")
    assert [round(width / max(widths), 2) for width in widths] == [1, 0.75, 0.5, 0.25]
    assert (
        tab.says("[...document.querySelectorAll('.spark')].map(each => each.getBoundingClientRect().height)")
        == [24] * 6
    )


def test_a_click_on_a_column_sorts_all_rows(tab: Tab, many: Path) -> None:
    """Numbers fall at first, names rise as people count; as many rows as before are shown at first."""
    tab.open(many, WIDE)
    head = f"{SEEN}[0].closest('table').querySelectorAll('th button')[%d].click()"
    assert tab.says(NAMES_SEEN) == [f"g-{number}" for number in range(41, 21, -1)]
    tab.says(head % 0)
    assert tab.says(NAMES_SEEN) == [f"g-{number}" for number in range(20)]
    tab.says(head % 2)
    assert tab.says(NAMES_SEEN)[:2] == ["g-41", "g-40"]
    tab.says(head % 2)
    assert tab.says(NAMES_SEEN)[:2] == ["g-0", "g-1"]
    assert tab.console == []


def test_a_search_finds_rows_that_are_folded_and_hides_the_others(tab: Tab, many: Path) -> None:
    """11 groups, and the problem that names some of them."""
    figures = "[...document.querySelectorAll('figure')].filter(each => each.checkVisibility()).length"
    tab.open(many, WIDE)
    before = tab.says(figures)
    tab.says(SEARCH % "G-1")
    assert tab.says(NAMES_SEEN) == [f"g-{number}" for number in (*range(19, 9, -1), 1)]
    assert (tab.says(figures), tab.says("document.querySelector('output').textContent")) == (1, "12 found")
    tab.says(SEARCH % "")
    assert (len(tab.says(NAMES_SEEN)), tab.says(figures)) == (20, before)


def test_the_page_works_without_its_script(tab: Tab, many: Path) -> None:
    """All rows can be shown, and a link leads to a row that is folded; there is no control that does nothing."""
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(many, WIDE)
        assert tab.says("document.querySelectorAll('input, button').length") == 0
        assert len(tab.says(NAMES_SEEN)) == 20
        tab.says("location.hash = 'group-g-3'")
        assert tab.says(NAMES_SEEN)[20:] == ["g-3"]
        tab.says(OPEN_ALL)
        assert len(tab.says(NAMES_SEEN)) == 42
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)


def test_no_other_script_runs(tab: Tab, many: Path) -> None:
    tab.open(many, WIDE)
    tab.says("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))")
    assert tab.says("window.ran === undefined") is True
    assert "Content Security Policy" in tab.console[0]


def test_problems_are_before_numbers_on_a_phone_and_the_sections_stay_in_sight(tab: Tab, many: Path) -> None:
    top = "document.querySelector('%s').getBoundingClientRect().top"
    for width in (WIDE, NARROW):
        tab.open(many, width)
        assert (tab.says(top % "#problems") < tab.says(top % ".numbers")) is (width == NARROW)
        tab.says("document.querySelector('footer').scrollIntoView()")
        assert tab.says(top % "nav") == 0
