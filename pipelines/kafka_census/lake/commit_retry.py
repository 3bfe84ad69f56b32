"""Several writers of one table: one at a time on a local folder, and a retry after a conflict everywhere.

Delta commits by creating the next file of a table's log, and needs storage that lets only one
of two writers create that file. A local folder does not: there Delta checks for the file and then
renames over it, so that one of two processes may lose its commit without an error. So
on a local folder a writer holds `<lake>/locks/tables/<layer>_<table>.lock`, an flock that
the kernel frees when its holder is dead.

Elsewhere the commits of two writers may conflict: both create the table, both
write the same `app_id`, or both replace the rows of one census. Delta then refuses the second commit,
which is retried after a new look at the table. Two appends never conflict, so
that a wave of pages is fetched again only where two writers created its table.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafka_census.errors import Contended
from kafka_census.files.lock_file import turn
from kafka_census.lake.lake import Lake

PAUSES = (0.1, 0.3, 1.0, 3.0)
"""Seconds between attempts. A conflict means that another writer has committed, or is just creating the table."""

_CONFLICT = re.compile(
    r"\[(DELTA_CONCURRENT_\w+|DELTA_METADATA_CHANGED|DELTA_PROTOCOL_CHANGED|DELTA_PATH_EXISTS"
    r"|DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION)[.\]]"
)


def commit_with_retry(lake: Lake, layer: str, name: str, write: Callable[[], None]) -> None:
    """Write to a table while holding its lock, if it has one; retry after conflicts with other writers.

    `write` is one commit, and safe to repeat. Raises Contended when every attempt met a conflict, and LockUnusable.
    """
    with _turn(lake, layer, name):
        for pause in (*PAUSES, None):
            try:
                write()
            except Exception as error:
                conflict = conflict_in(error)
                if conflict is None:
                    raise
                if pause is None:
                    raise Contended(
                        f"{lake.name(layer, name)}: other writers came first {len(PAUSES) + 1} times ({conflict}); "
                        "run this again once they have ended"
                    ) from error
                time.sleep(pause)
            else:
                return


def conflict_in(error: Exception) -> str | None:
    """The error condition with which Delta refused a commit that conflicts with another; None for other errors.

    Recognized by its text: without `delta` imported, PySpark has no class for it, and passes on the JVM's error.
    """
    found = _CONFLICT.search(str(error))
    return found[1] if found else None


@contextmanager
def _turn(lake: Lake, layer: str, name: str) -> Iterator[None]:
    if lake.folder is None:
        yield
        return
    with turn(lake.folder / "locks" / "tables" / f"{layer}_{name}.lock"):
        yield
