"""How the columns of a table differ from the declared columns.

A release may add columns, and fields to the structs inside (`items.error_code` of landed
pages); nothing else ever changes. So a table that only lacks columns was written by an older release, and any other
difference is an error. Nullability is not compared.
"""

from dataclasses import dataclass

from pyspark.sql.types import ArrayType, DataType, StructField, StructType

ELEMENT = "element"
"""Spark's name for the element of an array in a column path."""


@dataclass(frozen=True)
class Absent:
    """A declared column that is missing.

    inside  the path of the struct that it belongs to; empty for a column of the table itself
    after   the declared column before it; None for the first column
    """

    inside: tuple[str, ...]
    field: StructField
    after: str | None

    @property
    def name(self) -> str:
        """The dotted name, such as `items.error_code`."""
        return _name((*self.inside, self.field.name))


@dataclass(frozen=True)
class Difference:
    """What differs from the declaration.

    absent  columns that are missing
    wrong   other differences, one phrase each
    """

    absent: tuple[Absent, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def older(self) -> tuple[str, ...]:
        """The differences that an older release explains, one phrase each."""
        return tuple(f"column {column.name} is missing" for column in self.absent)

    @property
    def phrases(self) -> tuple[str, ...]:
        """All differences, one phrase each."""
        return (*self.older, *self.wrong)


def difference(found: StructType, wanted: StructType, *, ordered: bool = True) -> Difference:
    """How `found` differs from `wanted`; unless `ordered`, the outermost columns may be in any order."""
    return _of_fields(found, wanted, (), ordered=ordered)


def _of_fields(found: StructType, wanted: StructType, path: tuple[str, ...], *, ordered: bool) -> Difference:
    absent: list[Absent] = []
    wrong: list[str] = []
    before: str | None = None
    for field in wanted.fields:
        if field.name in found.names:
            inner = _of_types(found[field.name].dataType, field.dataType, (*path, field.name))
            absent.extend(inner.absent)
            wrong.extend(inner.wrong)
        else:
            absent.append(Absent(path, field, before))
        before = field.name
    wrong += [f"column {_name((*path, name))} is unknown" for name in found.names if name not in wanted.names]
    common = [name for name in wanted.names if name in found.names]
    if ordered and common != [name for name in found.names if name in wanted.names]:
        wrong.append(f"the columns{f' of {_name(path)}' if path else ''} are in another order")
    return Difference(absent=tuple(absent), wrong=tuple(wrong))


def _of_types(found: DataType, wanted: DataType, path: tuple[str, ...]) -> Difference:
    if isinstance(found, StructType) and isinstance(wanted, StructType):
        return _of_fields(found, wanted, path, ordered=True)
    if isinstance(found, ArrayType) and isinstance(wanted, ArrayType):
        return _of_types(found.elementType, wanted.elementType, (*path, ELEMENT))
    have, want = found.simpleString(), wanted.simpleString()
    return Difference(wrong=() if have == want else (f"column {_name(path)} is {have}, not {want}",))


def _name(path: tuple[str, ...]) -> str:
    return ".".join(part for part in path if part != ELEMENT)
