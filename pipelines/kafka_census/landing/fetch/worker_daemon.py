"""The process from which Spark forks its Python workers, as `pyspark.daemon`, with their imports done once.

Each worker would import Kafka's client itself otherwise: 0.7 s. And workers would import PySpark from an archive
(`private.python`). Spark's setting `spark.python.daemon.module` names this module, on one machine: the Python of a
cluster's executors may get the package with the job.
"""

import gc
import runpy

from kafka_census.private.python import import_from_folders

if __name__ == "__main__":
    import_from_folders("pyspark")

    import kafka_census.landing.fetch.reader  # noqa: F401

    # A worker collects garbage after each task, and would traverse all imported objects.
    gc.freeze()
    runpy.run_module("pyspark.daemon", run_name="__main__")
