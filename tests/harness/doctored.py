"""`kafka-census doctor` as an operator types it, in this process: its output and its exit code."""

import argparse
import contextlib
import io
import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from kafka_census.cli import doctor
from kafka_census.errors import CensusError
from kafka_census.terminal.log import Redactor

CLUSTER = "prod"


@dataclass(frozen=True)
class Ran:
    """The output as lines, and as JSON directly afterwards; both runs have the same exit code."""

    code: int
    text: str
    json: Mapping[str, Any]

    @cached_property
    def checks(self) -> Mapping[str, Mapping[str, Any]]:
        """Every check by its name, of one cluster and of the machine."""
        return {check["check"]: check for part in self.json["parts"] for check in part["checks"]}

    def states(self, state: str) -> set[str]:
        return {name for name, check in self.checks.items() if check["state"] == state}

    def details(self, check: str) -> list[str]:
        return [f"{one['where']}: {one['what']}; to do: {one['remedy']}" for one in self.checks[check]["details"]]

    def pasted(self, folder: Path) -> list[list[str]]:
        """The printed command lines as a shell splits them: the words of each, which are those of the JSON."""
        tool = folder / "kafka-acls"
        tool.write_text('#!/bin/sh\nprintf "%s\\n" kafka-acls "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
        lines = self.text.splitlines()
        is_part = [line.lstrip().startswith("kafka-acls ") for line in lines]
        for at in range(1, len(lines)):
            is_part[at] |= is_part[at - 1] and lines[at - 1].endswith("\\")
        script = "\n".join(line for line, part in zip(lines, is_part, strict=True) if part)
        path = f"{folder}:{os.environ['PATH']}"
        done = subprocess.run(["sh", "-c", script], env={"PATH": path}, capture_output=True, text=True, check=True)
        commands: list[list[str]] = []
        for word in done.stdout.splitlines():
            if word == tool.name:
                commands.append([])
            commands[-1].append(word)
        reported = [line for check in self.checks.values() for line in check["commands"]]
        assert list(map(shlex.join, commands)) == reported
        return commands


def written(
    folder: Path, servers: str, *, lake: str = "lake", others: Mapping[str, Any] | None = None, **cluster: Any
) -> Path:
    """The file of a configuration of one cluster in a folder; `others` are more of its sections."""
    section = {"bootstrap_servers": servers.split(","), **cluster}
    path = folder / "census.yaml"
    path.write_text(
        yaml.safe_dump({"lake": {"root": str(folder / lake)}, "clusters": {CLUSTER: section}, **(others or {})}),
        encoding="utf-8",
    )
    return path


def doctored(config: Path | None, *words: str) -> Ran:
    where = () if config is None else ("--config", str(config))
    code, text = typed(*where, *words)
    again, as_json = typed(*where, "--json", *words)
    assert code == again
    assert [line for line in text.splitlines() if len(line) > 80 and max(map(len, line.split())) < 50] == []
    return Ran(code, text, json.loads(as_json))


def typed(*words: str) -> tuple[int, str]:
    """The exit code and the output; an error of ours as its line."""
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            code = doctor.run(parser.parse_args(words), Redactor())
        except CensusError as error:
            return error.exit_code, str(error)
    return code, out.getvalue()
