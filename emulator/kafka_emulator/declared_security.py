"""What a scenario file may declare about security: ACLs, quotas and SCRAM users, in Kafka's terms."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from kafka_emulator.section import Count, Positive, Section

AclOperation = Literal[
    "ALL",
    "READ",
    "WRITE",
    "CREATE",
    "DELETE",
    "ALTER",
    "DESCRIBE",
    "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS",
    "IDEMPOTENT_WRITE",
]


class AclSection(Section):
    """One ACL entry, in Kafka's terms."""

    principal: str = "User:ANONYMOUS"
    host: str = "*"
    operation: AclOperation = "DESCRIBE"
    permission: Literal["ALLOW", "DENY"] = "ALLOW"
    resource_type: Literal["TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"]
    resource_name: str
    pattern_type: Literal["LITERAL", "PREFIXED"] = "LITERAL"


QuotaKey = Literal[
    "producer_byte_rate",
    "consumer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
    "connection_creation_rate",
]


class QuotaSection(Section):
    """The quotas of one entity: `entity` maps user, client-id or ip to a name; null is the default."""

    entity: Annotated[dict[Literal["user", "client-id", "ip"], str | None], Field(min_length=1)]
    values: dict[QuotaKey, Annotated[float, Field(ge=0, allow_inf_nan=False)]]

    @model_validator(mode="after")
    def _is_one_entity(self) -> Self:
        if "ip" in self.entity and len(self.entity) > 1:
            raise ValueError("an ip is an entity of its own, without user and client-id")
        return self


class ScramSection(Section):
    """A user with SCRAM credentials: iterations by mechanism."""

    user: str
    mechanisms: dict[Literal["SCRAM-SHA-256", "SCRAM-SHA-512"], Positive]


class SecuritySection(Section):
    """Without an authorizer everything is allowed, and DescribeAcls is refused. `acls` may be generated too."""

    authorizer: bool = True
    super_users: tuple[str, ...] = ("User:ANONYMOUS",)
    acls: tuple[AclSection, ...] = ()
    generated_acls: Count = 0
    quotas: tuple[QuotaSection, ...] = ()
    scram_users: tuple[ScramSection, ...] = ()
