"""The configuration of a command line, and what somebody should know of where it comes from."""

import argparse
import sys

from kafka_census.cli.usage import given
from kafka_census.config import Config, load_given
from kafka_census.terminal.display import write_lines


def configured(args: argparse.Namespace, *, asks: bool = True) -> Config:
    """The configuration, whose notes go to stderr.

    asks  whether brokers must be named; without, a lake is enough

    Raises ConfigError with all mistakes.
    """
    config = load_given(given(args), asks=asks)
    print_notes(config)
    return config


def print_notes(config: Config) -> None:
    """What somebody should know of a configuration, on stderr."""
    write_lines([f"note: {line}" for line in config.notes], sys.stderr)
