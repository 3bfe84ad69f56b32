"""`kafka-census init`: write a first configuration, in which every key is explained."""

import argparse
import os
import shlex
import sys
from pathlib import Path

from kafka_census.defaults import CENSUS, CONFIG
from kafka_census.errors import ConfigError
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

HELP = "Write a first configuration, with every key explained. Overwrites nothing."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`PATH`."""
    parser.add_argument("path", nargs="?", default=CONFIG, metavar="PATH", help=f"default: {CONFIG}")


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Write the file, and its folder where that is missing. Raises ConfigError where the file already exists."""
    path = Path(args.path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(CENSUS.read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise ConfigError(f"{error.filename} already exists and stays as it is; name another PATH") from None
    except OSError as error:
        raise ConfigError(f"{args.path} cannot be written: {error.strerror}; name another PATH") from None
    named = "" if os.path.normpath(path) == CONFIG else f" --config {shlex.quote(args.path)}"
    then = f"Name your brokers in it, under clusters, then: kafka-census run{named} --cluster local"
    write_lines([f"{args.path} is written. {then}"], sys.stdout)
    return 0
