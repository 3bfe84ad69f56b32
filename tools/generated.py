"""Documents that are generated from declarations, as files of a folder."""

from collections.abc import Mapping
from pathlib import Path


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write every text to its file, and delete other files of the same kind."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {Path(name).suffix for name in files}
    for old in folder.iterdir():
        if old.suffix in kinds and old.name not in files:
            old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
