"""When a census tells how it ended, and that nothing which goes wrong in telling changes that."""

import io
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
import yaml

from kafka_census.alerts import textfile
from kafka_census.alerts.webhook import Webhook
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.errors import ConfigError, LockHeld, Refused, TroubleFound, Unreachable
from kafka_census.log import Redactor
from kafka_census.protocol.settings import Secret
from kafka_census.workflows.notification import notifies
from kafka_census.workflows.work import CensusWork, Outcome

NOON = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
BEFORE = 'kafka_census_last_success_timestamp_seconds{cluster="local"} 7.0\n'


class Noon(Clock):
    """A clock that stands."""

    def now(self) -> datetime:
        """Always noon."""
        return NOON


@dataclass
class Warned:
    """A `Progress` that keeps its warnings."""

    events: list[str] = field(default_factory=list)

    def __call__(self, event: str, **fields: object) -> None:
        """Nothing that is not a warning is kept."""

    def warning(self, event: str, **_fields: object) -> None:
        """Keep it."""
        self.events.append(event)


@pytest.fixture
def warned() -> Warned:
    return Warned()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warned: Warned) -> CensusWork:
    """Work on the cluster `local`, whose figures go to the current directory."""
    monkeypatch.chdir(tmp_path)
    clusters = {"local": {"bootstrap_servers": ["127.0.0.1:9092"]}}
    written = {"lake": {"root": "lake"}, "clusters": clusters, "alerts": {"prometheus_folder": "."}}
    Path("census.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    return CensusWork(
        spark=None,  # type: ignore[arg-type] # a census that failed counts nothing
        config=load("census.yaml", {}),
        cluster="local",
        clock=Noon(),
        progress=warned,
        out=io.StringIO(),
        runs=None,  # type: ignore[arg-type] # telling notes nothing in census_runs
        redactor=Redactor(),
        outcome=Outcome(),
    )


def ends(error: BaseException | None = None, *, published: bool = False) -> Callable[[CensusWork], None]:

    @notifies
    def step(work: CensusWork) -> None:
        """The step."""
        work.outcome.published = published
        if error:
            raise error

    return step


def figure(name: str) -> float | None:
    """The figure in the file for Prometheus; None where it is missing."""
    return textfile.read(textfile.path_of(".", "local")).get(f"kafka_census_{name}")


def test_a_published_census_is_reported(work: CensusWork, warned: Warned) -> None:
    ends(published=True)(work)
    assert (figure("last_run_exit_code"), figure("last_success_timestamp_seconds")) == (0, NOON.timestamp())
    assert warned.events == []


def test_the_file_of_a_former_name_goes_on_under_the_present_one(work: CensusWork, warned: Warned) -> None:
    """Figures that a census does not know are taken over from the file of the former name, which is removed."""
    textfile.path_of(".", "former").write_text(BEFORE, encoding="utf-8")
    section = work.config.clusters["local"].model_copy(update={"former_names": ("former",)})
    config = replace(work.config, clusters={**work.config.clusters, "local": section})
    with pytest.raises(Unreachable):
        ends(Unreachable("nobody"))(replace(work, config=config))
    assert (figure("last_run_exit_code"), figure("last_success_timestamp_seconds")) == (1, 7)
    assert not textfile.path_of(".", "former").exists()
    assert warned.events == []


@pytest.mark.parametrize(
    ("error", "code"), [(Refused("by a rule"), 3), (Unreachable("nobody"), 1), (RuntimeError("a bug"), 1)]
)
def test_an_error_is_reported_and_goes_on_its_way(work: CensusWork, error: Exception, code: int) -> None:
    """With the exit code that the process will have; the last success stays."""
    textfile.path_of(".", "local").write_text(BEFORE, encoding="utf-8")
    with pytest.raises(type(error)) as caught:
        ends(error)(work)
    assert caught.value is error
    assert (figure("last_run_exit_code"), figure("last_success_timestamp_seconds")) == (code, 7)


def test_a_census_that_shows_what_somebody_asked_to_fail_on_ended_well(work: CensusWork) -> None:
    """Its figures say what was found; the exit code is for whoever started it."""
    with pytest.raises(TroubleFound):
        ends(TroubleFound("offline"), published=True)(work)
    assert (figure("last_run_exit_code"), figure("last_success_timestamp_seconds")) == (0, NOON.timestamp())


@pytest.mark.parametrize("error", [ConfigError("--census-id"), LockHeld("by process 1"), KeyboardInterrupt()])
def test_what_says_nothing_of_the_cluster_is_not_reported(work: CensusWork, error: BaseException) -> None:
    """A typo, a census beside this one, somebody's Ctrl-C."""
    with pytest.raises(type(error)):
        ends(error)(work)
    assert figure("last_run_exit_code") is None


@pytest.mark.parametrize("alerts", [True, False])
@pytest.mark.parametrize("error", [None, Refused("by a rule")])
def test_a_census_does_not_stay_in_memory_after_its_end(
    work: CensusWork, alerts: bool, error: Exception | None
) -> None:
    """A job of several clusters would keep the rows of all of them."""
    section = work.config.alerts if alerts else work.config.alerts.model_copy(update={"prometheus_folder": None})
    ours = replace(work, config=replace(work.config, alerts=section))

    @notifies
    def step(work: CensusWork) -> None:
        """The gate has judged."""
        work.outcome.landed = Mock()
        if error:
            raise error

    with nullcontext() if error is None else pytest.raises(Refused):
        step(ours)
    assert ours.outcome.landed is None


def test_a_step_that_is_not_the_last_tells_nothing(work: CensusWork) -> None:
    ends()(work)
    assert figure("last_run_exit_code") is None


def test_nothing_is_reported_where_the_configuration_does_not_say_so(work: CensusWork) -> None:
    section = work.config.alerts.model_copy(update={"prometheus_folder": None})
    ends(published=True)(replace(work, config=replace(work.config, alerts=section)))
    assert figure("last_run_exit_code") is None


def test_a_folder_that_went_away_is_a_warning(work: CensusWork, warned: Warned) -> None:
    section = work.config.alerts.model_copy(update={"prometheus_folder": "away"})
    ends(published=True)(replace(work, config=replace(work.config, alerts=section)))
    assert warned.events == ["prometheus_file_not_written"]


def test_a_file_that_cannot_be_read_is_a_warning_and_written_anew(work: CensusWork, warned: Warned) -> None:
    textfile.path_of(".", "local").write_text("half of a li{", encoding="utf-8")
    ends(published=True)(work)
    assert warned.events == ["prometheus_file_not_read"]
    assert figure("last_run_exit_code") == 0


def test_the_file_is_written_also_where_the_lake_is_what_failed(work: CensusWork, warned: Warned) -> None:
    """The webhook needs the lake, which has no Spark here; the file does not."""
    hook = Webhook(Secret("http://127.0.0.1:1/hook"), timedelta(seconds=1))
    ends(published=True)(replace(work, webhook=hook))
    assert warned.events == ["webhook_not_notified"]
    assert figure("last_run_exit_code") == 0
