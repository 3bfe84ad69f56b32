"""Gaps of a census: reasons why a thing that the census lacks may still exist."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kafka_census.comparison.subject import Subject
from kafka_census.visibility_rules import NOT_VISIBLE


class Lacking(NamedTuple):
    """An answer that is missing from a table, as in `missing` of the audit table `publications`."""

    rpc: str
    broker_id: int | None
    error: str


@dataclass(frozen=True)
class Gap:
    """The reason why things of a subject may exist although the census lacks them.

    line     one line of letters, digits and plain punctuation, so that it needs no escaping in SQL
    column   the gap holds for things that have the broker `broker_id` in that column; None: for all things
    """

    line: str
    column: str | None = None
    broker_id: int | None = None


def gaps(subject: Subject, lacking: Iterable[Lacking]) -> Sequence[Gap]:
    """The gaps of a subject, from the answers that its table lacks; a gap for all things comes first."""
    missed = sorted(set(lacking), key=lambda one: (one.rpc, -1 if one.broker_id is None else one.broker_id, one.error))
    found = []
    for listing in subject.listings:
        mine = [one for one in missed if one.rpc == listing.rpc]
        if listing.node is None:
            found += [Gap(_line(mine[0], len(mine) - 1))] if mine else []
        else:
            known = {one.broker_id: one for one in mine if one.broker_id is not None}
            found += [Gap(_line(one), listing.node, node) for node, one in known.items()]
            found += [Gap(_line(one)) for one in mine if one.broker_id is None][:1]
    return sorted(found, key=lambda gap: gap.column is not None)


def _line(one: Lacking, more: int = 0) -> str:
    rpc, error = (re.sub(r"[^\w.-]", "?", text, flags=re.ASCII) for text in (one.rpc, one.error))
    if error == NOT_VISIBLE:
        return f"{rpc} may not show all: rights are not proven"
    broker = "" if one.broker_id is None else f" from broker {one.broker_id}"
    others = f" and {more} more" if more else ""
    return f"{rpc} was not read{broker}{others} ({error})"
