"""Notifications at the end of a census: figures in a file for Prometheus, a message to the webhook.

The section `alerts` of the configuration names the receivers. A failed notification does not change the result of the
census: it is a warning in the log, and the next census tries again. Steps before the last one notify only when
they fail; bad usage, and a census that found the lock held, do not notify.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING

from kafka_census.alerts.facts import WITHOUT_SCHEDULE, Facts
from kafka_census.census.work import Work
from kafka_census.errors import ConfigError, LockHeld, TroubleFound
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line

if TYPE_CHECKING:
    from kafka_census.alerts.states import Change

Step = Callable[[Work], None]


def notifies(step: Step) -> Step:
    """A decorator: the step, followed by notifications; an error of the step is raised again.

    The census is no longer in memory then: a job of several clusters has more of them to come.
    """

    @wraps(step)
    def run(work: Work) -> None:
        try:
            if work.config.alerts.are_on:
                _notified(step, work)
            else:
                step(work)
        finally:
            work.outcome.landed = None

    return run


def _notified(step: Step, work: Work) -> None:
    try:
        step(work)
    except (ConfigError, LockHeld):
        raise
    except TroubleFound:  # the census succeeded, and its figures show the problems
        _notify(work, 0)
        raise
    except Exception as error:
        known = explained(error, work.redactor.hide)
        _notify(work, 1 if known is None else known.exit_code)
        raise
    if work.outcome.published:
        _notify(work, 0)


def _notify(work: Work, exit_code: int) -> None:
    """Write the file, then send the message: the file needs no Spark, which may have failed."""
    facts = Facts(
        cluster=work.cluster,
        ended_at=work.clock.now(),
        exit_code=exit_code,
        tables=frozenset(work.config.tables),
        census=work.outcome.census,
        published=work.outcome.published,
        judgement=work.outcome.judgement,
        counts=_counts(work),
        max_age=work.config.max_age or WITHOUT_SCHEDULE,
    )
    if work.config.alerts.prometheus_folder is not None:
        _write_file(work, facts, work.config.alerts.prometheus_folder)
    with _warned(work, "webhook_not_notified"):
        _call_webhook(work, facts)


def _counts(work: Work) -> Mapping[str, float]:
    """The counts in the tables of a census that reached the gate; empty where counting fails."""
    from kafka_census.alerts.counting import count

    judgement, landed = work.outcome.judgement, work.outcome.landed
    if judgement is not None and landed is not None:
        with _warned(work, "figures_not_counted"):
            return count({judged.table_name: judged.row_count for judged in judgement.tables}, landed.staged)
    return {}


def _write_file(work: Work, facts: Facts, folder: str) -> None:
    from kafka_census.alerts import textfile
    from kafka_census.alerts.metrics import figures

    paths = [textfile.path_of(folder, name) for name in work.names]
    path, *former = paths
    before: Mapping[str, float] = {}
    for each in reversed(paths):
        with _warned(work, "prometheus_file_not_read", path=str(each)):
            before = textfile.read(each) or before
    with _warned(work, "prometheus_file_not_written", path=str(path)):
        textfile.write(path, work.cluster, figures(facts, before))
        # Their figures would be exported for ever beside those of the present name.
        for each in former:
            each.unlink(missing_ok=True)


def _call_webhook(work: Work, facts: Facts) -> None:
    """Send the changes since the last accepted message, then store them."""
    from kafka_census.alerts.metrics import figures
    from kafka_census.alerts.notifications import open_since, remember
    from kafka_census.alerts.states import Change, changes
    from kafka_census.alerts.webhook import message, send

    if work.webhook is None:
        return
    before = open_since(work.spark, work.config.lake, work.names)
    changed: Sequence[Change] = changes(figures(facts, {}), before, facts.ended_at)
    if changed:
        changed = _owned(work, changed)
        send(work.webhook, message(facts, changed, work.webhook))
        remember(work.spark, work.config.lake, facts, changed, work.names)
        work.progress("webhook_notified", changes=[f"{change.state.name} {change.event}" for change in changed])


def _owned(work: Work, changed: Sequence["Change"]) -> Sequence["Change"]:
    """The changes with the owners of what opened them, where owners are configured; without, where counting fails."""
    from kafka_census.alerts.counting import with_owners

    if work.values.owners and work.outcome.landed is not None:
        with _warned(work, "owners_not_counted"):
            return with_owners(changed, work.outcome.landed.staged)
    return changed


@contextmanager
def _warned(work: Work, event: str, **fields: str) -> Iterator[None]:
    """Turn every error of the block into a warning."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - reported; the result of the census does not change
        work.progress.warning(event, **fields, error=one_line(error, work.redactor.hide))
