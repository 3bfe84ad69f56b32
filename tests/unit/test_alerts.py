"""Alerts: figures and states of a census that ended, the file of them, and the message to a webhook."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

from harness.documented import ROOT, block_with
from harness.receiver import Receiver
from harness.tls import Tls
from kafka_census.alerts.facts import Facts
from kafka_census.alerts.metrics import COUNTS, METRICS, figures
from kafka_census.alerts.states import STATES, Change, changes
from kafka_census.alerts.webhook import TRIES, NotAccepted, Webhook, is_url, message, send
from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.declarations.census import Census
from kafka_census.errors.one_line import one_line
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.pages.missing_read import MissingRead
from kafka_census.terminal.log import Redactor
from unit.test_tls import server_context

START = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
CENSUS = Census("20261125T120000000Z-9f3a1c", "kraft-id", "prod", START, ("brokers", "under_min_isr_partitions"))
TABLES = frozenset(table for metric in COUNTS for table in metric.sql)
GONE = MissingRead("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "it has no endpoint")
CALM = dict.fromkeys((metric.name for metric in COUNTS), 0.0)
UNTOLD = {name: figure for name, figure in CALM.items() if name != "kafka_census_disk_low"}
RUN = ("exit_code", "timestamp_seconds", "duration_seconds")


def judgement(outcome: Literal["publish", "refuse"] = "publish", incomplete: tuple[str, ...] = ()) -> Judgement:
    """What the gate said of tables, some of which lack an answer of broker 3."""
    tables = tuple(
        TableJudgement(name, name not in incomplete, (GONE,) * (name in incomplete), "proven", 0, 1, START, START)
        for name in sorted(TABLES)
    )
    causes = (Cause("broker 3 did not answer", ("DescribeLogDirs",), incomplete),) if outcome == "refuse" else ()
    return Judgement(outcome, tables, causes, ())


def ended(minutes: int = 1, **known: object) -> Facts:
    calm = Facts("prod", START + timedelta(minutes=minutes), 0, TABLES, CENSUS, True, judgement(), CALM)
    return replace(calm, **known)  # type: ignore[arg-type]


def found(**counts: float) -> Mapping[str, float]:
    return CALM | {f"kafka_census_{name}": count for name, count in counts.items()}


def refused(minutes: int = 1, **counts: float) -> Facts:
    said = judgement("refuse", tuple(TABLES))
    return ended(minutes, exit_code=3, published=False, judgement=said, counts=found(**counts))


def failed(minutes: int = 1) -> Facts:
    return ended(minutes, exit_code=1, published=False, judgement=None, counts={})


def told(facts: Facts, before: Mapping[str, float] | None = None) -> dict[str, float]:
    return {name.removeprefix("kafka_census_"): figure for name, figure in figures(facts, before or {}).items()}


def test_a_published_census_says_all_that_it_knows() -> None:
    at = START.timestamp() + 60
    known = told(ended(counts=found(offline=2)))
    assert sorted(f"kafka_census_{name}" for name in known) == sorted(metric.name for metric in METRICS)
    # The lake tells states apart by their names.
    assert len({state.name for state in STATES}) == len(STATES)
    run = {"last_run_timestamp_seconds": at, "last_run_duration_seconds": 60, "last_run_exit_code": 0}
    run |= {"last_success_timestamp_seconds": at, "offline": 2, "refusal_causes": 0}
    assert known.items() >= run.items()


def test_a_refused_census_counts_and_is_no_success_and_one_that_failed_leaves_what_it_did_not_count() -> None:
    at = START.timestamp()
    known = told(refused(minutes=90, offline=2), figures(ended(), {}))
    run = {"last_run_timestamp_seconds": at + 90 * 60, "last_run_exit_code": 3, "offline": 2}
    run |= {"last_success_timestamp_seconds": at + 60, "refusal_causes": 1, "missing_answers": 1}
    assert known.items() >= (run | {"incomplete_tables": len(TABLES)}).items()
    before = figures(refused(offline=2), {})
    known = figures(failed(minutes=5), before)
    changed = {name for name, figure in known.items() if figure != before.get(name)}
    assert changed == {f"kafka_census_last_run_{name}" for name in RUN}
    assert set(figures(failed(), {})) == {*changed, "kafka_census_max_age_seconds"}


def test_a_0_of_an_incomplete_table_or_of_rows_that_do_not_tell_proves_nothing() -> None:
    """A count of it does: there are so many at least. A table that is no longer asked for has no figures."""
    before = figures(ended(counts=found(offline=5)), {})
    lacking = judgement(incomplete=("under_min_isr_partitions",))
    some = ended(judgement=lacking, counts=found(offline=1))
    assert [told(one, before)["offline"] for one in (ended(judgement=lacking), some)] == [5, 1]
    assert "offline" not in told(ended(judgement=lacking))
    assert told(ended(counts=UNTOLD), {"kafka_census_disk_low": 2.0})["disk_low"] == 2
    before = figures(ended(counts=found(unreachable=1)), {})
    known = told(ended(tables=TABLES - {"brokers"}, counts={}), before)
    assert known.keys() & {"unreachable", "offline"} == {"offline"}


STORIES: dict[str, list[tuple[Facts, list[str]]]] = {
    "break, repair, break": [
        (ended(1, counts=found(offline=2)), ["offline opened 2"]),
        (ended(2, counts=found(offline=7)), []),
        (ended(3), ["offline closed 0"]),
        (ended(4, counts=found(offline=1)), ["offline opened 1"]),
    ],
    # A complete table may have rows of which a problem is not known: no log dir tells its free space any more.
    "a figure that rows do not tell closes nothing": [
        (ended(1, counts=found(disk_low=2)), ["disk_low opened 2"]),
        (ended(2, counts=UNTOLD), []),
        (ended(3), ["disk_low closed 0"]),
    ],
    "what nobody could see closes nothing": [
        (ended(1, counts=found(offline=2)), ["offline opened 2"]),
        (failed(2), ["failed opened 1"]),
        (refused(3), ["failed closed 0", "refused opened 1", f"incomplete opened {len(TABLES)}"]),
        (ended(4), ["refused closed 0", "incomplete closed 0", "offline closed 0"]),
    ],
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_state_opens_and_closes_once(story: list[tuple[Facts, list[str]]]) -> None:
    still: dict[str, datetime] = {}
    for facts, expected in story:
        changed = changes(figures(facts, {}), still, facts.ended_at)
        assert [f"{change.state.name} {change.event} {change.count:g}" for change in changed] == expected
        for change in changed:
            if change.event == "opened":
                assert change.since == facts.ended_at
                still[change.state.name] = change.since
            else:
                assert still.pop(change.state.name) == change.since


AT = datetime(2026, 11, 25, 15, 1, 4, 250_000, tzinfo=UTC)
BEFORE = datetime(2026, 11, 24, 15, 0, 58, 125_000, tzinfo=UTC)
SURVEYED = Census("20261125T150000000Z-9f3a1c", "MkU3OEVBNTcwNTJENDM2Qk", "prod", AT, ("brokers",))
SENT = {"text": "sent", "changes": []}
CANARY = "canary-hunter2"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def to(url: str, timeout: float = 20) -> Webhook:
    return Webhook(Secret(url), timedelta(seconds=timeout))


def refusal(webhook: Webhook) -> str:
    with pytest.raises(NotAccepted) as caught:
        send(webhook, SENT)
    redactor = Redactor()
    redactor.learn_texts(webhook.secrets)
    return one_line(caught.value, redactor.hide)


def change(state: str, count: float, since: datetime) -> Change:
    return Change(next(one for one in STATES if one.name == state), count, since)


def test_a_message_is_the_one_that_the_page_shows() -> None:
    facts = Facts("prod", AT, 3, frozenset(), SURVEYED, judgement=judgement("refuse"))
    offline = replace(change("offline", 3, AT), owners=(("payments", 2), ("", 1)))
    changed = [change("refused", 1, AT), offline, change("stalled", 0, BEFORE)]
    reported = message(facts, changed, to("https://hook"))
    shown = block_with(ROOT / "docs" / "alerts.md", '"changes"')
    assert json.loads(json.dumps(reported)) == json.loads(shown.text)
    # It failed before it knew the cluster.
    failed = [change("failed", 1, AT)]
    reported = message(
        Facts("prod", AT, 1, frozenset()), failed, replace(to("https://hook"), runbook_base_url="https://d/")
    )
    assert (reported["cluster_id"], reported["census_id"], reported["outcome"]) == (None, None, "failed")
    assert reported["changes"][0]["runbook"] == f"https://d/{failed[0].state.runbook}"  # type: ignore[index]


def test_slack_is_told_in_its_own_shape_within_its_limits() -> None:
    hook = replace(to("https://hook"), format="slack", runbook_base_url="https://d")
    facts = Facts("<prod&1>", AT, 3, frozenset(), SURVEYED, judgement=judgement("refuse"))
    owners = (("<pay>", 1234), *((f"{number}", 2) for number in range(4)), ("", 1))
    changed = [replace(change("offline", 3, AT), owners=owners), change("stalled", 0, BEFORE)]
    reported = message(facts, changed, hook)
    assert reported["text"] == "Kafka cluster &lt;prod&amp;1&gt;: offline opened (3), stalled closed"
    texts = [block["text"]["text"] for block in reported["blocks"]]  # type: ignore[attr-defined]
    assert texts[0].startswith("*&lt;prod&amp;1&gt;*: census refused at ")
    assert texts[1].startswith("*offline* opened (3): ")
    assert " Owners: &lt;pay&gt; 1,234, 0 2, 1 2, 2 2, 3 2, 1 more. <" in texts[1]
    assert texts[1].endswith(f" <https://d/{changed[0].state.runbook}|runbook>")
    assert texts[2].startswith("*stalled* closed since ")
    many = message(facts, changed * 40, hook)["blocks"]
    assert len(many) == 50  # type: ignore[arg-type]
    assert many[-1]["text"]["text"] == "and 32 more"  # type: ignore[index]


def test_a_message_is_posted_until_it_is_accepted() -> None:
    """To the whole of the URL; any 2xx will do."""
    with Receiver(answers=(500, 204)) as receiver:
        send(to(f"{receiver.url}?token={CANARY}"), SENT)
    assert (receiver.received, receiver.targets) == ([SENT] * 2, [f"/hook?token={CANARY}"] * 2)


@pytest.mark.parametrize("status", [301, 307, 400, 503])
def test_an_answer_that_is_not_2xx_accepts_nothing(status: int) -> None:
    """No redirect is followed: most would turn the message into a question without a body, and take any answer."""
    with Receiver() as elsewhere, Receiver(answers=(status,), location=elsewhere.url) as receiver:
        assert refusal(to(receiver.url)) == f"the webhook answered with status {status}"
    assert (len(receiver.received), elsewhere.connections) == (TRIES, 0)


@pytest.mark.parametrize("receiver", [Receiver(answers=(0,)), Receiver(drip=True)], ids=["silent", "byte by byte"])
def test_a_receiver_that_hangs_is_not_waited_for(receiver: Receiver) -> None:
    with receiver:
        started = time.monotonic()
        assert refusal(to(receiver.url, timeout=0.3)) == "the webhook did not answer within 0.3 s"
        assert time.monotonic() - started < 5


def test_tls_is_verified(tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the authorities of the system; SSL_CERT_FILE names others."""
    with Receiver(secured=server_context(tls.keystore)) as receiver:
        assert "certificate verify failed" in refusal(to(receiver.url))
        assert receiver.received == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tls.cafile))
        send(to(receiver.url), SENT)
        assert receiver.received == [SENT]


@pytest.mark.parametrize("target", [f"/services/{CANARY}", f"/hook?token={CANARY}"])
def test_no_part_of_the_url_is_reported(target: str) -> None:
    webhook = to(f"http://127.0.0.1:1{target}")
    assert refusal(webhook) == "the webhook cannot be reached: <urlopen error [Errno 111] Connection refused>"
    assert CANARY not in repr(webhook)
    redactor = Redactor()
    redactor.learn_texts(webhook.secrets)
    assert redactor.hide(f"POST http://127.0.0.1:1{target} failed") == "POST *** failed"
    assert redactor.hide(f"POST {target} failed") == "POST *** failed"


URLS = ("https://hooks.example.org/services/T0/B0", "http://127.0.0.1:8080", "HTTPS://[::1]:8443/x?y=z")
NO_URLS = (
    *("hooks.example.org/x", "ftp://example.org/x", "file:///etc/passwd", "https:///x", "https://host:99999/x", ""),
    *("https://host:port/x", "https://user:password@host/x", "https://host/a b", "https://host/a\nb", "https://höst/x"),
)


def test_what_can_be_posted_to_is_http_with_a_host() -> None:
    assert [url for url in (*URLS, *NO_URLS) if is_url(Secret(url))] == [*URLS]
