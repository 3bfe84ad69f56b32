"""`python -m kafka_census.jars`: fetch jars once into a cache, and write Spark's configuration folder."""

import argparse
import sys
from pathlib import Path

from kafka_census.errors import CensusError
from kafka_census.jars.delta import delta_set
from kafka_census.jars.ivy import folder, java, lock
from kafka_census.jars.jar_sets import JAR_SETS
from kafka_census.jars.spark_conf import write_spark_conf

_DELTA = "delta"
_SETS = ", ".join(jar_set.name for jar_set in JAR_SETS)


def main(arguments: list[str]) -> int:
    """Resolve the sets of the command line; returns 0, or the exit code of an error after its line."""
    parser = argparse.ArgumentParser(prog="python -m kafka_census.jars", description="Fetch jars once into a cache.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{_DELTA}, for the Spark that is here, or {_SETS}")
    parser.add_argument("--spark-conf", type=Path, metavar="DIR", help="write Spark's configuration folder")
    parser.add_argument(
        "--lock", action="store_true", help="fetch the sets anew (all, where none is named) and write jars.sha256"
    )
    chosen = parser.parse_args(arguments)
    try:
        java()
        if chosen.lock:
            lock(chosen.names)
        for name in chosen.names:
            print(folder(delta_set() if name == _DELTA else name))
        if chosen.spark_conf:
            write_spark_conf(chosen.spark_conf)
    except CensusError as error:
        print(f"kafka-census: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
