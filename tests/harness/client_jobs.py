"""Jobs and notebooks one after the other in one process: `python -m harness.client_jobs '["census", "--config", ...]'`.

Each argument is the JSON list of a job's name and its command line; a notebook's begins with "notebook". The output of
each job and its exit code are a line of JSON on stdout. The stderr of the jobs is passed on.
"""

import io
import json
import sys
import time
from contextlib import redirect_stdout

from kafka_census.workflows import job
from tools import notebook


def main() -> None:
    for name, *argv in map(json.loads, sys.argv[1:]):
        began, out = time.monotonic(), io.StringIO()
        with redirect_stdout(out):
            code = 0 if name == "notebook" else job.main(name, argv)
            if name == "notebook":
                notebook.main(argv)
        done = {"name": name, "code": code, "out": out.getvalue(), "seconds": round(time.monotonic() - began, 1)}
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
