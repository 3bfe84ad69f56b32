"""The steps of `query.py` over Arrow tables, in DuckDB."""

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa

from kafka_census.impact.query import MACROS, query


def foretold(frames: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    """One row per thing that can be lost, as in the table failure_impact without its first three columns.

    frames  tables by the names and with the columns of `frames.FRAMES`
    """
    with duckdb.connect(":memory:", config={"python_enable_replacements": False}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(MACROS)
        for name, frame in frames.items():
            connection.register(name, frame)
        text = query({name: name for name in frames})
        found: list[dict[str, Any]] = connection.execute(text).to_arrow_table().to_pylist()
        return [row | {"leaders_to": row["leaders_to"] or []} for row in found]
