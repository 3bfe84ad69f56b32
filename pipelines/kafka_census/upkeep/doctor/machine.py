"""Collects the facts about this machine and the lake: Java, the jars of Delta, and whether the folder can be written.

Nothing is downloaded and no file stays behind. Only a lake in a local folder can be checked without Spark.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kafka_census.errors import CensusError
from kafka_census.jars import ivy as jars
from kafka_census.jars.delta import delta_set
from kafka_census.lake.cluster_key import KEY, Last
from kafka_census.lake.folder import require_usable
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import holder
from kafka_census.upkeep.doctor.facts import Found, History, Machine

_RUNS, _PUBLICATIONS = "audit/census_runs", "audit/publications"


def look(lake: Lake, given_by: str | None) -> Machine:
    """The facts about the machine; `given_by` is the platform that brings Java and jars, None without a platform."""
    address = lake.root or f"catalog {lake.catalog}"
    there = lake.folder
    machine = Machine(given_by, _java(), _jars(), Found(address), is_local=there is not None)
    if there is None:
        return machine
    trouble = None
    try:
        require_usable(lake, writes=True)
    except CensusError as error:
        trouble = str(error)
    nearest = next(path for path in (there, *there.parents) if _is_there(path))
    free_bytes = shutil.disk_usage(nearest).free
    return replace(machine, lake=Found(address, trouble), is_there=nearest == there, free_bytes=free_bytes)


def history(lake: Lake, names: tuple[str, ...], cluster_id: str | None) -> History:
    """The lake's history of a cluster's configured name.

    names       the present name of the cluster, then its former names
    cluster_id  the id that a server answered; None without an answer

    The package deltalake reads the audit tables, as in `kafka_census.current`.
    """
    if lake.folder is None:
        return History(unread=f"{lake.root or lake.catalog} is no local folder: only Spark reads it")
    try:
        known = History(holder=next(filter(None, (holder(lake, name) for name in names)), None))
    except CensusError as error:
        known = History(lock_trouble=str(error))
    try:
        runs = _lasts(lake.folder / _RUNS, "cluster", names)
        published = _lasts(lake.folder / _PUBLICATIONS, KEY, [cluster_id] if cluster_id else [])
    except _Unread as error:
        return replace(known, unread=str(error))
    last = max(runs, key=lambda one: one.census_id, default=None)
    return replace(known, cluster_id=last.cluster_id if last else None, published=tuple(published))


class _Unread(Exception):
    """Why an audit table could not be read."""


def _lasts(table: Path, column: str, values: Sequence[str]) -> list[Last]:
    """The last census of each cluster id and name, of those with such a value in a column. Raises _Unread."""
    if not _is_there(table):
        return []
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError as error:
        raise _Unread(
            f"reading the lake needs the package {error.name}: pip install 'kafka-census[deltalake]'"
        ) from None
    try:
        dataset = DeltaTable(str(table)).to_pyarrow_dataset()
        rows = dataset.to_table(columns=["census_id", KEY, "cluster"], filter=ds.field(column).isin(values))
        last = rows.group_by([KEY, "cluster"]).aggregate([("census_id", "max")]).to_pylist()
    except (DeltaError, pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise _Unread(f"{table} cannot be read: {' '.join(str(error).split())}") from error
    return [Last(row[KEY], row["cluster"], row["census_id_max"]) for row in last]


def _is_there(path: Path) -> bool:
    """Whether the path exists; False behind a folder that this process may not enter."""
    return os.access(path, os.F_OK)


def _java() -> Found:
    try:
        command, version = jars.java_found()
    except CensusError as error:
        return Found("", str(error))
    return Found(f"{version}, {command}")


def _jars() -> Found | None:
    try:
        delta = delta_set()
        if not jars.fetched(delta):
            return None
        return Found(f"{delta} in {jars.cache_folder()}", jars.lacking(delta))
    except CensusError as error:
        return Found("", str(error))
