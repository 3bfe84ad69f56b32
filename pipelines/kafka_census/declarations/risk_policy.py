"""What an operator calls a risk, and which risks are accepted: `risks` of the configuration, for the table `risks`.

Defaults, and why:

internal_replicas      3: with less, one lost broker while another is restarted stops groups or transactions
leaders_away           0.1: Kafka's own leader.imbalance.per.broker.percentage
disk_used              0.85: what remains is what a broker needs while another one's replicas move to it
partitions_per_broker  4,000 replicas: beyond, a restart and a fail-over take minutes on common hardware
"""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class AcceptedRisk:
    """A risk that somebody accepts until the end of a day (UTC).

    word    the risk's word
    topic   topics: a name or pattern, where * stands for any characters; None: subjects of every kind
    name    what bears the risk, as the column `name` has it, likewise
    until   the last day
    why     the reason, for whoever reads the table
    """

    word: str
    until: date
    why: str
    topic: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class RiskPolicy:
    """Thresholds, of which the module has the reasons, and accepted risks; the first that matches counts."""

    internal_replicas: int = 3
    leaders_away: float = 0.1
    disk_used: float = 0.85
    partitions_per_broker: int = 4000
    accept: tuple[AcceptedRisk, ...] = ()


DEFAULT_POLICY = RiskPolicy()
