"""`python -m harness.kafka_admin CONFIG CLUSTER RPC`: pages of the Data Source by a Spark of its own, as JSON lines."""

import json
import sys
import tempfile
from pathlib import Path

from harness.local_spark import local_session
from kafka_census.source.data_source import KafkaAdminDataSource


def main(config: str, cluster: str, rpc: str) -> None:
    """Print one line a page."""
    with tempfile.TemporaryDirectory() as folder:
        spark = local_session("kafka_admin", Path(folder))
        spark.dataSource.register(KafkaAdminDataSource)
        pages = spark.read.format("kafka_admin").options(config=config, cluster=cluster, rpc=rpc).load()
        for page in pages.select("node_id", "error", "item_count").collect():
            print(json.dumps(page.asDict()))
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
