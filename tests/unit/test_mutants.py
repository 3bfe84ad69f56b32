"""What tools/mutants.py changes, chooses and compares; the tests that it runs are started by hand."""

import json
from pathlib import Path

import pytest

from tools.mutants import compared, mutants_of, tried

SOURCE = "total = 0 if (a.é < b) and not c else d + 1 | ~e\nready = True\nkinds: int | None\n"


def test_each_operator_and_value_is_another_one_where_it_stands() -> None:
    applied = {mutant.applied(SOURCE.encode()).decode() for mutant in mutants_of("file.py", SOURCE)}
    changes = (("<", "<="), ("and", "or"), ("not ", ""), ("+", "-"), (" | ", " & "), ("~", ""), ("0", "1"), ("1", "2"))
    assert applied == {SOURCE.replace(old, new, 1) for old, new in (*changes, ("True", "False"))}


def test_the_first_failure_kills_a_mutant_and_the_file_is_as_before(
    tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    module = tmp_path / "pipelines/kafka_census/lake/limit.py"
    test = tmp_path / "tests/unit/test_limit.py"
    for path, text in (
        (module, "LIMIT = 1\nOTHER = 1\n"),
        (test, "from limit import LIMIT\n\ndef test_a(): assert LIMIT == 1\n\ndef test_b(): assert LIMIT == 1\n"),
        (tmp_path / "conftest.py", f"import sys; sys.path.append({str(module.parent)!r})\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / ".venv").symlink_to(pytestconfig.rootpath / ".venv")
    mutants = mutants_of("pipelines/kafka_census/lake/limit.py", module.read_text())
    first, other = mutants
    lines = [tried(tmp_path, first), tried(tmp_path, other), tried(tmp_path, first, "tests/unit/test_limit.py::test_b")]
    assert [(line["killed"], line["by"]) for line in lines] == [
        (True, "FAILED tests/unit/test_limit.py::test_a"),
        (False, ""),
        (True, "FAILED tests/unit/test_limit.py::test_b"),
    ]
    assert module.read_text() == "LIMIT = 1\nOTHER = 1\n"


def test_what_only_the_first_run_killed_is_named(tmp_path: Path) -> None:
    line = {"file": "a.py", "line": 1, "start": 0, "end": 1, "old": "<", "new": "<=", "killed": True, "by": "FAILED t"}
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_text(json.dumps(line))
    after.write_text(json.dumps(line | {"killed": False, "by": ""}))
    assert compared(before, after) == "1 of 1 killed before, 0 after\nonly before: a.py:1 < -> <= FAILED t"
