"""Upkeep of a lake: maintain removes old data, migrate adds new columns to the tables of an older release.

Both print their plan and execute it only with `--apply`, the part of each cluster under the
cluster's run lock, so that no census of that cluster runs meanwhile.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial

from kafka_census.census.publish.latest import replace_latest
from kafka_census.census.publish.views import keep_permanent
from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.declarations.latest import LATEST_TABLES
from kafka_census.declarations.table import Table
from kafka_census.errors import ConfigError, LockHeld
from kafka_census.lake import history, store
from kafka_census.tables.all_tables import AUDIT_TABLES, TABLES
from kafka_census.upkeep.maintenance.as_json import migration_fields, plan_fields
from kafka_census.upkeep.maintenance.ledger import read_ledger, require_whole
from kafka_census.upkeep.maintenance.maintain import execute, tend
from kafka_census.upkeep.maintenance.migrate import changes, migrate
from kafka_census.upkeep.maintenance.plan import Plan, make_plan, retiring
from kafka_census.upkeep.maintenance.retention import Retention
from kafka_census.upkeep.maintenance.text import change_lines, optimized_lines, plan_lines

_DRY = "dry run: nothing was changed; --apply does it"


def run_maintain(work: Work) -> None:
    """Retire, clear and delete by `retention`, cluster by cluster, then comment, optimize and vacuum all tables.

    With `--retire`, only the named censuses are retired. A cluster that is being surveyed is skipped
    until the next run: LockHeld is raised once the other clusters are done.
    """
    if work.retire:
        _retire(work)
        return
    lake = work.config.lake
    tables = _there(work)
    ledger = {
        cluster_id: tuple(sorted({one.census.cluster for one in known}))
        for cluster_id, known in read_ledger(work.spark, lake).items()
    }
    ours = set(work.names)
    chosen = {cluster_id: names for cluster_id, names in ledger.items() if not ours or not ours.isdisjoint(names)}
    if not chosen:
        which = f"cluster '{work.cluster}' has" if work.cluster else "there is"
        of = f" --cluster {work.cluster}" if work.cluster else ""
        raise ConfigError(f"{which} no census in this lake; survey it first: kafka-census run{of}")
    held: list[LockHeld] = []
    for cluster_id, names in chosen.items():
        try:
            with _locked(work, names):
                plan = _planned(work, cluster_id, tables)
                _show(work, plan)
                if work.apply:
                    _execute(work, plan)
        except LockHeld as error:
            held.append(error)
            work.print_json(clusters=names, cluster_id=cluster_id, locked=True)
            work.print_text([f"cluster {', '.join(names)} is left as it is: another job holds its lock"])
    work.print_text(optimized_lines(tables))
    if work.apply:
        tend(work.spark, lake, tables, work.progress)
    else:
        work.print_text([_DRY])
    if held:
        raise held[0]


def _retire(work: Work) -> None:
    """Hide the named censuses from readers. Raises ConfigError, without a change, where one of them is not visible."""
    if not work.cluster:
        raise ConfigError("--retire needs --cluster, the name of the cluster whose censuses these are")
    with _locked(work, work.names):
        # Clusters of several ids where the name was given to another cluster since.
        clusters = [
            [one for one in each if one.census.cluster in work.names]
            for each in read_ledger(work.spark, work.config.lake).values()
        ]
        visible = {one.census.census_id for each in clusters for one in each if one.visible_in}
        require_whole(one for each in clusters for one in each)
        for census_id in work.retire:
            if census_id not in visible:
                raise ConfigError(f"cluster '{work.cluster}' has no published census {census_id} in this lake")
        for known in clusters:
            named = [one for one in known if one.census.census_id in work.retire]
            if named:
                plan = retiring(named, known)
                _show(work, plan)
                if work.apply:
                    _execute(work, plan)
        if not work.apply:
            work.print_text([_DRY])


def _show(work: Work, plan: Plan) -> None:
    work.print_text(plan_lines(plan))
    work.print_json(**plan_fields(plan), applied=work.apply)


def _execute(work: Work, plan: Plan) -> None:
    """Execute the plan; censuses that readers no longer see also leave the tables `latest_<table>`, if any."""
    spark, lake = work.spark, work.config.lake
    execute(spark, lake, plan, partial(_note, work), work.progress)
    if plan.retire:
        names = [table.name for table in LATEST_TABLES if store.exists(spark, lake, table)]
        replace_latest(spark, lake, plan.cluster_id, names, work.config.tables_at_once, work.progress)


def run_migrate(work: Work) -> None:
    """Add the columns that an older release did not know. Raises CorruptLake where tables differ in another way."""
    lake = work.config.lake
    with _locked(work, sorted({*_surveyed(work), *work.config.clusters})):
        found = changes(work.spark, lake, _every_table())
        work.print_text(change_lines(found))
        work.print_json(**migration_fields(found), applied=work.apply)
        if not found:
            work.print_text(["nothing in this lake is of an older release"])
        elif not work.apply:
            work.print_text([_DRY])
        else:
            for change in found:
                migrate(work.spark, lake, change, work.progress)
            keep_permanent(work.spark, lake, work.progress)


def _surveyed(work: Work) -> list[str]:
    """The configured names of all clusters in the lake, also of an older release. Raises ConfigError if none."""
    runs = history.census_runs(work.spark, work.config.lake, store.readable)
    if runs is None:
        raise ConfigError("there is no census in this lake; survey it first: kafka-census run")
    return [row["cluster"] for row in runs.select("cluster").distinct().collect()]


def require_migrated(work: Work) -> None:
    """Raises CorruptLake when a table of the lake is of an older release, or has an unexpected schema."""
    _there(work)


def _planned(work: Work, cluster_id: str, tables: Sequence[Table]) -> Plan:
    """The plan for a cluster; the audit tables are read again under the lock, because a census may have ended."""
    known = read_ledger(work.spark, work.config.lake)[cluster_id]
    require_whole(known)
    rules = Retention(
        **work.config.retention.model_dump(),
        resume_within=work.config.resume_within,
        present=work.config.present_names,
    )
    return make_plan(work.spark, work.config.lake, known, tables, rules, work.clock.now())


def _locked(work: Work, clusters: Iterable[str]) -> ExitStack:
    """The locks of these clusters, if the job changes anything."""
    from kafka_census.lake.run_lock import hold

    with ExitStack() as locks:
        locks.enter_context(hold(work.config.lake, tuple(clusters) if work.apply else (), "maintenance"))
        return locks.pop_all()


def _note(work: Work, censuses: Sequence[Census], event: str) -> None:
    """Record an event of several censuses in one commit."""
    for census in censuses[:-1]:
        work.runs.remember(census, event)
    work.runs.note(censuses[-1], event)


def _there(work: Work) -> tuple[Table, ...]:
    """The existing tables of the lake. Raises CorruptLake as `store.find` does."""
    return tuple(table for table in _every_table() if store.exists(work.spark, work.config.lake, table))


def _every_table() -> Iterator[Table]:
    from kafka_census.landing.fetch.schema import landed_table

    yield from AUDIT_TABLES
    yield landed_table()
    yield from TABLES
    yield from LATEST_TABLES
