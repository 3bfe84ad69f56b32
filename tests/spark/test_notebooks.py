"""The notebooks as files, and run on this machine; test_serverless.py shows what they show."""

import re
from pathlib import Path

import pytest

from kafka_census import __version__
from kafka_census.lake.lake import Lake
from spark.report_lake import census, group, partition, publish
from tools import notebook

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_in_databricks_source_format(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Databricks notebook source\n# MAGIC %md\n# MAGIC # ")
    assert text.count("\n# COMMAND ----------\n\n") == text.count("# COMMAND") >= 4
    assert text.count('dbutils.widgets.text("lake", ') == 1
    installed = re.findall(r"^# MAGIC %pip install \S+/(\S+\.whl)$", text, re.MULTILINE)
    assert installed in ([], [f"kafka_census-{__version__}-py3-none-any.whl"])


@pytest.mark.usefixtures("spark")
def test_a_notebook_runs_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"group_coordinator_placement": [group("connect")], "under_min_isr_partitions": [partition("a", 0, "OK")]}
    publish(Lake(root=str(tmp_path / "lake")), {census(0, "demo"): rows})
    monkeypatch.chdir(tmp_path)
    notebook.main([str(NOTEBOOKS[1]), f"lake={tmp_path / 'lake'}", "group=connect"])
    reported = capsys.readouterr().out
    assert reported.startswith("\n# Who coordinates my group?\n")
    assert "connect" in reported
    assert "# MAGIC" not in reported
    assert "plots: build/notebooks/02_who_coordinates_my_group/*.png" in reported
    assert (tmp_path / "build/notebooks/02_who_coordinates_my_group/1.png").is_file()
