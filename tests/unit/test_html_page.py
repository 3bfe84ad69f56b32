"""The HTML file of a census: what it says is what the lake holds, what is not known says so, and names are text."""

import re
from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import quote

import deltalake
import pytest
from deltalake import DeltaTable

from harness.hostile import assert_harmless
from harness.page_lake import BAD_DAY, NAMES, SCRIPT, write_census, write_groups
from harness.small_lake import NOON, append, census_id
from kafka_census.declarations.audit import CENSUS_RUNS
from kafka_census.declarations.given import Given
from kafka_census.declarations.problem import SEVERITIES
from kafka_census.errors import ConfigError
from kafka_census.reading.html.figure import Figure
from kafka_census.reading.html.markdown import as_markdown
from kafka_census.reading.html.page import as_html
from kafka_census.reading.html.problems import told
from kafka_census.reading.html.read import Answer, Page, read_page
from kafka_census.reading.html.rows import anchor, in_page
from kafka_census.reading.html.verdict import verdict
from kafka_census.reading.report.answer import censuses
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.newest import Choice
from kafka_census.reading.report.presentation import Presentation
from kafka_census.reading.sql.session import Session
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.problems import REMEDY

DOCTOR = "kafka-census doctor --config night.yaml --cluster shop"
EMPTY_TAGS = {"meta", "br", "img", "link", "input", "hr"}


class _Parsed(HTMLParser):
    """A file as a browser's parser sees it: its elements with attributes, and its text element by element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.cells: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "td":
            self.cells.append("")
        if tag not in EMPTY_TAGS:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """What is open must be closed in its order: no name has opened or closed anything."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))
        if "td" in self._open:
            self.cells[-1] += data

    def of(self, tag: str) -> list[str]:
        return [text for inside, text in self.texts if inside == tag]


@pytest.fixture(scope="module")
def page(bad_day: Path) -> Page:
    """The page of the last census."""
    return read_page(str(bad_day), how=Presentation(Given("night.yaml"), {"shop": ("a:9092",)}))


@pytest.fixture(scope="module")
def healed(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of a census that found nothing wrong, an hour after a bad day."""
    root = tmp_path_factory.mktemp("healed")
    write_census(root, 1, BAD_DAY)
    alive = {"broker_id": 1, "state": "alive", "leaders": 3, "replicas": 9}
    write_census(root, 2, {"brokers": [alive]}, outcome="pass")
    return read_page(str(root))


@pytest.fixture(scope="module")
def html(page: Page) -> str:
    return as_html(page)


def answers(page: Page) -> list[tuple[Figure, Answer]]:
    return [pair for _, pairs in page.sections for pair in pairs]


def answer(page: Page, title: str) -> Answer:
    [found] = [found for figure, found in answers(page) if figure.title == title]
    return found


def development(page: Page, title: str) -> list[tuple[object, ...]]:
    """The number of each census, what was found, and whether that is all."""
    [found] = [by_census for number, _, by_census in page.numbers if number.title == title]
    return [row[1:] for row in found.rows]


def test_problems_are_reported_with_their_number_and_names_critical_ones_first(page: Page) -> None:
    found = {
        check.many.partition(": ")[0]: (shown.total, [name for (name,) in shown.rows]) for check, shown in page.wrong
    }
    expected = {
        "partitions are offline": [f"{SCRIPT}-7", "orders-0"],
        "partitions refuse acks=all writes": ["orders-1"],
        "brokers are down": [2],
        "log dirs are offline": ["2:/data"],
        "replicas on the move are stalled": ["moving-0"],
        "log dirs have less than a tenth of their volume free": [f"1:{SCRIPT}"],
        "voters of the metadata quorum are not known to be caught up": [4, 3],
        "transactions are open for longer than their timeout": [SCRIPT],
        "streams groups are not ready": ["streaming"],
        "committed offsets are outside their log": [f"{SCRIPT} at orders-0"],
        "groups have unknown lag": ["lag-not-known"],
        "partitions are under-replicated": ["orders-3"],
        "answers are missing, so that problems may be hidden": ["DescribeLogDirs of broker 2"],
        # What is not known, and rules that warn, are no all-clear.
        "partitions are not known to be well": ["__consumer_offsets-5", "orders-4"],
        "committed offsets are not known to be well": [f"{SCRIPT} at orders-4"],
        "open transactions are not known to be well": [f"{SCRIPT}-1"],
        "transactional ids are not known to be well": ["undescribed"],
        "rules of the gate did not pass": ["brokers: r"],
    }
    assert {words: found[words] for words in expected} == {words: (len(one), one) for words, one in expected.items()}
    stuck = found["groups have lag that they do not drain"]
    assert (stuck[0], len(stuck[1]), stuck[1][0]) == (len(NAMES), 5, NAMES[-1])
    severities = [check.severity for check, _ in page.wrong]
    assert severities == sorted(severities, key=SEVERITIES.index)


def test_the_page_begins_with_the_root_cause_what_follows_from_it_and_what_to_do(
    bad_day: Path, page: Page, html: str
) -> None:
    """The causes are those of the report, which counts them by other statements."""
    [report] = censuses(InDuckDB(str(bad_day)), Choice(), None)
    assert page.roots == report.problems
    roots = told(page)
    first = verdict(page, roots)
    assert (first.tone, roots[0].section) == ("critical", "brokers")
    assert first.cause == "1 broker is down (2) → 1 partition is offline"
    parsed = _Parsed(html)
    assert first.cause in parsed.of("p")
    remedies = {root.text: root.remedy for root in roots}
    assert [text for text, remedy in remedies.items() if not remedy] == ["1 rule of the gate did not pass"]
    assert {word for remedy in remedies.values() for word in remedy} <= {*parsed.of("p"), *parsed.of("pre")}


def test_the_file_says_what_the_lake_holds_and_a_number_that_is_not_known_is_no_zero(page: Page, html: str) -> None:
    parsed = _Parsed(html)
    cells = parsed.cells
    assert {"1,234", "4.2 MB", "2h 5m", "50%", "95%", "after_end", SCRIPT} <= set(cells)
    assert "13" in parsed.of("b")
    assert parsed.of("h2")[:2] == ["Problems", "Coordinators"]
    assert any("and 8 more" in text for text in parsed.of("span"))
    assert parsed.of("a").count("see what is missing") >= 10
    assert answer(page, "Load by broker").rows[0][:2] == (2, None)
    assert ("lag-not-known", "Stable", None) in [row[:3] for row in answer(page, "Lag by group").rows]
    assert cells[cells.index("lag-not-known") + 2] == "?"
    assert [row[0] for row in answer(page, "Metadata quorum").rows] == [4, 3]
    assert [row[3] for row in answer(page, "Committed offsets outside the log").rows] == ["after_end", "unknown"]
    # One that may miss something says so.
    misses = {number.title: found.rows[0][2] for number, found, _ in page.numbers}
    some = ["partitions take acks=all writes", "lag of all groups, offsets"]
    assert [title for title, said in misses.items() if said] == some
    assert "13,078 lag of all groups, offsets (not all read)" in as_markdown(page)[2]


def test_the_sql_below_a_figure_is_what_was_run(bad_day: Path, page: Page, html: str) -> None:
    """Pasted, it gives the declared columns and the rows that are shown; every figure, number and problem has it."""
    printed = _Parsed(html).of("pre")
    problems = [each for root in told(page) for each in (root, *root.follows)]
    of_problems = sum(bool(each.sql) for each in problems) + sum(bool(root.remedy) for root in told(page))
    assert len(printed) == 2 * len(page.numbers) + len(answers(page)) + of_problems
    assert {found.sql for _, found in page.wrong} <= set(printed)
    assert {found.sql for _, found in answers(page)} <= set(printed)
    widths = [(found, len(figure.columns)) for figure, found in answers(page)]
    widths += [(found, 1) for _, found in page.checks]
    widths += [pair for _, now, by_census in page.numbers for pair in ((now, 3), (by_census, 4))]
    results = Session(str(bad_day)).results(";\n".join(found.sql for found, _ in widths))
    again = [(result.columns, list(result.rows)) for result in results]
    for (found, width), (columns, rows) in zip(widths, again, strict=True):
        assert found.known
        assert len(columns) == width, found.sql
        assert (tuple(rows[: len(found.rows)]), len(rows)) == (found.rows, found.total)


def test_names_of_kafka_are_text_and_the_policy_lets_nothing_but_its_own_style_and_script(html: str) -> None:
    parsed = _Parsed(html)
    tags = {tag for tag, _ in parsed.elements}
    assert tags.isdisjoint({"img", "iframe", "object", "embed", "link", "base", "form"})
    once = [tag for tag, _ in parsed.elements if tag in ("style", "title", "script") or tag == "nav"]
    assert sorted(set(once)) == ["nav", "script", "style", "title"]
    assert once.count("script") == 1
    for tag, attributes in parsed.elements:
        assert [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")] == [], tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    assert_harmless(html)
    assert parsed.cells.count(SCRIPT) >= 8
    assert "{{ 7 * 7 }}" in parsed.cells
    [policy] = [attributes["content"] or "" for _, attributes in parsed.elements if "http-equiv" in attributes]
    [style], [script] = parsed.of("style"), parsed.of("script")
    digests = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, script)]
    allowed = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*digests)
    assert policy == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    assert "://" not in html.replace("http://www.w3.org/2000/svg", "").replace("http://pwned", "")
    assert not re.search(r"url\(|@import", style)


def test_a_development_has_no_number_of_a_census_that_could_not_read_everything(
    page: Page, html: str, healed: Page
) -> None:
    """Less that was read is not less that there is; what was found is said beside. Nothing found is a zero."""
    first = (sum(1000 + number for number in range(len(NAMES))), 13078, True)
    assert development(page, "lag of all groups, offsets") == [first, (None, 1000, False), (None, 13078, False)]
    assert [row[0] for row in development(page, "partitions take acks=all writes")] == [2, None, None]
    assert "since the census before" not in html
    assert "<polyline" not in html
    assert development(healed, "lag of all groups, offsets") == [(None, 13078, False), (0, 0, True)]
    assert development(healed, "left to copy") == [(4_200_000, 4_200_000, True), (0, 0, True)]
    html = as_html(healed)
    assert html.count(" since the census before") == html.count("<polyline") > 2
    assert "−4.2 MB since the census before" in html


def test_a_census_of_few_tables_says_what_it_lacks_and_shows_changes_where_it_has_them(tmp_path: Path) -> None:
    few = [table for table in TABLES if table.name in ("brokers", "topic_readiness", "quotas")]
    write_census(tmp_path, 1, BAD_DAY)
    write_census(tmp_path, 2, BAD_DAY, few)
    page = read_page(str(tmp_path))
    assert answer(page, "Lag by group").absent == ("group_lag",)
    assert answer(page, "Topics without a group").absent == ("consumer_lag",)
    assert [check.section for check, _ in page.wrong] == ["brokers", "quality"]
    html = " ".join(as_html(page).split())
    assert "Not in this census, which published no coordinator_load, group_coordinator_placement, " in html
    assert "Hanging transactions · Groups by verdict" in html
    checks = f"{len(page.not_asked)} of {len(page.checks)} checks could not be made"
    assert f"{checks}: this census published no under_min" in html
    assert as_markdown(page)[-1].startswith(f"- {checks}")
    assert "changes" not in [section.slug for section, _ in page.sections]
    rows = [{"change": change, "subject": "broker", "key": change} for change in ("better", "unread", "worse")]
    write_census(tmp_path, 3, {"changes": rows}, [CHANGES])
    found = answer(read_page(str(tmp_path)), "Changes one by one")
    assert [row[2] for row in found.rows] == ["worse", "unread", "better"]


def test_nothing_is_called_well_where_a_newer_census_was_refused(tmp_path: Path) -> None:
    write_census(tmp_path, 1, {}, [BROKERS], outcome="pass")
    write_census(tmp_path, 2, {}, [BROKERS], refused="broker 3 did not answer")
    line = f"A newer census, {census_id(2)}, was refused 2h ago: broker 3 did not answer"
    page = read_page(str(tmp_path), at=NOON + timedelta(hours=4))
    assert (page.head.age, page.head.later) == ("3h ago", line)
    assert f'<p class="later">{line}</p>' in as_html(page)
    assert (verdict(page, told(page)).tone, 'class="calm good"' in as_html(page)) == ("warning", False)
    message = as_markdown(page)
    assert message[0].endswith(", 3h ago")
    assert message[1].startswith("🟠 A newer census")
    assert "Nothing was wrong in what this census looked at." in (message[-1], message[-2])
    assert read_page(str(tmp_path), at=NOON + timedelta(hours=1)).head.later is None


@pytest.mark.parametrize("number", [1, 2])
def test_the_newest_computed_census_is_shown_and_marked_where_it_was_refused(tmp_path: Path, number: int) -> None:
    """Also where nothing was published before."""
    if number > 1:
        write_census(tmp_path, 1, {}, [BROKERS], outcome="pass")
    dead = {"broker_id": 3, "state": "gone"}
    write_census(tmp_path, number, {"brokers": [dead]}, [BROKERS], missing=["ListGroups"], refused="broker 3 is gone")
    page = read_page(str(tmp_path))
    head = page.head
    assert (head.census_id, head.refused, head.incomplete) == (census_id(number), "broker 3 is gone", ("brokers",))
    still = f"Readers still see census {census_id(1)}, " if number > 1 else "This cluster has no published census"
    assert head.still.startswith(still)
    assert answer(page, "Leaders and replicas").rows[0][0] == 3
    assert '<p class="refused"><b>NOT PUBLISHED</b> broker 3 is gone. ' in as_html(page)
    assert as_markdown(page)[0].startswith(r"🔴 **NOT PUBLISHED** broker 3 is gone\. ")
    ended = {"census_id": census_id(number), "cluster_id": head.cluster_id, "cluster": "shop", "event": "cleared"}
    append(tmp_path, CENSUS_RUNS, [ended | {"at": NOON + timedelta(days=9)}])
    if number > 1:
        assert read_page(str(tmp_path), shows="published").head.refused is None
        assert read_page(str(tmp_path)).head.census_id == census_id(1)
    with pytest.raises(ConfigError, match=r"^none of the last censuses of this lake was"):
        read_page(str(tmp_path), shows="unpublished")


def test_an_earlier_census_is_shown_as_it_was_and_each_table_is_opened_once(
    bad_day: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once per figure: in an object store each opening takes requests."""
    counting = Mock(wraps=DeltaTable)
    monkeypatch.setattr(deltalake, "DeltaTable", counting)
    earlier = read_page(str(bad_day), at=NOON + timedelta(hours=1))
    opened = [call.args[0] for call in counting.call_args_list]
    assert sorted(opened) == sorted(set(opened)) != []
    assert "not all read" not in as_html(earlier) + "".join(as_markdown(earlier))
    assert (earlier.head.census_id, earlier.head.incomplete) == (census_id(1), ())
    with pytest.raises(ConfigError, match=r"^nothing was published in .* by 2026-11-21 12:00 UTC$"):
        read_page(str(bad_day), at=NOON)
    assert len(answer(earlier, "Lag by group").rows) == len(NAMES) + 1
    assert [len(by_census.rows) for _, _, by_census in earlier.numbers] == [1] * len(earlier.numbers)


def test_a_lake_of_several_clusters_is_asked_for_one(tmp_path: Path) -> None:
    for number, cluster in ((1, "shop"), (2, "other")):
        write_census(tmp_path, number, BAD_DAY, [BROKERS], cluster=cluster)
    with pytest.raises(ConfigError, match=r" has several clusters, other, shop: name one with --cluster$"):
        read_page(str(tmp_path))


def test_the_message_for_chat_is_short_and_its_names_are_code(page: Page) -> None:
    lines = as_markdown(page)
    assert len(lines) <= 40
    assert lines[1] == f"Incomplete: {len(TABLES)} of {len(TABLES)} tables lack answers."
    numbers = "1 of 2 brokers alive · 2 of 7 partitions take acks=all writes (not all read) · 13 groups · 13,078 lag"
    assert lines[2].startswith(numbers)
    assert_harmless("\n".join(lines))
    assert all("script" not in "".join(line.split("`")[::2]) and len(line) < 400 for line in lines[4:])
    assert lines[4:7] == [
        "- 🔴 1 broker is down: `2`",
        f"  - 1 partition is offline: `{SCRIPT}-7`",
        f"  - To do: {REMEDY['unreachable'].text[:-1]}\\. `{DOCTOR}`",
    ]


def test_every_link_of_the_page_leads_somewhere(html: str) -> None:
    """From a problem, a cell and a number to the row of a broker, topic or group, or to a section."""
    elements = _Parsed(html).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    links = {(attributes["href"] or "").removeprefix("#") for tag, attributes in elements if tag == "a"}
    assert len(ids) == len(set(ids))
    assert links <= set(ids)
    assert {"broker-1", "broker-2", "topic-orders", f"group-{quote(SCRIPT, safe='')}", "min-isr"} <= links
    assert {anchor("group", name) for name in NAMES} <= set(ids)


def test_a_healthy_census_says_so(healed: Page, page: Page) -> None:
    """Its figures without rows are one line; those that were not all read are another."""
    assert healed.wrong == []
    calm = "Nothing is wrong in what this census looked at."
    assert (calm in as_html(healed), as_markdown(healed)[2:]) == (True, ["", calm])
    line = "Checked, nothing found: Changes by kind · Changes one by one · Load by broker · Skew · "
    assert line in as_html(healed)
    assert [section.title for section, _ in healed.sections_with_rows] == ["Brokers, disks, settings", "Data quality"]
    [(_, partly)] = page.figures_without_rows
    assert "Not all could be read, nothing found in the rest: Changes by kind · Changes one by one" in as_html(page)
    assert {figure.calm for figure, _ in partly if figure.calm in as_html(page)} <= {"None."}


def test_all_rows_are_in_the_page_up_to_a_size_and_then_the_sql_has_them(tmp_path: Path) -> None:
    """The rows of small figures first; a name that a cut figure lacks is no link."""
    names = [f"{number:06}-{'é' * 300}" for number in range(5_000)]
    tables = (GROUP_LAG, GROUP_COORDINATOR_PLACEMENT, DELETABLE_GROUPS)
    write_census(tmp_path, 1, {}, tables, more={table.name: len(names) for table in tables})
    write_groups(tmp_path, 1, GROUP_LAG, names[:50], {"lag_total": 5, "partitions": 1})
    write_groups(tmp_path, 1, GROUP_LAG, names[50:], {"lag_total": 4, "partitions": 1})
    write_groups(tmp_path, 1, GROUP_COORDINATOR_PLACEMENT, names, {"agreement": "listed_nowhere"})
    write_groups(tmp_path, 1, DELETABLE_GROUPS, names[:50], {"verdict": "deletable", "deletable": True})
    write_groups(tmp_path, 1, DELETABLE_GROUPS, names[50:], {"verdict": "unknown"})
    page = read_page(str(tmp_path))
    found = {figure.title: rows for figure, rows in in_page(page.figures).items()}
    small = [found["Deletable groups"], found["Groups by verdict"]]
    assert [(rows.folded, rows.left) for rows in small] == [(30, 0), (0, 0)]
    cut = [found["Groups whose coordinator is in doubt"], found["Lag by group"]]
    assert [20 + rows.folded + rows.left for rows in cut] == [5_000, 5_000]
    assert min(rows.left for rows in cut) == 0 < max(rows.left for rows in cut)
    html = as_html(page)
    assert 4_500_000 < len(html.encode()) < 5_000_000
    assert html.count(" more rows did not fit into this page: the SQL shows them") == 1
    assert "5,000 groups have no coordinator" in html
    assert set(re.findall(r'href="#(group-[^"]*)"', html)) <= set(re.findall(r'<tr id="(group-[^"]*)"', html))
