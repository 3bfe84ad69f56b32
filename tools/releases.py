"""What another release of Kafka changes for the census: `python -m tools.releases 4.3.1 4.4.0`.

Compares the message files of two releases and prints a Markdown table of the APIs whose versions or fields differ:
first those that the census sends, each with the fields that came or went and the versions that have them; then, in a
line each, new APIs and those that it does not use. A release is one of `jars/jar_sets.py` (so the first step of an
upgrade is its jar set, and `python -m kafka_census.jars --lock kafka-X.Y.Z`), or the path of a kafka-clients jar.
"""

import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kafka_census.deletion.writing.delete_groups import DELETE_GROUPS
from kafka_census.errors import CensusError, ConfigError
from kafka_census.jars.ivy import jars
from kafka_census.kafka.rpc import RPCS

Json = dict[str, Any]

OURS = frozenset(
    {api.name for rpc in (*RPCS, DELETE_GROUPS) for api in rpc.apis}
    | {"Metadata", "FindCoordinator", "OffsetCommit", "SaslHandshake", "SaslAuthenticate"}
)
"""The APIs that the census sends: those of its RPCs, and those of connections and of the deletion of groups."""

_FOLDER, _KINDS = "common/message/", ("Request", "Response")


def messages(release: str) -> dict[str, Json]:
    """The message schemas of a release, by name, such as DeleteGroupsRequest. Raises CensusError."""
    path = Path(release)
    if path.suffix != ".jar":
        path = next(jar for jar in jars(f"kafka-{release}") if jar.name.startswith("kafka-clients-"))
    try:
        with zipfile.ZipFile(path) as content:
            found = {name: content.read(name).decode() for name in content.namelist() if name.startswith(_FOLDER)}
    except (OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{path} cannot be read as a jar: {error}") from None
    # One file of 2.8.2 has a brace too many.
    return {
        Path(name).stem: json.JSONDecoder().raw_decode(re.sub(r"(?m)^\s*//.*$", "", text).strip())[0]
        for name, text in found.items()
        if name.endswith(".json")
    }


def report(old: Mapping[str, Json], new: Mapping[str, Json], names: tuple[str, str]) -> list[str]:
    """The lines of the table, and of what does not concern the census; `names` are the releases."""
    lines = [f"| API | {names[0]} | {names[1]} | what |", "|---|---|---|---|"]
    lines += [row for api in sorted(OURS) if (row := _row(api, old, new))]
    changed = [row for api in _apis(old) & _apis(new) - OURS if (row := _row(api, old, new))]
    others = sorted(row.split(" | ")[0].removeprefix("| ") for row in changed)
    added = sorted(f"{api} ({new[f'{api}Request']['apiKey']})" for api in _apis(new) - _apis(old))
    gone = sorted(_apis(old) - _apis(new))
    for what, apis in (("not ours, changed", others), ("new", added), ("gone", gone)):
        lines += ["", f"{what}: {', '.join(apis)}"] if apis else []
    return lines


def _apis(schemas: Mapping[str, Json]) -> set[str]:
    return {name.removesuffix("Request") for name in schemas if name.endswith("Request")}


def _row(api: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> str | None:
    """The row of an API; None where nothing differs that is on the wire."""
    before, after = ([schemas.get(f"{api}{kind}", {}) for kind in _KINDS] for schemas in (old, new))
    versions = [one[0].get("validVersions", "none") for one in (before, after)]
    what = [
        f"{kind.lower()}: {', '.join(changes)}"
        for kind, *both in zip(_KINDS, before, after, strict=True)
        if (changes := list(_changes(*both)))
    ]
    if versions[0] == versions[1] and not what:
        return None
    return f"| {api} | {versions[0]} | {versions[1]} | {'; '.join(what)} |"


def _changes(old: Json, new: Json) -> Iterator[str]:
    before, after = dict(_fields(old, new)), dict(_fields(new, old))
    for path in sorted({*before, *after}):
        if path not in before:
            yield f"+{path} ({after[path]})"
        elif path not in after:
            yield f"-{path} ({before[path]})"
        elif before[path] != after[path]:
            yield f"{path} ({before[path]}, now {after[path]})"


def _fields(schema: Json, other: Json) -> Iterator[tuple[str, str]]:
    """The path of each field, and its type and versions; those of a struct with a name, if both messages have it."""
    yield from _nested("", schema.get("fields", []))
    known = {struct["name"] for struct in other.get("commonStructs", [])}
    for struct in schema.get("commonStructs", []):
        yield from _nested(f"{struct['name']}.", struct["fields"]) if struct["name"] in known else ()


def _nested(prefix: str, fields: Iterable[Json]) -> Iterator[tuple[str, str]]:
    for field in fields:
        nullable = " or null" if "nullableVersions" in field else ""
        yield f"{prefix}{field['name']}", f"{field['type']}{nullable}, v{field['versions']}"
        yield from _nested(f"{prefix}{field['name']}.", field.get("fields", []))


def main(arguments: list[str]) -> int:
    """Print the table; returns an exit code."""
    if len(arguments) != len(_KINDS):
        sys.stderr.write("usage: python -m tools.releases OLD NEW\n")
        return 2
    try:
        old, new = map(messages, arguments)
    except CensusError as error:
        sys.stderr.write(f"tools.releases: {error}\n")
        return error.exit_code
    sys.stdout.write("\n".join(report(old, new, (arguments[0], arguments[1]))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
