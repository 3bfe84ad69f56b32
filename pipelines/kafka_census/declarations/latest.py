"""The tables `latest_<table>`: the last published census of each cluster, as tables instead of views.

They hold copies of rows of the published tables, for engines that cannot read Spark's views
(`census/publish/latest.py`).
"""

from dataclasses import replace

from kafka_census.tables.all_tables import TABLES

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
"""One table per published table, with the same columns; each cluster has a folder of its own."""
