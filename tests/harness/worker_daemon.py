"""The process that Spark forks its Python workers from, as pyspark.daemon, with what they need imported once.

Spark has its workers import PySpark from an archive, and Python 3.11 reads the directory of that archive anew in
each task: a tenth of a second. And each worker would import our client by itself: 0.7 s, eighty times in CI.
What jobs do by themselves is tried under spark-submit, which knows nothing of this.
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

    # A worker collects garbage after each task, and would go through all that is imported.
    gc.freeze()
    daemon.manager()
