"""The folder of a lake on a local disk: closed to others when we make it, and refused before Spark starts."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_census.config.secrets import is_exposed
from kafka_census.errors import ConfigError
from kafka_census.lake.commit_retry import commit_with_retry
from kafka_census.lake.folder import require_usable
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import hold


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield int(request.param)
    os.umask(before)


def test_a_lake_that_we_make_is_closed_to_others(tmp_path: Path, umask: int) -> None:
    """Whatever the umask lets through; its group may read. Folders that were there stay as they were."""
    there = tmp_path / "there"
    there.mkdir(mode=0o777)
    mode = there.stat().st_mode
    lake = Lake(root=str(there / "data" / "lake"))
    with hold(lake, ["local"], "a census"):
        commit_with_retry(lake, "audit", "calls", lambda: None)
    made = [there / "data", there / "data/lake", there / "data/lake/locks", there / "data/lake/locks/tables"]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o750 & ~umask] * 4
    assert there.stat().st_mode == mode


def test_a_root_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    require_usable(Lake(root=str(tmp_path / "a" / "lake")), writes=True)
    require_usable(Lake(root=str(tmp_path)), writes=True)
    require_usable(Lake(root="s3a://bucket/lake"), writes=True)
    require_usable(Lake(catalog="main.census"), writes=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("root", ["file", "file/lake", "file/a/lake", "link"])
def test_a_file_in_the_way_is_named(tmp_path: Path, root: str, writes: bool) -> None:
    """At the root, or above it. A dangling link is one: a lake on a disk that is not mounted."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    said = rf"{root[:4]} is not a folder; name another lake\.root, or move it away$"
    with pytest.raises(ConfigError, match=said):
        require_usable(Lake(root=f"{tmp_path}/{root}"), writes=writes)


def test_a_folder_that_cannot_be_written_is_refused_to_those_that_write() -> None:
    """/proc takes no folder, not even from root; a report only reads."""
    with pytest.raises(
        ConfigError, match=r"^lake\.root /proc/lake cannot be made in /proc: .*; name another lake\.root"
    ):
        require_usable(Lake(root="/proc/lake"), writes=True)
    with pytest.raises(ConfigError, match=r"^lake\.root file:///proc cannot be written: "):
        require_usable(Lake(root="file:///proc"), writes=True)
    require_usable(Lake(root="/proc/lake"), writes=False)


@pytest.mark.parametrize(
    ("folder_mode", "mode", "exposed"),
    [(0o755, 0o644, True), (0o755, 0o602, True), (0o755, 0o640, False), (0o755, 0o600, False), (0o700, 0o644, False)],
)
def test_a_file_is_exposed_where_others_can_reach_it(folder_mode: int, mode: int, exposed: bool) -> None:
    """To read or to write; its group may, and a folder that is closed protects what is in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "secret"
        file.write_text("x", encoding="utf-8")
        file.chmod(mode)
        folder.chmod(folder_mode)
        link = folder / "link"
        link.symlink_to(file)
        assert is_exposed(file) == is_exposed(link) == exposed
