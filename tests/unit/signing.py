"""A broker that wants to know who asks: what it was sent, and what a walk and a bootstrap make of its answer."""

from collections.abc import Callable
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest

from harness.responses import listed_groups
from harness.sasl import sasl
from harness.standin import StandIn
from kafka_census.errors import AuthenticationFailed, CensusError
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_messages.kip_1062 import ListGroupsRequest
from unit.walking import PATIENT, walk

Serve = Callable[..., StandIn]
Answer = Callable[[bytes], bytes | str]


class Broker:
    """Lets in by bytes and refuses by words; who asks for the cluster was let in by mistake."""

    mechanism = ""

    def __init__(self, serve: Serve, answer: Answer = lambda _: b"", **how: Any) -> None:
        self.sent: list[bytes] = []
        self.answer = answer
        groups = {ListGroupsRequest: listed_groups("a")}
        nobody = {DescribeClusterRequest: lambda _request, _n: pytest.fail("nobody was let in")}
        self.at = serve({**sasl(self._take, (self.mechanism,)), **groups, **nobody}, **how)

    def _take(self, sent: bytes) -> bytes | str:
        self.sent.append(sent)
        return self.answer(sent)

    def settings(self, by: Any) -> ClusterSettings:
        """Those of who signs by this."""
        raise NotImplementedError

    def page(self, by: Any) -> Page:
        (page,) = walk(self.at, "ListGroups", "groups", collect=PATIENT, settings=self.settings(by))
        return page

    def refusal(self, by: Any, kind: type[CensusError] = AuthenticationFailed) -> str:
        """The one line at bootstrap."""
        with pytest.raises(kind) as caught:
            bootstrap(self.settings(by), PATIENT)
        (line,) = str(caught.value).splitlines()
        return line
