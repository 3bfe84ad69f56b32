"""Live group members in separate processes, until they are killed: `with` waits until they have their assignments."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from harness import processes
from harness.oracle import java_program

_JAVA = Path(__file__).with_name("java")


class Live:
    """A program that prints `ready` once its members have assignments; its output goes to `log`."""

    def __init__(self, command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
        self._command = command
        self._log = log
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = processes.start(self._command, self._log, self._env)

    def await_ready(self) -> None:
        """Wait until every member has its assignment. Raises RuntimeError."""
        if self._process is None:
            raise ValueError("not started")
        processes.await_line(self._process, self._log, "ready", 90)

    def stop(self) -> None:
        """End the members at once; their groups stay until their session timeout."""
        if self._process is not None:
            processes.kill(self._process)

    def __enter__(self) -> Self:
        self.start()
        try:
            self.await_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


@contextmanager
def together(*members: Live) -> Iterator[None]:
    with ExitStack() as alive:
        for one in members:
            one.start()
            alive.callback(one.stop)
        for one in members:
            one.await_ready()
        yield


def share_members(servers: str, group: str, topic: str, log: Path, count: int = 2) -> Live:
    """A share group whose members take and acknowledge the records of a topic."""
    return _java("ShareMembers", servers, log, group, topic, str(count))


def streams_members(
    servers: str, group: str, topics: Sequence[str], log: Path, count: int = 2, *, store: bool = True
) -> Live:
    """A streams group with tasks for each topic; it processes nothing.

    With a store the tasks for the first topic have a state store, whose changelog topic the brokers create.
    """
    kind = "store" if store else "stateless"
    return _java("StreamsMembers", servers, log, group, ",".join(topics), str(count), kind)


def _java(program: str, servers: str, log: Path, *arguments: str) -> Live:
    config = log.with_suffix(".properties")
    config.write_text(f"bootstrap.servers={servers}\n")
    return Live(java_program(_JAVA / f"{program}.java", str(config), *arguments), log)
