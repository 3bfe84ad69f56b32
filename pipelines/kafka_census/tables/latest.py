"""The tables `latest_<table>`: the last published census of each cluster, without a view between it and its reader.

They hold copies of rows of the published tables, for engines that read no views of Spark's (`publish/latest.py`).
"""

from dataclasses import replace

from kafka_census.tables import TABLES

LATEST_TABLES = tuple(
    replace(
        table,
        layer="latest",
        comment=f"{table.comment} Of each cluster the last published census alone.",
        key=("cluster_id", *table.key),
        partitioned_by=("cluster_id",),
    )
    for table in TABLES
)
"""One for each published table, with its columns; a cluster has a folder of its own."""
