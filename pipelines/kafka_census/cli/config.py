"""`kafka-census config show`: the values that a job would use, and the origin of each value.

It connects to no broker and reads no secret.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kafka_census.cli.usage import add_config, given
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

if TYPE_CHECKING:
    from kafka_census.config.effective import Effective

HELP = "Show the configuration: `show` prints every value and its origin."

_SHOW = "Print every value and its origin: a line of the file, a variable, or the default. Reads no secret."
_WIDEST = 40
"""Columns that a value may take before the location moves to the right."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`show`, and its options."""
    show = parser.add_subparsers(dest="action", required=True, metavar="ACTION").add_parser(
        "show", help=_SHOW, description=_SHOW
    )
    add_config(show)
    show.add_argument("--cluster", metavar="NAME", help="show only this cluster")
    show.add_argument("--json", action="store_true", help="a list of objects with key, value, origin and location")


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Print the values; returns the exit code. Raises ConfigError with every mistake of the configuration."""
    from kafka_census.config.effective import effective

    values = effective(given(args), os.environ, args.cluster)
    write_lines((_json if args.json else _table)(values), sys.stdout)
    return 0


def _json(values: "Sequence[Effective]") -> Iterator[str]:
    yield from json.dumps([vars(value) for value in values], indent=1).splitlines()


def _table(values: "Sequence[Effective]") -> Iterator[str]:
    """Lines of key, value and location; values are written as in the file."""
    rows = [(each.key, _text(each.value), each.location or each.origin) for each in values]
    keys = max(len(key) for key, _, _ in rows)
    texts = max(len(text) for _, text, _ in rows if len(text) <= _WIDEST)
    for key, text, location in rows:
        yield f"{key:{keys}}  {text:{texts}}  {location}"


def _text(value: object) -> str:
    """A value in one line, in YAML's notation without quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_text(each)}' for key, each in value.items())}}}"
    return value if isinstance(value, str) else json.dumps(value)
