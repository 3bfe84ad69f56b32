"""The command `kafka-census`: its subcommands, what they import, how it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from kafka_census import __version__
from kafka_census.cli.command import SUBCOMMANDS, command

HEAVY = ("great_expectations", "kafka", "pandas", "duckdb", "deltalake")
IMPORTED = f"""
import sys
from contextlib import suppress
from kafka_census.cli.command import main
with suppress(SystemExit):
    main()
print(*({{*sys.modules}} & {{*{HEAVY}}}), *(name for name in sys.modules if name.startswith("kafka_census.cli.")))
"""


def imported(*argv: str) -> tuple[str, set[str]]:
    """What a command line prints in a process of its own, and what it has imported of heavy packages and of ours."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *argv], capture_output=True, text=True, timeout=60, check=True, cwd=Path("/")
    )
    text, _, last = done.stdout.rstrip("\n").rpartition("\n")
    return text, set(last.split())


def test_help_lists_every_subcommand_and_imports_nothing_heavy() -> None:
    """So that it comes at once."""
    text, modules = imported("--help")
    assert [name for name in SUBCOMMANDS if f"    {name}" not in text] == []
    assert modules.isdisjoint(HEAVY)


def test_only_the_chosen_subcommand_is_imported() -> None:
    """Another one may need what is not installed."""
    _, modules = imported("sql", "--help")
    assert modules == {"kafka_census.cli.command", "kafka_census.cli.sql"}


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And takes --debug, as the line of a bug says."""
    with pytest.raises(SystemExit) as caught:
        command([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: kafka-census {name} ")
    assert "--debug" in text


def test_python_runs_it_as_a_module() -> None:
    """`python -m kafka_census`, where the console script is not on the path."""
    done = subprocess.run(
        [sys.executable, "-m", "kafka_census", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == f"kafka-census {__version__}\n"


@pytest.mark.parametrize("argv", [[], ["census"], ["doctor", "--nonsense"], ["sql", "--form", "csv"]])
def test_bad_usage_is_one_line_and_exit_code_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As of the jobs."""
    assert command(argv) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: ")
    assert err.endswith("; see --help\n")


def test_each_mistake_of_a_configuration_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the traceback is there for who asks for it."""
    config = tmp_path / "census.yaml"
    config.write_text("lake: {root: lake}\nclusterz: {}\ntabels: []\n")
    assert command(["doctor", "--config", str(config)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert all(line.startswith("error: ") for line in lines)
    assert command(["doctor", "--debug", "--config", str(config)]) == 2
    assert "Traceback" in capsys.readouterr().err
