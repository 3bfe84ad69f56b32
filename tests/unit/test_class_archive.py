"""The archive of classes: written once, used by a JVM of the same class path, and otherwise no trouble."""

import subprocess
import zipfile
from pathlib import Path

import pytest

from kafka_census.jars import class_archive, spark_conf
from kafka_census.jars.class_archive import ClassArchive, archive_for, class_names, written_archive
from kafka_census.jars.delta import delta_jars
from kafka_census.jars.ivy import java, spark_jars

SEEN = ["org.apache.spark.SparkConf", "io.delta.sql.DeltaSparkSessionExtension", "java.util.StringJoiner"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of jars that has Delta; a list of three classes, one of another release, which is missing."""
    (tmp_path / "jars").symlink_to(delta_jars()[0].parents[1])
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path))
    monkeypatch.setattr(class_archive, "class_names", lambda: [*SEEN, "org.apache.spark.OfAnotherRelease"])
    return tmp_path


def loaded(archive: ClassArchive, class_path: str) -> str:
    options = [*(word.strip('"') for word in archive.options.split()), "-Xlog:class+load", "-cp", class_path]
    command = [java(), *options, "org.apache.spark.deploy.SparkSubmit", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_it_is_written_once_for_the_same_jars_and_a_jvm_takes_spark_s_classes_from_it(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where its class path goes on as spark-submit's does, too; where it begins otherwise, it ignores it in silence."""
    archive = written_archive(delta_jars())
    assert archive.file.parent == cache / "classes"
    assert capsys.readouterr().err == "jars: archiving Spark's classes (once, half a minute)\n"
    assert written_archive(delta_jars()) == archive
    assert capsys.readouterr().err == ""
    line = f"{SEEN[0]} source: "
    assert f"{line}shared objects file (top)" in loaded(archive, f"{archive.class_path}:{cache}:{spark_jars()}/*")
    said = loaded(archive, f"{cache}:{archive.class_path}")
    assert f"{line}file:" in said
    assert [text for text in said.splitlines() if "[warning]" in text or "[error]" in text] == []
    # Another Delta, or another list of classes, is another archive; the configuration names one that fits alone.
    assert archive.written
    assert not archive_for(delta_jars()[:1]).written
    spark_conf.write_spark_conf(cache / "conf")
    text = (cache / "conf" / "spark-defaults.conf").read_text(encoding="utf-8")
    assert f' "-XX:SharedArchiveFile={archive.file}" ' in text
    assert f"\nspark.driver.extraClassPath {archive.class_path}\n" in text
    archive.file.with_suffix(".sha256").write_text("of another Java", encoding="ascii")
    assert not archive_for(delta_jars()).written


def test_a_java_without_archives_is_no_trouble(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = cache / "java" / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\ntest $1 = -version && echo 'openjdk version \"17.0.2\"' >&2\n")
    command.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(cache / "java"))
    spark_conf.write_spark_conf(cache / "conf")
    text = (cache / "conf" / "spark-defaults.conf").read_text(encoding="utf-8")
    assert "SharedArchive" not in text
    assert "extraClassPath" not in text
    assert "${class" not in text


def test_the_list_is_of_the_jars_that_are_locked() -> None:
    """After a new release of Spark or Delta, `make class-list` writes it again: this test says when."""
    there = set()
    for jar in (*spark_jars().glob("*.jar"), *delta_jars()):
        with zipfile.ZipFile(jar) as content:
            there |= {name.removesuffix(".class").replace("/", ".") for name in content.namelist()}
    javas = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "org.xml.", "org.w3c.", "org.ietf.")
    own = [name for name in class_names() if not name.startswith(javas)]
    assert len(own) > 10_000
    assert sum(name not in there for name in own) < len(own) / 100
