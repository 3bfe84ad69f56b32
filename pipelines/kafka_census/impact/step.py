"""A step of the foretelling: a query over earlier steps, as SQL for any engine, or as what a DataFrame is asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Join:
    """A frame or step that is joined to another: `CROSS JOIN`, or `LEFT JOIN ... ON on`."""

    frame: str
    on: str | None = None

    @property
    def sql(self) -> str:
        """The clause, with `{frame}` for the frame."""
        joined = f"JOIN {{{self.frame}}} AS {self.frame}"
        return f" LEFT {joined} ON {self.on}" if self.on else f" CROSS {joined}"


@dataclass(frozen=True)
class Select:
    """`SELECT by, columns FROM of joins WHERE where GROUP BY by`. Spark runs it without resolving a statement.

    of       the frame or step that is read
    columns  expressions with their names; `*` for all columns; of joined frames, `frame.column`
    by       what is grouped by, with names; empty where nothing is aggregated
    """

    of: str
    columns: tuple[str, ...]
    where: str | None
    by: tuple[str, ...]
    joins: tuple[Join, ...]

    @property
    def sql(self) -> str:
        """The statement, with `{of}` for the frame."""
        joined = "".join(join.sql for join in self.joins)
        where = f" WHERE {self.where}" if self.where else ""
        grouped = f" GROUP BY {', '.join(str(place) for place in range(1, len(self.by) + 1))}" if self.by else ""
        columns = ", ".join((*self.by, *self.columns))
        return f"SELECT {columns} FROM {{{self.of}}} AS {self.of}{joined}{where}{grouped}"


def select(
    of: str, *columns: str, where: str | None = None, by: tuple[str, ...] = (), joins: tuple[Join, ...] = ()
) -> Select:
    """A query of one frame, or of several that are joined."""
    return Select(of, columns, where, by, joins)


Step = tuple[str, Select | str]
"""The name of a step and its query: a union of frames is an SQL text, in which each stands as `{name}`."""


def sql_of(query: Select | str) -> str:
    """The SQL text of a step."""
    return query if isinstance(query, str) else query.sql
