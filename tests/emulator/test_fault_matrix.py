"""Every fault, every RPC: healed or refused, never short.

Each fault is met by one walk of each kind of paging and lookup, and each walk meets four faults: those that tell the
rules of RPCs apart (`emulator.fault_rules`), at each page. The page shows what the rules say of every walk and fault.
What else a fault does to a later page is in test_fault_pages.py.
"""

from pathlib import Path

import pytest

from emulator import rendered_matrix
from emulator.fault_matrix import FAULTS, NEEDS_PAGES, OF_EACH_KIND, Cell, Fault, met, outcomes
from emulator.fault_rules import rule
from kafka_census.kafka.error_codes import ErrorCode

PAGE = Path(__file__).parents[2] / "docs" / "fault-matrix.md"

TELLING = frozenset({"drop *", "error 16", "lose_page *", "stop"})

pytestmark = pytest.mark.timeout(120)


AT_EACH_PAGE = NEEDS_PAGES | {"oversize", "downgrade", "move_coordinators", "delete_topics", "create_topics"}
"""What a fault does of which a later page, or another way of paging, may make something else."""


def cells_of(fault: Fault) -> list[Cell]:
    if str(fault) in TELLING:
        return met(fault)
    at_each = fault.do.name in AT_EACH_PAGE or fault.do.error == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    kinds = [cell for cell in met(fault) if cell.walk.name in OF_EACH_KIND]
    return [cell for cell in kinds if at_each or (cell.page == 0 and cell.kip_1062)]


def test_each_kind_has_a_walk_and_each_telling_fault_is_one() -> None:
    assert set(OF_EACH_KIND) <= {cell.walk.name for fault in FAULTS for cell in met(fault)}
    assert {str(fault) for fault in FAULTS} > TELLING


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_walk_is_healed_or_refused(fault: Fault) -> None:
    found = outcomes(fault, cells_of(fault))
    assert found == {str(cell): rule(fault)(cell, fault) for cell in cells_of(fault)}


def test_the_matrix_is_the_one_in_docs() -> None:
    assert rendered_matrix.page(rendered_matrix.matrix()) == PAGE.read_text(encoding="utf-8")
