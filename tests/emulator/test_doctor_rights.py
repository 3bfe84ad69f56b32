"""`doctor` names the rights that a principal lacks, each by itself; what it says to paste grants them and no other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from emulator.asking import cluster, serving
from harness.doctored import Ran, doctored, written
from kafka_census.declarations.walks import WALKS
from kafka_census.upkeep.doctor.rights import NEEDS, RIGHTS, Right, kafka_acls
from kafka_emulator.features import LATEST

NAMES = {"Describe": "DESCRIBE", "DescribeConfigs": "DESCRIBE_CONFIGS", "Read": "READ"}
"""Operations as `kafka-acls` spells them, and as the emulator does."""


def acl(right: Right) -> dict[str, Any]:
    kind = right.resource.upper().replace("-", "_")
    name = "kafka-cluster" if kind == "CLUSTER" else "*"
    return {"operation": NAMES[right.operation], "resource_type": kind, "resource_name": name}


def ran(folder: Path, rights: list[Right], as_version: str = LATEST, more: Sequence[Any] = (), **others: Any) -> Ran:
    security = {"super_users": [], "acls": [*map(acl, rights), *more]}
    emulated = cluster(as_version, kip_1062=False, brokers={"count": 2}, groups={"count": 4}, security=security)
    with serving(emulated):
        return doctored(written(folder, emulated.bootstrap_servers, others=others))


def granted(commands: list[list[str]]) -> set[Right]:
    """The rights that command lines grant: each is for the principal of the configuration."""
    rights = set()
    for words in commands:
        assert words[:4] == ["kafka-acls", "--bootstrap-server", "HOST:PORT", "--add"]
        assert words[4:6] == ["--allow-principal", "User:ANONYMOUS"]
        operations = [words[at + 1] for at, word in enumerate(words) if word == "--operation"]
        resource, *name = words[6 + 2 * len(operations) :]
        assert name == ([] if resource == "--cluster" else ["*"])
        rights |= {Right(operation, resource.removeprefix("--")) for operation in operations}
    return rights


def test_every_walk_says_what_it_needs() -> None:
    assert NEEDS.keys() == {walk.name for walk in WALKS}
    assert {right for rights in NEEDS.values() for right in rights} == set(RIGHTS)
    assert granted([list(words) for words in kafka_acls("User:ANONYMOUS", RIGHTS)]) == set(RIGHTS)


@pytest.mark.parametrize("as_version", [LATEST, "3.9", "2.8"])
def test_without_any_right_each_is_named(tmp_path: Path, as_version: str) -> None:
    """With its lines; what depends on them is not reported as another failure."""
    found = ran(
        tmp_path, [], as_version, tables=["acl_inventory", "producer_state", "group_lag", "quotas", "config_drift"]
    )
    assert granted(found.pasted(tmp_path)) >= set(RIGHTS) - {Right("Describe", "transactional-id")}
    assert (found.code, found.states("failed"), found.states("not_checked")) == (1, {"rights"}, {"visibility"})


@pytest.mark.parametrize("lacking", RIGHTS, ids=str)
def test_one_right_that_is_lacking_is_the_one_that_is_named(tmp_path: Path, lacking: Right) -> None:
    """Who may read topics may describe them: without that one right of topics nothing is lacking."""
    implied = lacking == Right("Describe", "topic")
    found = ran(tmp_path, [right for right in RIGHTS if right != lacking])
    assert granted(found.pasted(tmp_path)) == (set() if implied else {lacking})
    assert [one.partition(":")[0] for one in found.details("rights")] == ([] if implied else [str(lacking)])
    assert (found.code, found.states("failed")) == ((0, set()) if implied else (1, {"rights"}))
    assert found.states("not_checked") == (set() if implied else {"visibility"})


def test_only_rights_that_the_tables_need_are_missed(tmp_path: Path) -> None:
    (right,) = ran(tmp_path, [], tables=["quorum"]).checks["rights"]["details"]
    assert (right["where"], right["tables"]) == ("Describe on the cluster", ["quorum"])
    found = ran(tmp_path, [], completeness={"visibility": "accept_unknown"})
    assert (found.code, found.states("failed"), found.checks["rights"]["state"]) == (0, set(), "warning")


def test_a_denial_of_a_transactional_id_is_no_right_that_is_lacking(tmp_path: Path) -> None:
    """It is not proven that every id is shown: the gate would say so after the census."""
    denial = {"permission": "DENY", "principal": "User:m", **acl(Right("Describe", "transactional-id"))}
    found = ran(tmp_path, list(RIGHTS), more=[denial | {"resource_name": "billing"}])
    assert (found.states("failed"), found.pasted(tmp_path)) == ({"visibility"}, [])
    assert "an ACL denies some, such as User:m of billing" in found.text
