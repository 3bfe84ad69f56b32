"""The search for secrets, during a run and after it: in its output, its files, and its processes.

Text secrets are searched as they are, percent-encoded, and in base64 and hex; bytes as Python prints them, and in
base64 and hex. Parquet is compressed: it is decoded first.
"""

import threading
from base64 import b64encode
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote_plus

import pyarrow.parquet as pq

from harness.processes import running


class Canaries:
    """Secrets that must appear nowhere."""

    def __init__(self, secrets: Collection[str | bytes]) -> None:
        assert secrets
        assert min(map(len, secrets)) >= 8
        self._spelled = {spelling: secret for secret in secrets for spelling in _spellings(secret)}

    def seen_in(self, text: str | bytes) -> set[str | bytes]:
        read = text if isinstance(text, str) else text.decode("utf-8", "replace")
        return {secret for spelling, secret in self._spelled.items() if spelling in read}

    def files_with_one(self, folder: Path) -> dict[str, set[str | bytes]]:
        """The secrets in the files below a folder, by file."""
        read = {
            str(path.relative_to(folder)): self.seen_in(_text(path)) for path in folder.rglob("*") if path.is_file()
        }
        return {path: seen for path, seen in read.items() if seen}


class Processes:
    """What all users, or the own user, can see of the processes of sessions (`ps aux`, `ps e`): all of a run's."""

    def __init__(self, sessions: Collection[int]) -> None:
        self._sessions = sessions
        self.command_lines: set[bytes] = set()
        self.environments: set[bytes] = set()

    def look(self) -> None:
        for process, stat, words in running():
            if int(stat[3]) in self._sessions:
                self.command_lines.add(words)
                with suppress(OSError):  # the process ended meanwhile
                    self.environments.add(Path(f"/proc/{process}/environ").read_bytes())

    def unseen(self, *words: bytes) -> list[bytes]:
        """The words that no command line contains: programs that did not run, or that nobody looked at."""
        return [word for word in words if not any(word in line for line in self.command_lines)]


@contextmanager
def watched(*sessions: int, every_s: float = 0.2) -> Iterator[Processes]:
    """The processes of sessions, polled until the block ends."""
    seen, over = Processes(sessions), threading.Event()

    def watch() -> None:
        while not over.wait(every_s):
            seen.look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _spellings(secret: str | bytes) -> Iterator[str]:
    if isinstance(secret, str):
        yield from (secret, quote_plus(secret))
        secret = secret.encode()
    else:
        yield repr(secret)[2:-1]
    yield secret.hex()
    yield from _in_base64(secret)


def _in_base64(secret: bytes) -> Iterator[str]:
    """The parts of its base64 form that do not depend on its position in the encoded text."""
    for before, unsure in ((0, 0), (1, 2), (2, 3)):
        yield b64encode(b" " * before + secret).decode().rstrip("=")[unsure:-1]


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (
        str(pq.read_table(path, partitioning=None).to_pylist())
        if data[:4] == b"PAR1"
        else data.decode("utf-8", "replace")
    )
