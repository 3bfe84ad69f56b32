"""Ways in which a Delta table on a local disk is damaged: by a full disk, a partial restore, a person."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from deltalake import DeltaTable

from harness.small_lake import append, small_lake
from kafka_census.tables.all_tables import AUDIT_TABLES
from kafka_census.tables.quotas.columns import QUOTAS


def forget(table: Path) -> None:
    _entries(table)[-1].unlink()


def empty(table: Path) -> None:
    _entries(table)[0].write_bytes(b"")


def strip(table: Path) -> None:
    shutil.rmtree(table / "_delta_log")


def remove(table: Path) -> None:
    for file in _files(table):
        file.unlink()


def cut(table: Path) -> None:
    """Cut the files of rows, without the checksums that Hadoop has beside them."""
    for file in _files(table):
        file.write_bytes(file.read_bytes()[:60])
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def spoil(table: Path) -> None:
    """Damage the checkpoint of the log, which is made if there is none."""
    log = table / "_delta_log"
    if not list(log.glob("*.checkpoint.parquet")):
        DeltaTable(str(table)).create_checkpoint()
    for checkpoint in log.glob("*.checkpoint.parquet"):
        checkpoint.write_bytes(checkpoint.read_bytes()[:60])
        (log / f".{checkpoint.name}.crc").unlink(missing_ok=True)


DAMAGE: Mapping[str, Callable[[Path], None]] = {
    "its last log entry is removed": forget,
    "its first log entry is emptied": empty,
    "its log is removed": strip,
    "its files are removed": remove,
    "its files are cut": cut,
    "its checkpoint is damaged": spoil,
}


def damageable(root: Path) -> Path:
    """A lake with every audit table; the last commit of its published table is of a published census."""
    lake = small_lake(root)
    for table in AUDIT_TABLES:
        if not (lake / table.folder).exists():
            row = {field.name: "x" for field in table.schema.fields if field.dataType.simpleString() == "string"}
            append(lake, table, [row])
    forget(lake / QUOTAS.folder)
    return lake


def _entries(table: Path) -> list[Path]:
    return sorted((table / "_delta_log").glob("*.json"))


def _files(table: Path) -> list[Path]:
    return [file for file in table.rglob("*.parquet") if "_delta_log" not in file.parts]
