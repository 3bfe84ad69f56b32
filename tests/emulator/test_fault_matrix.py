"""Every fault, every RPC: healed or refused, never short.

Each fault is met by one walk of each kind of paging and lookup, and each walk meets four faults: those that tell the
rules of RPCs apart (`emulator.fault_rules`). The page shows what the rules say of every walk and fault.
"""

from pathlib import Path

import pytest

from emulator import rendered_matrix
from emulator.fault_matrix import FAULTS, OF_EACH_KIND, Cell, Fault, met, outcomes
from emulator.fault_rules import rule

PAGE = Path(__file__).parents[2] / "docs" / "fault-matrix.md"

TELLING = frozenset({"drop *", "error 16", "lose_page *", "stop"})

pytestmark = pytest.mark.timeout(120)


def cells_of(fault: Fault) -> list[Cell]:
    return [cell for cell in met(fault) if str(fault) in TELLING or cell.walk.name in OF_EACH_KIND]


def test_each_kind_has_a_walk_and_each_telling_fault_is_one() -> None:
    assert set(OF_EACH_KIND) <= {cell.walk.name for fault in FAULTS for cell in met(fault)}
    assert {str(fault) for fault in FAULTS} > TELLING


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_walk_is_healed_or_refused(fault: Fault) -> None:
    found = outcomes(fault, cells_of(fault))
    assert found == {str(cell): rule(fault)(cell, fault) for cell in cells_of(fault)}


def test_the_matrix_is_the_one_in_docs() -> None:
    assert rendered_matrix.page(rendered_matrix.matrix()) == PAGE.read_text(encoding="utf-8")
