"""Delta's jars for the Spark that is here: each line of releases of Spark has jars of its own."""

import re
from pathlib import Path

from kafka_census.errors import ConfigError
from kafka_census.jars.ivy import jars, spark_jars
from kafka_census.jars.jar_sets import DELTA

_CORE = re.compile(r"spark-core_2\.13-(\d+\.\d+)\..+\.jar")


def delta_jars() -> list[Path]:
    """The jars, resolved first where they are missing. Raises as `delta_set` and `jars` do."""
    return jars(delta_set())


def delta_set() -> str:
    """The name of their set (`jar_sets.py`). Raises ConfigError without Spark, and for a line that has no set."""
    at = spark_jars()
    lines = [match[1] for jar in at.glob("spark-core_*.jar") if (match := _CORE.fullmatch(jar.name))]
    if not lines or lines[0] not in DELTA:
        raise ConfigError(
            f"jars: {at} is of Spark {lines[0] if lines else 'without Scala 2.13'}, and Delta's jars are known for "
            f"{', '.join(DELTA)}: install one of these, or name Delta's jars in a configuration of your own "
            "(SPARK_CONF_DIR)"
        )
    return DELTA[lines[0]]
