"""A census whose every step is a stand-in."""

import io
import types
from importlib import import_module
from pathlib import Path

import pytest

from kafka_census.census import landed
from kafka_census.census.work import Work
from kafka_census.config import load
from kafka_census.terminal.log import Redactor
from kafka_census.terminal.progress import NullProgress
from unit.workflow.stand_ins import CONF, LOOKED, Noted, Parts, Stopped, stand_in


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    made = Parts()
    steps = {
        "kafka.protocol.cluster.bootstrap": made.step(
            "identify", lambda: types.SimpleNamespace(cluster_id=made.cluster_id)
        ),
        "lake.run_lock.hold": made.hold,
        "landing.ingest.Ingest": lambda *_, **__: types.SimpleNamespace(run=made.step("ingest")),
        "pages.landed_census.read_pages": lambda *_: types.SimpleNamespace(is_one_task=False, items=5),
        "pages.landed_census.read_landed_census": made.step("look", lambda: LOOKED),
        "census.gate.calls.write_calls": made.step("calls"),
        "census.staging.stage.stage": made.step("stage"),
        "census.gate.gate.judge": made.step("judge", made.judged),
        "lake.publications.last_published": lambda *_: made.published,
        "lake.publications.standing": lambda *_: types.SimpleNamespace(published=made.is_published),
        "census.publish.promote.promote": made.step("promote"),
        "census.publish.promote.write_refusal": made.step("note the refusal"),
        "reading.report.in_spark.InSpark": lambda *_: types.SimpleNamespace(published=lambda _names: []),
        "reading.report.answer.censuses": lambda *_: made.reports,
        "reading.report.summary.refusal_from": lambda *_: types.SimpleNamespace(),
        "reading.report.answer.show": made.step("report"),
    }
    for name in steps:  # first all modules: one that is imported later would keep the stand-ins of others
        import_module(f"kafka_census.{name.rpartition('.')[0]}")
    for name, step in steps.items():
        stand_in(monkeypatch, name, step)
    monkeypatch.setattr(landed, "fit", lambda _spark, _items: None)
    monkeypatch.setattr(landed, "lacks_second_compiler", lambda _spark, _items: False)
    return made


@pytest.fixture
def conf(conf: Path) -> Path:
    conf.write_text(CONF, encoding="utf-8")
    return conf


@pytest.fixture
def runs() -> Noted:
    return Noted()


@pytest.fixture
def work(conf: Path, runs: Noted, parts: Parts) -> Work:
    """Work on the cluster `local`; asking for `parts` first puts the stand-ins in place."""
    assert parts.called == []
    config = load(conf, {})
    return Work(
        spark=None,  # type: ignore[arg-type] # the stand-ins ask it nothing
        config=config,
        cluster="local",
        settings=config.cluster("local"),
        runs=runs,  # type: ignore[arg-type] # the same interface, in memory
        clock=Stopped(),
        progress=NullProgress(),
        redactor=Redactor(),
        out=io.StringIO(),
    )
