"""The frames that the SQL reads, by the names of its placeholders; all but `cluster` may be empty."""

from collections.abc import Mapping

FRAMES: Mapping[str, Mapping[str, str]] = {
    "partitions": {
        "topic": "STRING",
        "partition": "INT",
        "known": "BOOLEAN",
        "leader_id": "INT",
        "replicas": "ARRAY<INT>",
        "isr": "ARRAY<INT>",
        "eligible": "ARRAY<INT>",
        "min_isr": "INT",
        "unclean": "BOOLEAN",
        "racks": "ARRAY<STRING>",
        "mates": "ARRAY<ARRAY<INT>>",
        "dir_brokers": "ARRAY<INT>",
        "dirs": "ARRAY<STRING>",
        "dir_bytes": "ARRAY<BIGINT>",
        "groups": "BIGINT",
        "transactional_ids": "BIGINT",
    },
    "brokers": {
        "broker_id": "INT",
        "rack": "STRING",
        "state": "STRING",
        "groups_gap": "STRING",
        "transactional_ids_gap": "STRING",
        "groups_elsewhere": "BIGINT",
        "transactional_ids_elsewhere": "BIGINT",
    },
    "log_dirs": {
        "broker_id": "INT",
        "log_dir": "STRING",
        "state": "STRING",
        "reason": "STRING",
        "metadata_dir": "STRING",
        "configured": "BOOLEAN",
    },
    "voters": {"node_id": "INT"},
    "moves": {
        "topic": "STRING",
        "partition": "INT",
        "broker_id": "INT",
        "rack": "STRING",
        "log_dir": "STRING",
        "future_log_dir": "STRING",
    },
    "cluster": {
        "alive": "ARRAY<INT>",
        "voters": "ARRAY<INT>",
        "caught_up": "ARRAY<INT>",
        "unheard": "ARRAY<INT>",
        "partitions_gap": "STRING",
        "moves_gap": "STRING",
        "quorum_gap": "STRING",
        "has_quorum": "BOOLEAN",
        "observed_at": "TIMESTAMP",
    },
}
"""Columns and types.

partitions  every described partition. `known`: it has a leader whose id is known, or none. `racks` are by replica, ''
            for none; `mates`, where a rack has several: for each replica, those in its rack. `dir_brokers`, `dirs` and
            `dir_bytes` say where brokers have it. `groups` and `transactional_ids`: how many ids its leader coordinates
            because they hash to it
brokers     every broker that is not gone; `_gap`: why the ids that it coordinates were not listed; `_elsewhere`: ids
            that it coordinates and that hash to a partition that it does not lead
log_dirs    as in the table log_dir_usage; `configured`: the broker's configuration was read; `metadata_dir`: where it
            says that the metadata log is, null with ZooKeeper. Without that dir, or its last one, a broker halts
            (ReplicaManager.handleLogDirFailure)
voters      of the metadata quorum
moves       replicas that are being made: the broker, its rack and the dirs without which a copy stops
cluster     one row: the voters, those that are caught up, and those that their leader has not heard
            from; `_gap`: what was not read. `has_quorum`: false with ZooKeeper
"""
