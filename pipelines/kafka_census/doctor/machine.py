"""Collects the facts about this machine and the lake: Java, the jars of Delta, and whether the folder can be written.

Nothing is downloaded and no file stays behind. Only a lake in a local folder can be checked without Spark.
"""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from kafka_census import jars
from kafka_census.doctor.facts import Found, History, Machine
from kafka_census.errors import CensusError
from kafka_census.jar_sets import DELTA
from kafka_census.lake.folder import require_usable
from kafka_census.lake.lake import OLD_AUDIT_LAYER, Lake
from kafka_census.lake.run_lock import holder

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


def history(lake: Lake, cluster: str, cluster_id: str | None) -> History:
    """The lake's history of a cluster's configured name.

    cluster_id  the id that a server answered; None without an answer

    The package deltalake reads the audit tables, as in `kafka_census.current`.
    """
    if lake.folder is None:
        return History(unread=f"{lake.root or lake.catalog} is no local folder: only Spark reads it")
    try:
        known = History(holder=holder(lake, cluster))
    except CensusError as error:
        known = History(lock_trouble=str(error))
    if not _is_there(lake.folder / _RUNS) and _is_there(lake.folder / OLD_AUDIT_LAYER / "census_runs"):
        return replace(known, is_old=True)
    try:
        last = _last(lake.folder / _RUNS, "cluster", cluster)
        published = None if cluster_id is None else _last(lake.folder / _PUBLICATIONS, "cluster_id", cluster_id)
    except _Unread as error:
        return replace(known, unread=str(error))
    return replace(known, cluster_id=last[1] if last else None, published=published[0] if published else None)


class _Unread(Exception):
    """Why an audit table could not be read."""


def _last(table: Path, column: str, value: str) -> tuple[str, str] | None:
    """Census id and cluster id of the last census with that value in a column; None for none. Raises _Unread."""
    if not _is_there(table):
        return None
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
        rows = dataset.to_table(columns=["census_id", "cluster_id"], filter=ds.field(column) == value)
    except (DeltaError, pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise _Unread(f"{table} cannot be read: {' '.join(str(error).split())}") from error
    pairs = zip(rows["census_id"].to_pylist(), rows["cluster_id"].to_pylist(), strict=True)
    return max(pairs, default=None)


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
        if not jars.fetched(DELTA):
            return None
        return Found(f"{DELTA} in {jars.cache_folder()}", jars.lacking(DELTA))
    except CensusError as error:
        return Found(DELTA, str(error))
