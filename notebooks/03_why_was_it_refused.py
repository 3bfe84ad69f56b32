# Databricks notebook source
# MAGIC %md
# MAGIC # Why was it refused?
# MAGIC
# MAGIC A census that is not complete, or whose rows break a rule, is not published: readers go on with the one before it.
# MAGIC This shows what the gate had against it, which answers are missing, the rows that are wrong, and what was found all
# MAGIC the same (`candidate_<table>`, which nobody should use for anything else).
# MAGIC
# MAGIC `census` is its id; empty: the last one that was refused.

# COMMAND ----------

import kafka_census
import matplotlib.pyplot as plt

dbutils.widgets.text("lake", "build/demo/lake", "Root of the lake, or catalog.schema")
dbutils.widgets.text("census", "", "Id of the census; empty: the last refused one")
kafka_census.register(spark, dbutils.widgets.get("lake"))
refused = spark.sql("SELECT max(census_id) FROM census_runs WHERE event = 'refused'").first()[0]
census = dbutils.widgets.get("census") or refused
asked = {"census": census or "none was refused"}

# COMMAND ----------

# MAGIC %md
# MAGIC ## What it did

# COMMAND ----------

display(
    spark.sql("SELECT cluster, event, at, detail FROM census_runs WHERE census_id = {census} ORDER BY at", **asked)
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What the gate has against it
# MAGIC `message` says what, where and what to do. One cause often blinds several tables.

# COMMAND ----------

against = spark.sql(
    """
    SELECT table_name, rule, kind, failed_rows, checked_rows, failing_keys, message
    FROM verdicts
    WHERE census_id = {census} AND outcome = 'refuse'
    ORDER BY kind, rule, table_name
    """,
    **asked,
)
display(against)
failed = against.toPandas()
if len(failed):
    failed["what"] = failed["table_name"] + "\n" + failed["rule"]
    failed.plot.barh(
        x="what", y=["checked_rows", "failed_rows"], logx=True, title="What was looked at, and what of it failed"
    )
    plt.tight_layout()
    plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which answers are missing
# MAGIC Brokers that were asked and answered with an error, by RPC.

# COMMAND ----------

missing = spark.sql(
    """
    SELECT node_id, rpc, scope, error, sum(errors) AS pages_with_error, max(note) AS note
    FROM calls
    WHERE census_id = {census} AND error IS NOT NULL
    GROUP BY node_id, rpc, scope, error
    ORDER BY node_id, rpc, scope
    """,
    **asked,
)
display(missing)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which rows are wrong
# MAGIC The rows themselves, as JSON, up to `gate.quarantine_rows` for each rule.

# COMMAND ----------

wrong = spark.sql(
    """
    SELECT table_name, rule, severity, row_key, row
    FROM quarantine
    WHERE census_id = {census}
    ORDER BY severity, table_name, rule, row_key
    LIMIT 1000
    """,
    **asked,
)
display(wrong)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What it found all the same
# MAGIC By status, beside what readers see instead.

# COMMAND ----------

found = spark.sql(
    """
    SELECT status, count_if(seen = 'refused') AS refused, count_if(seen = 'current') AS current
    FROM (
        SELECT 'refused' AS seen, status FROM candidate_under_min_isr_partitions WHERE census_id = {census}
        UNION ALL
        SELECT 'current' AS seen, status FROM current_under_min_isr_partitions
    )
    GROUP BY status
    ORDER BY array_position(array('OFFLINE', 'UNDER', 'AT', 'UNDER_REPLICATED', 'UNKNOWN', 'OK'), status)
    """,
    **asked,
)
display(found)
