"""What looks for secrets after a run finds them where they would be."""

import os
import signal
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness.canaries import Canaries, watched

SECRET = "canary +/ secret"


def test_a_secret_is_seen_in_every_file_that_holds_it(tmp_path: Path) -> None:
    rows = [{"text": "x" * 100, "items": [{"message": f"said {SECRET}"}]}] * 100
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet", compression="zstd")
    for before in range(3):
        reported = b64encode(b"u" * before + SECRET.encode() + b"more").decode()
        (tmp_path / f"{before}.json").write_text(f'{{"sent": "{reported}"}}', encoding="utf-8")
    (tmp_path / "none.json").write_text("canary", encoding="utf-8")
    found = Canaries([SECRET]).files_with_one(tmp_path)
    assert found == {name: {SECRET} for name in ("rows.parquet", "0.json", "1.json", "2.json")}


def test_a_secret_of_bytes_is_seen_in_base64_and_as_it_is_shown(tmp_path: Path) -> None:
    """As the keys of a keytab would be."""
    key = bytes(range(120, 152))
    texts = {"shown": repr(b"some" + key), "hex": key.hex(), "inside": b64encode(b"k" + key + b"tail").decode()}
    for name, text in {**texts, "none": repr(key[1:])}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert Canaries([key]).files_with_one(tmp_path) == {name: {key} for name in texts}


def test_a_secret_is_seen_in_a_child_of_a_run() -> None:
    code = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"
    words = [sys.executable, "-c", code, sys.executable, "-c", "import time; time.sleep(30)", SECRET]
    with subprocess.Popen(words, env={**os.environ, "TOLD": SECRET}, start_new_session=True) as run:
        with watched(run.pid, every_s=0.05) as processes:
            deadline = time.monotonic() + 10
            while not any(b"sleep" in line and b"subprocess" not in line for line in processes.command_lines):
                assert time.monotonic() < deadline
                time.sleep(0.05)
        os.killpg(run.pid, signal.SIGTERM)
    canaries = Canaries([SECRET])
    assert canaries.seen_in(b"".join(processes.command_lines))
    assert canaries.seen_in(b"".join(processes.environments))
