"""What holds of the examples for one machine, cron's and systemd's."""

import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser, SectionProxy
from pathlib import Path

import pytest

from kafka_census.cli.command import parser


def is_a_census(words: list[str]) -> None:
    """They are understood, and nothing but a census or its upkeep."""
    args = parser(words[:1]).parse_args(words)
    assert words[0] in ("run", "maintain")
    assert args.config.endswith("census.yaml")


def by_cron(_tmp_path: Path, file: Path) -> None:
    """Five fields, a user, a command."""
    lines = file.read_text(encoding="utf-8").splitlines()
    jobs = [line.split(maxsplit=6) for line in lines if re.match(r"[\d*]", line)]
    assert [job[0] for job in jobs] == ["0", "30"]
    for *_, user, command in jobs:
        assert user == "census"
        program, *words = shlex.split(re.split(r" 2?>>", command)[0])
        assert program.endswith("/bin/kafka-census")
        is_a_census(words)


def by_systemd(tmp_path: Path, file: Path) -> None:
    """A unit that systemd understands without a warning; the timer starts the service of its name."""
    service = file.with_suffix(".service")
    program, *words = shlex.split(section(service, "Service")["ExecStart"])
    assert program.endswith("/bin/kafka-census")
    is_a_census(words)
    if file.suffix == ".timer":
        assert section(file, "Timer")["OnCalendar"] == "hourly"
    assert verified(tmp_path, file.name, (service, file), program) == (0, "")


def verified(tmp_path: Path, name: str, units: tuple[Path, ...], program: str) -> tuple[int, str]:
    """The exit code and the warnings of `systemd-analyze verify` in a root that has these units and the program."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing: apt-get install systemd")
    root = tmp_path / "root"
    installed, command = root / "etc" / "systemd" / "system", root / program.lstrip("/")
    installed.mkdir(parents=True)
    for unit in units:
        shutil.copy(unit, installed)
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(0o755)
    verify = ["systemd-analyze", "verify", "--recursive-errors=no", f"--root={root}", name]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def section(file: Path, name: str) -> SectionProxy:
    """A section of a unit, whose specifiers are those of the system's manager (systemd.unit(5))."""
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(file.read_text(encoding="utf-8").replace("%C", "/var/cache").replace("%S", "/var/lib"))
    return unit[name]
