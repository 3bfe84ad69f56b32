"""Files at names that others can foresee: a pipe is not waited for, and nothing is written through a link."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_census.alerts import textfile
from kafka_census.cli.report import write_whole
from kafka_census.files import whole_file
from kafka_census.jars.spark_conf import _keep

Write = Callable[[Path], object]

WRITERS: dict[str, tuple[str, Write]] = {
    "the text file": ("kafka_census_c.prom", lambda path: textfile.write(path, "c", {})),
    "an HTML report": ("report.html", lambda path: write_whole(path, "")),
    "Spark's configuration": ("spark-defaults.conf", lambda path: _keep(path, "")),
}


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Write]:
    name, write = request.param
    return tmp_path / name, write


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(written: tuple[Path, Write]) -> None:
    """Also a link at the name that a temporary file of this process had in earlier releases."""
    path, write = written
    precious = path.parent / "precious"
    precious.write_text("precious", encoding="utf-8")
    path.symlink_to(precious)
    for name in (f"{path.name}.{os.getpid()}.{threading.get_ident()}", f".{path.name}.{os.getpid()}"):
        path.with_name(name).symlink_to(precious)
    write(path)
    assert precious.read_text(encoding="utf-8") == "precious"
    assert path.is_file()
    assert not path.is_symlink()


@pytest.mark.timeout(30)
def test_what_is_no_regular_file_is_not_read_and_a_pipe_is_replaced(tmp_path: Path) -> None:
    """To open a pipe waits for its other end; a device may be endless."""
    text_file, report = tmp_path / "kafka_census_c.prom", tmp_path / "report.html"
    for path in (text_file, report):
        os.mkfifo(path)
    with pytest.raises(OSError, match="it is no regular file"):
        textfile.read(text_file)
    textfile.write(text_file, "c", {})
    write_whole(report, "")
    assert (text_file.is_file(), report.is_file()) == (True, True)
    for path in ("/dev/zero", "/"):
        with pytest.raises(OSError, match=r"it is no regular file|Is a directory"):
            whole_file.read(Path(path))
