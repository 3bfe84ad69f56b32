"""The files that the wheel brings: the configuration that `kafka-census init` writes, and Spark's configuration folder.

conf/spark of a checkout is a link to the second, so that there is one text of each.
"""

from pathlib import Path

CONFIG = "conf/census.yaml"
"""The configuration that is read, and written by `init`, unless another one is named; below the current directory."""

LAKE = "kafka-census-lake"
"""The lake of a command line that names none; below the current directory."""

CENSUS = Path(__file__).with_name("census.yaml")
"""Every key of a configuration with its default, explained."""

RULES = Path(__file__).with_name("prometheus-rules.yaml")
"""Alerts on what a census tells Prometheus, as `rule_files` of Prometheus takes them."""

DASHBOARD = Path(__file__).with_name("grafana-dashboard.json")
"""A dashboard over the same figures, as Grafana imports it."""

SPARK = Path(__file__).with_name("spark")
"""Files of Spark's configuration folder for one machine, in which `${delta_jars}` stands for Delta's jars."""

SPARK_CLUSTER = Path(__file__).with_name("spark_cluster")
"""Those files of it that are others on a cluster."""
