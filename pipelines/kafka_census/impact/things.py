"""The steps that list what can be lost, and the copies of reassignments that stop with each thing."""

from kafka_census.impact.step import Step, select

MOVING: tuple[Step, ...] = (
    ("copies", select("moves", "*", "explode(sequence(1, 4)) AS part")),
    (
        "targets",
        select(
            "copies",
            "topic || '-' || CAST(partition AS STRING) AS partition_name",
            "CASE part WHEN 1 THEN 'broker' WHEN 2 THEN 'rack' ELSE 'log_dir' END AS kind",
            """CASE part WHEN 1 THEN CAST(broker_id AS STRING) WHEN 2 THEN nullif(rack, '')
              WHEN 3 THEN CAST(broker_id AS STRING) || ':' || log_dir
              ELSE CAST(broker_id AS STRING) || ':' || future_log_dir END AS name""",
        ),
    ),
    (
        "moving",
        select(
            "targets",
            "count(DISTINCT partition_name) AS stopped",
            where="name IS NOT NULL",
            by=("kind", "name"),
        ),
    ),
)
"""The partitions whose copies stop: the broker or log dir that they go to is lost."""

_OF_NODE = """broker_id, state, groups_gap, transactional_ids_gap, groups_elsewhere, transactional_ids_elsewhere"""

THINGS: tuple[Step, ...] = (
    ("onlines", select("log_dirs", "*", "count_if(state = 'online') OVER (PARTITION BY broker_id) AS online")),
    (
        "wholes",
        select(
            "onlines",
            "*",
            """CASE WHEN state <> 'online' THEN false WHEN online = 1 THEN true
              WHEN metadata_dir IS NOT NULL THEN log_dir = metadata_dir WHEN configured THEN false END AS is_whole""",
        ),
    ),
    (
        "things",
        f"""
  SELECT 'nothing' AS kind, '' AS name, CAST(NULL AS STRING) AS rack, CAST(NULL AS STRING) AS log_dir,
    CAST(NULL AS STRING) AS gap, 'nothing' AS of_kind, '' AS of_name, CAST(NULL AS INT) AS broker_id,
    CAST(NULL AS STRING) AS state, CAST(NULL AS STRING) AS groups_gap, CAST(NULL AS STRING) AS transactional_ids_gap,
    CAST(0 AS BIGINT) AS groups_elsewhere, CAST(0 AS BIGINT) AS transactional_ids_elsewhere,
    slice(sequence(0, 0), 1, 0) AS nodes
  UNION ALL
  SELECT 'broker', CAST(broker_id AS STRING), nullif(rack, ''), NULL, NULL, 'broker', CAST(broker_id AS STRING),
    {_OF_NODE}, sequence(broker_id, broker_id) AS nodes
  FROM {{brokers}}
  UNION ALL
  SELECT 'rack', rack, rack, NULL, NULL, 'rack', rack, NULL, NULL,
    max(CASE WHEN state = 'alive' THEN groups_gap END), max(CASE WHEN state = 'alive' THEN transactional_ids_gap END),
    CAST(sum(groups_elsewhere) AS BIGINT), CAST(sum(transactional_ids_elsewhere) AS BIGINT), collect_list(broker_id)
  FROM {{brokers}} WHERE rack <> '' GROUP BY rack
  UNION ALL
  SELECT 'log_dir', CAST(broker_id AS STRING) || ':' || log_dir, NULL, nullif(log_dir, ''),
    CASE WHEN state = 'not_read' THEN reason
      WHEN is_whole IS NULL THEN 'whether it holds the metadata log, without which a broker halts, is not known' END,
    CASE WHEN is_whole THEN 'broker' ELSE 'log_dir' END,
    CASE WHEN is_whole THEN CAST(broker_id AS STRING) ELSE CAST(broker_id AS STRING) || ':' || log_dir END,
    broker_id, state, NULL, NULL, 0, 0, slice(sequence(broker_id, broker_id), 1, CASE WHEN is_whole THEN 1 ELSE 0 END)
  FROM {{wholes}}
  UNION ALL
  SELECT 'controller', CAST(node_id AS STRING), NULL, NULL, NULL, 'broker', CAST(node_id AS STRING), node_id, NULL,
    NULL, NULL, 0, 0, sequence(node_id, node_id)
  FROM {{voters}}""",
    ),
)
"""What can be lost: `of_kind` and `of_name` say whose replicas go with it, `nodes` which processes."""
