"""A cluster that speaks Kafka's protocol, pages as KIP-1062 proposes, and misbehaves on request."""
