"""docs/command-reference is what the command's parsers say."""

from pathlib import Path

from tools.command import reference

FOLDER = Path(__file__).parents[2] / "docs" / "command-reference"


def test_the_reference_is_what_the_parsers_say() -> None:
    """`make docs` was run since the last change of an option."""
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()} == reference()


def test_every_command_and_what_binds_its_options_is_there() -> None:
    (page,) = reference().values()
    assert "\n## kafka-census config show\n" in page
    assert "\n## kafka-census delete-groups undo\n" in page
    assert "\n| `--plan ID` | the id that `plan` printed; required |\n" in page
    assert "| `--all-clusters` | every cluster of the file, one after the other; not with `--cluster`" in page
    assert "\n| `--retire ID...` | " in page
