"""What the rows of `deletions` say of a group, as columns over the rows of all its runs."""

from pyspark.sql import Column
from pyspark.sql import functions as F


def gone() -> Column:
    """A row of `deletions` that found no such group: our doing, if any run had sent its deletion."""
    return (F.col("step") != "undo") & (F.col("outcome") == "gone")


def unsent_in() -> Column:
    """The runs of apply that sent nothing for a group."""
    return F.collect_set(F.when((F.col("step") == "apply") & ~F.col("sent"), F.col("run_id")))


def last_look(*outcomes: str) -> Column:
    """The last run whose look at a group had one of these outcomes."""
    looked = (F.col("step") == "look") & F.col("outcome").isin(*outcomes)
    return F.max(F.when(looked, F.col("run_id")))


def is_after(looked_in: str, sent_in: Column) -> Column:
    """Whether a run sent requests after that look: a run looks before it sends any."""
    return F.col(looked_in).isNull() | (F.col(looked_in) <= sent_in)
