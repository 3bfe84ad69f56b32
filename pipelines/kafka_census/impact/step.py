"""A step of the foretelling: a query over earlier steps, as SQL for any engine, or as what a DataFrame is asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Select:
    """`SELECT by, columns FROM of WHERE where GROUP BY by`. Spark runs it without parsing and resolving a statement.

    of       the frame or step that is read
    columns  expressions with their names; `*` for all columns
    by       what is grouped by, with names; empty where nothing is aggregated
    """

    of: str
    columns: tuple[str, ...]
    where: str | None
    by: tuple[str, ...]

    @property
    def sql(self) -> str:
        """The statement, with `{of}` for the frame."""
        where = f" WHERE {self.where}" if self.where else ""
        grouped = f" GROUP BY {', '.join(str(place) for place in range(1, len(self.by) + 1))}" if self.by else ""
        return f"SELECT {', '.join((*self.by, *self.columns))} FROM {{{self.of}}}{where}{grouped}"


def select(of: str, *columns: str, where: str | None = None, by: tuple[str, ...] = ()) -> Select:
    """A query of one frame."""
    return Select(of, columns, where, by)


Step = tuple[str, Select | str]
"""The name of a step and its query: of several frames an SQL text, in which each stands as `{name}`."""


def sql_of(query: Select | str) -> str:
    """The SQL text of a step."""
    return query if isinstance(query, str) else query.sql
