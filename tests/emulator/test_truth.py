"""The event log: what was so, from when to when."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import count
from pathlib import Path

from emulator.asking import cluster
from kafka_emulator.declared import TopicSection
from kafka_emulator.truth import Truth, read, sometime, throughout

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_census_must_hold_what_was_so_all_the_time_and_may_hold_what_was_sometimes(tmp_path: Path) -> None:
    """Of topics that came and went, of groups whose coordinator moved, of partitions whose leader stopped."""
    world = cluster(groups={"count": 12}, topics={"partitions": 12}).world
    out = StringIO()
    changes = count()

    def second(number: float) -> datetime:
        return BEGIN + timedelta(seconds=number)

    log = Truth(out, world, lambda: second(next(changes)))
    world.on_change = log.changed
    world.delete_topics(["topic-00001"])  # at 1 s
    world.create_topics([TopicSection(name="new")])  # at 2 s
    world.stop(3)  # at 3 s
    world.start(3)  # at 4 s
    path = tmp_path / "truth.jsonl"
    path.write_text(out.getvalue())
    facts = read(path)
    assert {fact.kind for fact in facts} == {"broker", "topic", "partition", "group", "transactional_id"}

    assert set(throughout(facts, "topic", second(0), second(0.5))) >= {"topic-00000", "topic-00001"}
    assert "topic-00001" not in throughout(facts, "topic", second(0.5), second(5))
    assert "new" not in throughout(facts, "topic", second(0.5), second(5))
    assert {"topic-00001", "new", "topic-00000"} <= set(sometime(facts, "topic", second(0.5), second(5)))
    assert "topic-00001" not in sometime(facts, "topic", second(1.5), second(5))
    assert throughout(facts, "broker", second(3.2), second(3.8))["3"] == {"alive": False, "fenced": True}
    moved = [name for name, values in sometime(facts, "group", second(2.5), second(3.5)).items() if len(values) > 1]
    assert moved
    assert set(moved).isdisjoint(throughout(facts, "group", second(2.5), second(3.5)))
    stayed = throughout(facts, "group", second(0.5), second(9))
    assert {*stayed, *moved} == set(world.groups.names)
    for name in world.groups.names:
        before, *_, after = sometime(facts, "group", second(2.5), second(9))[name] * 2
        assert before["coordinator"] == after["coordinator"] == world.group_coordinator(name)
