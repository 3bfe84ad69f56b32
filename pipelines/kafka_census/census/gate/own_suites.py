"""An operator's own suites: `conf/expectations/*.json`, in Great Expectations' format.

A file has the form that `ExpectationSuite.to_json_dict()` writes: `{"name": ..., "expectations": [{"type": ...,
"kwargs": {...}, "severity": "warning"}]}`. Its name up to the first dot is the table: `group_lag.json`,
`group_lag.team-a.json`. Each expectation is judged with ours, on the staged rows of that table; its rule is `meta.rule`
or else its type and column. An expectation may not have the name of one of our rules, of any table or kind: the audit
table `verdicts` has one row for each rule and table.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafka_census.census.gate.rule_names import reserved
from kafka_census.declarations.rules import Suite
from kafka_census.errors import ConfigError
from kafka_census.files import operator_file
from kafka_census.tables.all_tables import TABLES

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation


@dataclass(frozen=True)
class OwnSuite:
    """The expectations of one file."""

    file: str
    table_name: str
    expectations: "tuple[Expectation, ...]"


def own_suites(folder: Path, suites: Sequence[Suite]) -> tuple[OwnSuite, ...]:
    """Every file of a folder; none if the folder does not exist. Raises ConfigError, naming the file.

    suites  ours, whose rule names no expectation may use
    """
    read = tuple(_read(file) for file in sorted(folder.glob("*.json")))
    ours = reserved(suites)
    taken = Counter((own.table_name, _rule(each)) for own in read for each in own.expectations)
    for own in read:
        for each in own.expectations:
            if _rule(each) in ours:
                raise ConfigError(
                    f"{own.file}: rule '{_rule(each)}' is a rule of kafka-census already; give it another meta.rule"
                )
            if taken[own.table_name, _rule(each)] > 1:
                raise ConfigError(f"{own.file}: rule '{_rule(each)}' is there already; name it with meta.rule")
    return read


def _read(file: Path) -> OwnSuite:
    known = {table.name for table in TABLES}
    table_name = file.name.partition(".")[0]
    if table_name not in known:
        raise ConfigError(f"{file}: there is no table '{table_name}'; a file is named after one: {min(known)}.json")
    try:
        content = operator_file.regular(file)
        data = json.loads(content, object_pairs_hook=_given_once)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: cannot be read as JSON: it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{file}:{error.lineno}: cannot be read as JSON: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{file}: cannot be read as JSON: it is nested too deeply") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read as JSON: {_line(error)}") from None
    listed = data.get("expectations") if isinstance(data, dict) else None
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{file}: holds no list 'expectations'")
    return OwnSuite(
        str(file), table_name, tuple(_expectation(file, number, each) for number, each in enumerate(listed, 1))
    )


def _given_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object as a dict. Raises ValueError for a repeated key, because the last value would silently win."""
    twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"'{twice[0]}' is given twice")
    return dict(pairs)


def _expectation(file: Path, number: int, given: Any) -> "Expectation":
    # It takes seconds to import: not for a file that is none of its suites.
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    where = f"{file}: expectation {number}"
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        raise ConfigError(f"{where} has no type, such as expect_column_values_to_not_be_null")
    try:
        made = ExpectationConfiguration(**given).to_domain_obj()
    except Exception as error:  # noqa: BLE001 - every error of Great Expectations is reported, with its location
        raise ConfigError(f"{where} ({given['type']}) is not one: {_line(error)}") from None
    made.meta = {**(made.meta or {}), "rule": _rule(made), "suite": str(file)}
    return made


def _rule(expectation: "Expectation") -> str:
    named = (expectation.meta or {}).get("rule")
    about = getattr(expectation, "column", None) or ", ".join(getattr(expectation, "column_list", None) or ())
    return str(named or f"{expectation.expectation_type}({about})")


def _line(error: Exception) -> str:
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
