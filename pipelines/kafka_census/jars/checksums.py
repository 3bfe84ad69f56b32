"""SHA-256 of every jar that may be on a class path: `jars.sha256`, one line per jar, as sha256sum writes them.

    <sha256>  <set>/<file>

`make jars-lock` downloads all sets again and writes the file; review a change of the file like a change of
requirements.lock. A folder of jars is valid when it holds exactly these files.
"""

import hashlib
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

FILE = Path(__file__).with_name("jars.sha256")


def checksums(jar_set: str) -> dict[str, str]:
    """The SHA-256 of each jar of a set, by file name; empty for a set that is not in the file."""
    return {jar: digest for known, jar, digest in _lines() if known == jar_set}


def known_sets() -> set[str]:
    """The sets that are in the file."""
    return {jar_set for jar_set, _, _ in _lines()}


def write_checksums(folders: Mapping[str, Path], keep: Iterable[str] = ()) -> None:
    """Write the checksums of the sets in these folders; lines of the sets to keep stay unchanged."""
    kept = {(jar_set, jar): digest for jar_set, jar, digest in _lines() if jar_set in keep}
    made = {(jar_set, jar.name): _digest(jar) for jar_set, folder in folders.items() for jar in folder.iterdir()}
    lines = [f"{digest}  {jar_set}/{jar}\n" for (jar_set, jar), digest in sorted((kept | made).items())]
    FILE.write_text("".join(lines), encoding="utf-8")


def _lines() -> Iterator[tuple[str, str, str]]:
    """Set, jar and digest of each line."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        jar_set, _, jar = name.partition("/")
        yield jar_set, jar, digest


def wrong_in(folder: Path, expected: Mapping[str, str]) -> str | None:
    """The problem with a folder of jars, or None: a jar is missing or differs, or a file does not belong there.

    This reads every byte: 9 MB of Delta take 0.02 s, 45 MB of a Kafka release 0.2 s.
    """
    found = {entry.name: entry for entry in folder.iterdir()}
    for name in sorted({*found, *expected}):
        if name not in expected:
            return f"{name} does not belong there"
        if name not in found:
            return f"{name} is missing"
        if not stat.S_ISREG(found[name].lstat().st_mode) or _digest(found[name]) != expected[name]:
            return f"{name} is not the jar that was released (its SHA-256 is another one)"
    return None


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
