"""A cluster that speaks Kafka's protocol, pages as KIP-1062 proposes, and misbehaves on request."""

__version__ = "0.2.0"
