"""The commands that a report prints, about one census of a cluster: all run when they are pasted."""

import shlex
from dataclasses import dataclass

from kafka_census.reading.report.presentation import Presentation
from kafka_census.reading.report.problems import ReportedProblem
from kafka_census.tables.problems import INCOMPLETE, UNREACHABLE

_SERVERS = "--bootstrap-server HOST:PORT"

_ASKING = tuple(["kafka-census", name] for name in ("doctor", "impact"))
"""The beginnings of our commands that ask brokers."""


@dataclass(frozen=True)
class Commands:
    """Commands to type next.

    published  whether readers see the census
    in_sql     whether `kafka-census sql` can query the lake: it has a publication
    """

    how: Presentation
    cluster: str
    census_id: str
    published: bool
    in_sql: bool

    def rows(self, problem: ReportedProblem) -> str | None:
        """The command that shows the rows of a problem, or of the first that it causes.

        None where only the full report shows them.
        """
        if problem.kind in (UNREACHABLE, INCOMPLETE):
            return self.rows(problem.caused[0]) if problem.caused else None
        declared = problem.declared
        if declared is None or not self.in_sql:
            return None
        if self.published:
            return self._sql(declared.sql)
        of = f"candidate_{declared.table} WHERE {self._mine} AND ({declared.where})"
        return self._sql(f"SELECT {declared.shown} FROM {of}")

    def remedy(self, problem: ReportedProblem) -> str | None:
        """The command of a problem's remedy, for this cluster; None where there is none that works here."""
        command, given = problem.command, self.how.given
        servers = self.how.servers.get(self.cluster)
        if command.split()[:2] in _ASKING:
            options = given.words() if servers or given.config is None else ""  # of a file that lacks the cluster
            asked = "" if servers else _SERVERS
            return " ".join(word for word in (command, options, asked, self._cluster) if word)
        if command.startswith("kafka-census sql "):
            sql = f"kafka-census sql {given.to_read()}".strip()
            return command.replace("kafka-census sql", sql) if self.in_sql and self.published else None
        options = f"--bootstrap-server {','.join(servers)}" if servers else _SERVERS
        if given.command_config:
            options += f" --command-config {shlex.quote(given.command_config)}"
        return command.replace(_SERVERS, options) or None

    @property
    def warnings(self) -> str | None:
        """The command that shows the rules that warn; None where only the full report shows them."""
        if not self.in_sql:
            return None
        columns = "table_name, rule, failed_rows, message"
        return self._sql(f"SELECT {columns} FROM verdicts WHERE {self._mine} AND outcome = 'warn'")

    @property
    def whole(self) -> str:
        """The command that prints the full report."""
        return self._command("report", self._cluster, "" if self.published else "--unpublished", "--full")

    @property
    def unpublished(self) -> str:
        """The command that reports the newest census that is not published."""
        return self._command("report", self._cluster, "--unpublished")

    @property
    def publish(self) -> str:
        """The command that publishes the census, if the gate allows it."""
        return self._command("publish", self._cluster, f"--census-id {self.census_id}")

    @property
    def _cluster(self) -> str:
        return f"--cluster {shlex.quote(self.cluster)}"

    @property
    def _mine(self) -> str:
        return f"census_id = '{self.census_id}'"

    def _sql(self, sql: str) -> str:
        return self._command("sql", f'-e "{sql}"')

    def _command(self, name: str, *options: str) -> str:
        return " ".join(word for word in ("kafka-census", name, self.how.given.to_read(), *options) if word)
