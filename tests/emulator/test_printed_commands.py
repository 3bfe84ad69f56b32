"""Commands that errors and results print, typed as they are printed: each leads on, to the same configuration.

That every other command in a message is one that the command line takes is a test of unit/test_command.py.
"""

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from emulator.commanding import running
from kafka_census.cli.command import command
from kafka_census.cli.ending import ended

OF = "--config my.yaml --cluster test"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a configuration that has no usual name, so that each command must name it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KAFKA_CENSUS__DELETION__CENSUSES", "1")
    monkeypatch.setenv("KAFKA_CENSUS__DELETION__EMPTY_FOR", "1ms")
    with running("--scenario", "calm") as (_, servers):
        clusters = {"test": {"bootstrap_servers": list(servers)}, "other": {"bootstrap_servers": list(servers)}}
        tables = ["deletable_groups", "quotas"]
        file = {"lake": {"root": "lake"}, "tables": tables, "clusters": clusters}
        (tmp_path / "my.yaml").write_text(yaml.safe_dump(file), encoding="utf-8")
        yield tmp_path


def typed(line: str, code: int = 0) -> list[str]:
    """Type a command; returns the commands that it prints."""
    argv, out, err = shlex.split(line)[1:], io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        ended_with = ended(lambda redactor: command(argv, redactor), argv)
    assert ended_with == code, (line, out.getvalue(), err.getvalue())
    errors = "".join(line for line in err.getvalue().splitlines() if line.startswith("error: "))
    text = out.getvalue() + errors
    return re.findall(r"\bkafka-census [a-z-]+ -[^;\n]*|\bkafka-census delete-groups \w+ -[^;\n]*", text)


@pytest.mark.usefixtures("here", "spark")
def test_each_printed_command_leads_on() -> None:
    [survey] = typed(f"kafka-census report {OF}", code=2)
    [ingest] = typed(f"kafka-census transform {OF}", code=2)
    typed(ingest)
    [transform] = typed(f"kafka-census gate {OF}", code=2)
    typed(transform)
    for step in ("gate", "publish"):
        [following] = typed(f"kafka-census report {OF} --unpublished", code=2)
        assert following == f"kafka-census {step} {OF}"
        typed(following)
    [whole] = typed(f"kafka-census report {OF}")
    typed(whole)
    [plan] = typed(f"kafka-census delete-groups apply {OF} --plan 20261121T184500123Z-9f3a1c", code=2)
    typed(plan)
    typed(survey)
    [again] = typed("kafka-census init ./conf/mine.yaml --bootstrap-server 127.0.0.1:1")
    assert again == "kafka-census run --config ./conf/mine.yaml"
