"""Which census a job works on: what may be resumed, what is of the future, what is meant by name."""

from dataclasses import replace

import pytest

from kafka_census.errors import (
    ClockBehind,
    ConfigError,
    WrongCluster,
)
from kafka_census.lake.cluster_key import Last
from kafka_census.workflows import census as workflow
from kafka_census.workflows.work import CensusWork
from unit.workflow.stand_ins import AHEAD, BEFORE, ENDED, Noted, Parts, run


def test_resume_goes_on_with_an_unfinished_census(work: CensusWork, runs: Noted) -> None:
    runs.runs = [run("started", "landed", "failed")]
    workflow.run_ingest(replace(work, resume=True))
    assert runs.noted == [(BEFORE, "resumed", None), (BEFORE, "landed", None)]


@pytest.mark.parametrize("events", ENDED)
def test_resume_starts_a_new_census_when_none_is_unfinished(
    work: CensusWork, runs: Noted, events: tuple[str, ...]
) -> None:
    """A scheduler may always say --resume."""
    runs.runs = [run(*events)] if events else []
    workflow.run_ingest(replace(work, resume=True))
    assert runs.noted[0][0] != BEFORE
    assert runs.events[0] == "started"


def test_a_census_that_died_after_its_publication_is_only_noted(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Nobody is asked again and nothing is written: readers see it already, and `census_runs` did not know."""
    runs.runs, parts.is_published = [run("started", "landed")], True
    workflow.run_census(replace(work, resume=True))
    assert parts.called == ["identify", "lock local", "unlock", "report"]
    assert runs.events == ["resumed", "published"]


def test_a_census_that_is_too_old_is_not_resumed(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Its pages would mix two times. Asked for by name: exit code 2; by `--resume`: a new one starts and says why."""
    runs.runs = [run("started", census_id="20261121T105959000Z-00000a")]
    with pytest.raises(ConfigError, match=r"started 1h 1s ago, resume_within is 1h; start a new one"):
        workflow.run_ingest(replace(work, census_id="20261121T105959000Z-00000a"))
    assert "ingest" not in parts.called
    reported: list[str] = []
    workflow.run_ingest(replace(work, resume=True, progress=lambda event, **_fields: reported.append(event)))
    assert reported[0] == "too_old_to_resume"
    assert runs.events[0] == "started"


@pytest.mark.parametrize("resume", [False, True])
def test_a_census_that_would_stay_hidden_is_refused_before_anything_is_asked(
    work: CensusWork, parts: Parts, runs: Noted, resume: bool
) -> None:
    """The clock is behind the last published census: the line has the difference and both ways out; exit code 1."""
    runs.runs = [run("started", "published", census_id=AHEAD)]
    parts.published = [Last("kraft-id", "local", BEFORE), Last("kraft-id", "local", AHEAD)]
    with pytest.raises(ClockBehind) as caught:
        workflow.run_census(replace(work, resume=resume))
    assert str(caught.value) == (
        f"this machine's clock is 3h 2m behind the last published census of cluster 'local', {AHEAD}: a new census "
        "would stay hidden behind that one; set the clock, or, if that census was made by a wrong clock, retire it: "
        f"kafka-census maintain --cluster local --retire {AHEAD} --apply"
    )
    assert caught.value.exit_code == 1
    assert (parts.called, runs.noted) == ([], [])


def test_the_clock_of_another_cluster_does_not_matter(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Nor is the last published census of the same cluster in the way while it is an earlier one."""
    parts.published = [Last("other-id", "other", AHEAD), Last("kraft-id", "local", BEFORE)]
    workflow.run_census(work)
    assert runs.events[-1] == "published"


def test_a_cluster_is_known_by_its_id_where_it_has_a_new_name(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Readers see one census of a cluster, whatever its name: nothing is landed behind it."""
    parts.published = [Last("kraft-id", "former-name", AHEAD)]
    with pytest.raises(ClockBehind, match="clock is 3h 2m behind the last published census of cluster 'local'"):
        workflow.run_census(renamed(work))
    assert (parts.called, runs.noted) == ([], [])


def renamed(work: CensusWork) -> CensusWork:
    """The same work on a cluster that had another name."""
    section = work.config.clusters["local"].model_copy(update={"former_names": ("former-name",)})
    return replace(work, config=replace(work.config, clusters={**work.config.clusters, "local": section}))


def test_an_id_that_was_published_under_another_name_is_refused(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Two clusters with one copied id would replace and be compared with each other: exit code 1, and both ways out."""
    parts.published = [Last("kraft-id", "dev", BEFORE), Last("other-id", "prod", BEFORE)]
    with pytest.raises(WrongCluster) as caught:
        workflow.run_census(work)
    assert str(caught.value) == (
        "cluster 'local' is not surveyed into this lake: this lake has censuses of cluster id kraft-id under another "
        f"name, 'dev' (the last is {BEFORE}); where 'dev' was renamed to 'local', set clusters.local.former_names: "
        "[dev]; where these are two clusters, one has a copied cluster.id: give each a lake of its own (lake.root), or "
        "format one with another cluster.id"
    )
    assert (caught.value.exit_code, parts.called, runs.noted) == (1, ["identify"], [])


def test_a_renamed_cluster_goes_on(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Under the locks of both names, and with the unfinished census of the former name."""
    parts.published = [Last("kraft-id", "former-name", "20261121T114000000Z-00000a")]
    begun = run("started", "landed", "failed")
    runs.runs = [replace(begun, census=replace(begun.census, cluster="former-name"))]
    workflow.run_ingest(replace(renamed(work), resume=True))
    assert runs.noted == [(BEFORE, "resumed", None), (BEFORE, "landed", None)]
    assert "lock local, former-name" in parts.called


def test_a_former_name_of_another_cluster_is_refused(work: CensusWork, parts: Parts, runs: Noted) -> None:
    made = run("started", "published")
    runs.runs = [replace(made, census=replace(made.census, cluster="former-name", cluster_id="id-of-another"))]
    with pytest.raises(WrongCluster, match="the censuses of 'former-name' in this lake are of id-of-another"):
        workflow.run_census(renamed(work))


def test_a_census_that_was_killed_once_it_was_published_goes_on(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Readers see it already, and the runs does not say so yet: it is its own last one."""
    runs.runs = [run("started", "landed")]
    parts.published = [Last("kraft-id", "local", BEFORE)]
    workflow.run_census(replace(work, resume=True))
    assert (runs.noted[0], runs.noted[-1]) == ((BEFORE, "resumed", None), (BEFORE, "published", None))


def test_an_unfinished_census_behind_a_published_one_is_not_resumed(
    work: CensusWork, parts: Parts, runs: Noted
) -> None:
    """By name: exit code 2. Nobody would see what the brokers are asked for."""
    runs.runs = [run("started", "failed")]
    parts.published = [Last("kraft-id", "local", "20261121T115500000Z-00000b")]
    with pytest.raises(ConfigError, match=r"started 5m before the last published one, 20261121T115500000Z-00000b,"):
        workflow.run_census(replace(work, census_id=BEFORE))
    assert parts.called == []


@pytest.mark.parametrize("step", ["run_ingest", "run_transform", "run_gate", "run_publish"])
def test_a_census_from_the_future_is_not_worked_on(work: CensusWork, parts: Parts, runs: Noted, step: str) -> None:
    """Made where the clock was ahead, it must not be published. By default steps take the last one before it."""
    runs.runs = [run("started", "landed", "staged", "failed", census_id=AHEAD)]
    with pytest.raises(ClockBehind, match=f"^census {AHEAD} of local starts 3h 2m after the time of this machine's"):
        getattr(workflow, step)(replace(work, census_id=AHEAD))
    assert (parts.called, runs.noted) == ([], [])
    runs.runs.append(run("started", "landed", "staged"))
    getattr(workflow, step)(replace(work, resume=True))
    assert {census_id for census_id, _, _ in runs.noted} == {BEFORE}


def test_a_census_by_name_must_exist_and_be_open(work: CensusWork, runs: Noted) -> None:
    """An unknown, malformed or published id is refused; a refused census may be asked again."""
    with pytest.raises(ConfigError, match=f"has no census {BEFORE} in this lake"):
        workflow.run_ingest(replace(work, census_id=BEFORE))
    with pytest.raises(ConfigError, match="no census id"):
        workflow.run_ingest(replace(work, census_id="latest"))
    runs.runs = [run("started", "published")]
    with pytest.raises(ConfigError, match="is published already; start a new one"):
        workflow.run_ingest(replace(work, census_id=BEFORE))
    runs.runs = [run("started", "refused")]
    workflow.run_ingest(replace(work, census_id=BEFORE))
    assert runs.events == ["resumed", "landed"]
