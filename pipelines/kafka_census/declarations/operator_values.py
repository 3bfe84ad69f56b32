"""What transforms take from the operator instead of from Kafka: values of the configuration, by the names of roles."""

from dataclasses import dataclass

from kafka_census.declarations.desired import Desired
from kafka_census.declarations.owners import Owner
from kafka_census.declarations.risk_policy import DEFAULT_POLICY, RiskPolicy


@dataclass(frozen=True)
class OperatorValues:
    """Values for the tables of one cluster.

    desired  what its configs should be, for `config_drift`
    policy   what is called a risk, and which risks are accepted, for `risks`
    owners   whose things are, in the order in which they count, for the column `owner` and `usage_by_owner`
    """

    desired: tuple[Desired, ...] = ()
    policy: RiskPolicy = DEFAULT_POLICY
    owners: tuple[Owner, ...] = ()


NO_VALUES = OperatorValues()
