"""A lake is stored exactly where its address says, with any characters in the address."""

from pathlib import Path

from pyspark.sql import SparkSession

import kafka_census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.quotas import QUOTAS
from spark.fake_lake import census, passing
from spark.planted_tables import staged_row

NAME = 'a`b``c it\'s "so" 50% a%20b#c?d grüße😀 a\\b;c {a}[b]* a:b,c=d'


def test_any_folder_name_holds_a_lake(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(root=str(tmp_path / NAME))
    first, second = census(1), census(2)
    for one in (first, second):
        row = local_frame(spark, [staged_row(QUOTAS, one, one.cluster_id)], QUOTAS.schema)
        store.replace_census(row, lake, QUOTAS, one.census_id)
        promote(spark, lake, one, passing(1, tables=(QUOTAS,)), NullProgress())
    kafka_census.register(spark, str(lake.root))
    publications = lake.name_of(PUBLICATIONS)
    assert [row.census_id for row in spark.table("current_quotas").collect()] == [second.census_id]
    spark.sql(f"DELETE FROM {publications} WHERE census_id = '{second.census_id}'")
    spark.sql(f"OPTIMIZE {publications}")
    spark.sql(f"VACUUM {publications}")
    assert [row.census_id for row in spark.table("current_quotas").collect()] == [first.census_id]
    as_of = spark.sql("SELECT census_id FROM quotas_as_of(TIMESTAMP '2099-01-01 00:00')").collect()
    assert [row.census_id for row in as_of] == [first.census_id]
    assert [each.name for each in tmp_path.iterdir()] == [NAME]
    assert Path(tmp_path, NAME, "audit", "publications", "_delta_log").is_dir()


def test_a_backtick_in_a_catalog_stays_a_part_of_its_name() -> None:
    lake = Lake(catalog="ma`in.cen`sus")
    assert lake.name("audit", "publications") == "`ma``in`.`cen``sus`.`audit_publications`"
