"""API ranges prove a release as Kafka's own message schemas have them, in ZooKeeper mode as in KRaft mode."""

import json
import re
import zipfile
from functools import cache

import pytest

from kafka_census.jars.ivy import jars
from kafka_census.kafka.protocol.releases import PROOFS, release_at_least

PROVEN = {"2.8.2": "2.8", "3.6.2": "3.5", "3.7.2": "3.7", "3.9.1": "3.9", "4.3.1": "4.3"}
"""What a broker of each of these releases proves; 3.6 has no range of its own."""

MODES = {"zkBroker": ("2.8.2", "3.6.2", "3.7.2", "3.9.1"), "broker": tuple(PROVEN)}
"""The releases that run with ZooKeeper, and those that run in KRaft mode: what their listeners are called."""

Range = tuple[int, int]


@cache
def offered(version: str, mode: str) -> dict[int, tuple[Range, bool]]:
    """By API key: the versions that a broker advertises, and whether the latest is advertised as stable."""
    jar = next(jar for jar in jars(f"kafka-{version}") if jar.name.startswith("kafka-clients-"))
    found = {}
    with zipfile.ZipFile(jar) as content:
        for name in content.namelist():
            if re.fullmatch(r"common/message/\w+Request\.json", name):
                text = re.sub(r"(?m)^\s*//.*$", "", content.read(name).decode()).strip()
                schema, _ = json.JSONDecoder().raw_decode(text)  # one of 2.8.2 has a brace too many
                lowest, _, highest = schema["validVersions"].partition("-")
                if lowest != "none" and mode in schema["listeners"]:
                    stable = not schema.get("latestVersionUnstable", False)
                    found[schema["apiKey"]] = (int(lowest), int(highest or lowest)), stable
    return found


@pytest.mark.parametrize(("mode", "version"), [(mode, version) for mode, those in MODES.items() for version in those])
def test_broker_proves_its_release_in_either_mode(mode: str, version: str) -> None:
    """No release proves a later one, and 3.6 and 3.7 are distinguished, as are 3.7 and 3.9."""
    assert release_at_least({key: versions for key, (versions, _) in offered(version, mode).items()}) == PROVEN[version]


@pytest.mark.parametrize("version", PROVEN)
def test_proofs_rest_on_stable_versions_that_both_modes_offer(version: str) -> None:
    """An unstable version can be advertised by an earlier release; one mode's API says nothing of the other."""
    of_mode = [offered(version, mode) for mode, those in MODES.items() if version in those]
    for _, key, _ in PROOFS:
        known = [one.get(key) for one in of_mode]
        assert len(set(known)) == 1, key
        assert known[0] is None or known[0][1], key
