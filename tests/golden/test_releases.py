"""API ranges prove a release as Kafka's own message schemas have them, in ZooKeeper mode as in KRaft mode."""

from functools import cache

import pytest

from kafka_census.kafka.protocol.releases import PROOFS, release_at_least
from tools import releases
from tools.releases import messages

PROVEN = {
    "2.8.2": "2.8",
    "3.6.2": "3.5",
    "3.7.2": "3.7",
    "3.9.1": "3.9",
    "4.0.2": "4.0",
    "4.1.2": "4.1",
    "4.2.1": "4.2",
    "4.3.1": "4.3",
    "4.4.0": "4.4",
}
"""What a broker of each of these releases proves; 3.6 has no range of its own."""

MODES = {"zkBroker": ("2.8.2", "3.6.2", "3.7.2", "3.9.1"), "broker": tuple(PROVEN)}
"""The releases that run with ZooKeeper, and those that run in KRaft mode: what their listeners are called."""

Range = tuple[int, int]


@cache
def offered(version: str, mode: str) -> dict[int, tuple[Range, bool]]:
    """By API key: the versions that a broker advertises, and whether the latest is advertised as stable."""
    found = {}
    for name, schema in messages(version).items():
        if name.endswith("Request") and mode in schema.get("listeners", ()) and schema["validVersions"] != "none":
            lowest, _, highest = schema["validVersions"].partition("-")
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


def test_what_a_release_changes_for_us_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Its APIs that we send, with the fields that came; others are named."""
    assert releases.main(["4.3.1", "4.4.0"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| API | 4.3.1 | 4.4.0 | what |",
        "|---|---|---|---|",
        "| ApiVersions | 0-4 | 0-5 | request: +ClusterId (string or null, v5+), +NodeId (int32, v5+) |",
        "| DeleteGroups | 0-2 | 0-3 | response: +Results.ErrorMessage (string or null, v3+) |",
        (
            "| StreamsGroupDescribe | 0 | 0-1 | request: +IncludeTopologyDescription (bool, v1+); "
            "response: +Groups.AssignorName (string or null, v1+), "
            "+Groups.TopologyDescription (TopologyDescription or null, v1+), "
            "+Groups.TopologyDescriptionStatus (int8, v1+) |"
        ),
        "",
        "not ours, changed: StreamsGroupHeartbeat, TxnOffsetCommit",
        "",
        "new: StreamsGroupTopologyDescriptionUpdate (93), UnregisterController (94)",
    ]
    assert releases.main(["4.3.1", "9.9.9"]) == 2
    assert "no jars named 'kafka-9.9.9'" in capsys.readouterr().err
