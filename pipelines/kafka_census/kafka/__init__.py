"""The wire: `protocol` (connections, security), `paging` (RPCs, cursors, the pager), `rpc` (one file per RPC).

Knows Kafka and nothing of Spark or of what is computed.
"""
