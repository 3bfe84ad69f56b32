"""docs/codes is what the code says, and every code of ours has a meaning."""

from pathlib import Path

from kafka_census.error_codes import MEANINGS, OURS
from tools.codes import kinds, reference

FOLDER = Path(__file__).parents[2] / "docs" / "codes"


def test_the_reference_is_what_the_code_says() -> None:
    """`make docs` was run since the last change of a code."""
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()} == reference()


def test_every_code_of_the_census_and_every_error_is_there() -> None:
    (page,) = reference().values()
    assert {code.name for code in MEANINGS} == set(OURS.values())
    assert all(f"| `{kind.__name__}` |" in page for kind in kinds())
    assert "\n| 15 | `COORDINATOR_NOT_AVAILABLE` | yes |\n" in page
    assert "\n| 29 | `TOPIC_AUTHORIZATION_FAILED` |  |\n" in page
