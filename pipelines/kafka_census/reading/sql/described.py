r"""What `\d` shows: the views of a lake with what a row of each is, and the columns of one view with their comments."""

import re
from collections.abc import Iterator, Mapping, Sequence

from kafka_census.declarations import freshness
from kafka_census.errors import BadQuery, CorruptLake
from kafka_census.reading.delta_tables import NotThere
from kafka_census.reading.sql.session import Session
from kafka_census.reading.sql.short_names import OTHERS, table_of
from kafka_census.reading.sql.views import AUDIT_TABLES, OF_A_TABLE
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.terminal.columns import Shown, table, wrapped
from kafka_census.terminal.display import printable

_TYPES = {"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ"}
_LONGEST_NAME, _LONGEST_TYPE = 22, 12
"""Cells: a longer name has a line of its own, and a longer type is part of the comment."""

_AFTER = (
    "A name of a table alone is its current_<table>: the last published census of each cluster. Beside it there are "
    "history_<table>, candidate_<table> (not published) and <table>_as_of(TIMESTAMP '2026-11-20 12:00')."
)


def listing(lake: PublishedLake, comments: Mapping[str, str], width: int) -> list[str]:
    """The lines of the views of a lake.

    comments  what a row is, by the name of a table, for tables in the lake that have no comment yet
    """
    tables = [(name, _comment(lake, f"published/{name}", comments)) for name in lake.tables]
    short = [(name, f"current_{of}: {said}") for name, (of, said) in OTHERS.items() if of in lake.tables]
    audit = [(name, _comment(lake, f"audit/{name}", comments)) for name in AUDIT_TABLES]
    rows = [(freshness.NAME, freshness.COMMENT), *sorted([*tables, *short]), *audit]
    lines = table([Shown("view"), Shown("rows")], [(name, said) for name, said in rows if said is not None], width)
    try:
        columns = lake.opened("landing/pages").schema.names
    except CorruptLake:
        columns = []
    landed = ", ".join(f"landed_{name.removeprefix('items_')}" for name in columns if name.startswith("items_"))
    pages = wrapped(f"Answers of brokers: {landed}", width=width) if landed else []
    return [*lines, "", *wrapped(_AFTER, width=width), *pages]


def columns_of(name: str, session: Session, lake: PublishedLake, comments: Mapping[str, str], width: int) -> list[str]:
    """The lines of the columns of a view, or of a function `<table>_as_of`. Raises BadQuery where there is none."""
    if not re.fullmatch(r"\w+", name):
        raise BadQuery(f"{name!r} is no name of a view; \\d lists them")
    call = "(now())" if name.endswith("_as_of") else ""
    try:
        [found] = session.results(f"DESCRIBE SELECT * FROM {name.lower()}{call}", lake)
    except BadQuery as error:
        raise BadQuery(re.sub(r"^line \d+, column \d+: ", "", str(error))) from error
    types = [(str(column), str(kind)) for column, kind, *_ in found.rows]
    if name.lower() == freshness.NAME:
        return _lines(name, freshness.COMMENT, types, freshness.COLUMNS, width)
    folder = folder_of(name.lower(), lake.tables)
    return _lines(name, _comment(lake, folder, comments) or "", types, lake.comments(folder)[1], width)


def folder_of(name: str, published: Sequence[str]) -> str:
    """The folder of the table that a view shows, such as `published/brokers`."""
    if name in AUDIT_TABLES:
        return f"audit/{name}"
    if name.startswith("landed_"):
        return "landing/pages"
    kinds = "|".join(OF_A_TABLE)
    return f"published/{table_of(name, published) or re.sub(rf'^({kinds})_|_as_of$', '', name)}"


def _lines(
    name: str, comment: str, types: Sequence[tuple[str, str]], comments: Mapping[str, str], width: int
) -> list[str]:
    return [*wrapped(comment, f"{name}: ", "  ", width), *_columns(types, comments, width)]


def _columns(types: Sequence[tuple[str, str]], comments: Mapping[str, str], width: int) -> Iterator[str]:
    longest = min(max(len(name) for name, _ in types), _LONGEST_NAME)
    yield f"{'column':{longest}}  {'type':{_LONGEST_TYPE}}  comment"
    for name, kind in types:
        shown, comment = _TYPES.get(kind, kind), comments.get(name, "")
        if len(shown) > _LONGEST_TYPE:
            shown, comment = shown.partition("(")[0] + ("[]" if shown.endswith("[]") else ""), f"{comment} {shown}"
        if len(name) > longest:
            yield printable(name)
            name = ""  # noqa: PLW2901 - the rest of the column is below its name
        yield from wrapped(comment.strip(), f"{printable(name):{longest}}  {shown:{_LONGEST_TYPE}}  ", width=width)


def _comment(lake: PublishedLake, folder: str, comments: Mapping[str, str]) -> str | None:
    """What a row of a table is; None for a table that was never written."""
    try:
        return lake.comments(folder)[0] or comments.get(folder.rpartition("/")[2], "")
    except NotThere:
        return None
    except CorruptLake as error:
        return f"damaged: {error}"
