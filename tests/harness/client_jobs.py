"""Jobs and notebooks one after the other in one process: `python -m harness.client_jobs '["census", "--config", ...]'`.

Each argument is the JSON list of a job's name and its command line; a notebook's begins with "notebook", its path and
values of its widgets follow. A line of JSON on stdout has the exit code and the output of each job, or the frames that
a notebook displays, pickled and in base64. The stderr of the jobs is passed on.
"""

import io
import json
import pickle
import sys
from base64 import b64encode
from contextlib import redirect_stdout
from pathlib import Path

from pyspark.sql import DataFrame, Row

from kafka_census.cli import job
from kafka_census.spark.session import session
from tools import notebook


def main() -> None:
    for name, *argv in map(json.loads, sys.argv[1:]):
        out, code = io.StringIO(), 0
        with redirect_stdout(out):
            if name == "notebook":
                shown = displayed(*argv)
            else:
                code = job.main(name, argv)
        told = b64encode(pickle.dumps(shown)).decode() if name == "notebook" else out.getvalue()
        print(json.dumps({"name": name, "code": code, "out": told}), flush=True)


def displayed(path: str, *values: str) -> list[list[Row]]:
    frames: list[list[Row]] = []

    def display(frame: DataFrame) -> None:
        frames.append(frame.collect())

    notebook.run(Path(path), session("notebook"), dict(value.split("=", 1) for value in values), display)
    return frames


if __name__ == "__main__":
    main()
