"""What tools/mutants.py changes, chooses and compares; the tests that it runs are started by hand."""

import json
from pathlib import Path

from tools.mutants import compared, mutants_of

SOURCE = "total = 0 if (a.é < b) and not c else d + 1 | ~e\nready = True\nkinds: int | None\n"


def test_each_operator_and_value_is_another_one_where_it_stands() -> None:
    applied = {mutant.applied(SOURCE.encode()).decode() for mutant in mutants_of("file.py", SOURCE)}
    changes = (("<", "<="), ("and", "or"), ("not ", ""), ("+", "-"), (" | ", " & "), ("~", ""), ("0", "1"), ("1", "2"))
    assert applied == {SOURCE.replace(old, new, 1) for old, new in (*changes, ("True", "False"))}


def test_what_only_the_first_run_killed_is_named(tmp_path: Path) -> None:
    line = {"file": "a.py", "line": 1, "start": 0, "end": 1, "old": "<", "new": "<=", "killed": True, "by": "FAILED t"}
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_text(json.dumps(line))
    after.write_text(json.dumps(line | {"killed": False, "by": ""}))
    assert compared(before, after) == "1 of 1 killed before, 0 after\nonly before: a.py:1 < -> <= FAILED t"
