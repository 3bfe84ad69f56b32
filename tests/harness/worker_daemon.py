"""The process from which Spark forks its Python workers, as pyspark.daemon, with their imports done once.

Spark's workers import PySpark from an archive, and Python 3.11 reads the directory of that archive again in each
task: a tenth of a second. And each worker would import our client itself: 0.7 s, eighty times in CI.
The jobs themselves are tested under spark-submit, which does not use this process.
"""

import gc
import sys

ARCHIVES = (".zip", ".jar")

if __name__ == "__main__":
    sys.path[:] = [path for path in sys.path if not path.endswith(ARCHIVES)]
    sys.path_importer_cache.clear()

    from pyspark import daemon

    import kafka_census.data_source
    import kafka_census.source.reader  # noqa: F401

    # A worker collects garbage after each task, and would traverse all imported objects.
    gc.freeze()
    daemon.manager()
