"""When a census tells how it ended, and that nothing which goes wrong in telling changes that."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest

from kafka_census.alerts import textfile
from kafka_census.alerts.webhook import Webhook
from kafka_census.census.notification import notifies
from kafka_census.census.work import Work
from kafka_census.errors import ConfigError, LockHeld, TroubleFound, Unreachable
from kafka_census.kafka.protocol.secret import Secret
from unit.workflow.stand_ins import NOON, into, renamed

BEFORE = 'kafka_census_last_success_timestamp_seconds{cluster="local"} 7.0\n'


@pytest.fixture
def warned() -> list[str]:
    """The events that are warnings."""
    return []


@pytest.fixture
def work(work: Work, warned: list[str]) -> Work:
    progress = Mock(warning=lambda event, **_: warned.append(event))
    return into(replace(work, progress=progress, runs=None), ".")  # type: ignore[arg-type] # it notes nothing there


def ends(error: BaseException | None = None, *, published: bool = False) -> Callable[[Work], None]:
    @notifies
    def step(work: Work) -> None:
        """The step."""
        work.outcome.published, work.outcome.landed = published, Mock()
        if error:
            raise error

    return step


def figures() -> tuple[float | None, float | None]:
    found = textfile.read(textfile.path_of(".", "local"))
    names = ("last_run_exit_code", "last_success_timestamp_seconds")
    return found.get(f"kafka_census_{names[0]}"), found.get(f"kafka_census_{names[1]}")


@pytest.mark.parametrize(
    ("error", "published", "code"),
    [
        # How each step of a census ends is in test_notified_census.py.
        (None, True, 0),
        (RuntimeError("a bug"), False, 1),
        # What somebody asked to fail on is for whoever started the census: its figures say what was found.
        (TroubleFound("offline"), True, 0),
        # A typo, a census beside this one, somebody's Ctrl-C: they say nothing of the cluster.
        (ConfigError("--census-id"), False, None),
        (LockHeld("by process 1"), False, None),
        (KeyboardInterrupt(), False, None),
    ],
    ids=repr,
)
def test_how_a_census_ended_is_reported_and_an_error_goes_on_its_way(
    work: Work, warned: list[str], error: BaseException | None, published: bool, code: int | None
) -> None:
    """The last success stays. No census stays in memory: a job of several clusters would keep the rows of all."""
    textfile.path_of(".", "local").write_text(BEFORE, encoding="utf-8")
    for ours, reported in ((into(work, None), None), (work, code)):
        with nullcontext() if error is None else pytest.raises(type(error)) as caught:
            ends(error, published=published)(ours)
        assert error is None or caught.value is error
        assert figures() == (reported, NOON.timestamp() if reported == 0 else 7)
        assert (ours.outcome.landed, warned) == (None, [])


def test_the_file_of_a_former_name_goes_on_under_the_present_one(work: Work, warned: list[str]) -> None:
    """Figures that a census does not know are taken over from the file of the former name, which is removed."""
    textfile.path_of(".", "former-name").write_text(BEFORE, encoding="utf-8")
    with pytest.raises(Unreachable):
        ends(Unreachable("nobody"))(renamed(work))
    assert (figures(), warned) == ((1, 7), [])
    assert not textfile.path_of(".", "former-name").exists()


def test_what_goes_wrong_in_telling_is_a_warning(work: Work, warned: list[str]) -> None:
    """A folder that went away, and a file that cannot be read, which is written anew: it would never be mended.

    The webhook needs the lake, which has no Spark here; the file does not.
    """
    ends(published=True)(into(work, "away"))
    file = textfile.path_of(".", "local")
    file.write_text("half of a li{", encoding="utf-8")
    ends(published=True)(work)
    assert figures()[0] == 0
    file.unlink()
    hook = Webhook(Secret("http://127.0.0.1:1/hook"), timedelta(seconds=1))
    ends(published=True)(replace(work, webhook=hook))
    assert figures()[0] == 0
    assert warned == ["prometheus_file_not_written", "prometheus_file_not_read", "webhook_not_notified"]
