"""The sets of jars that pip does not bring: Delta's for Spark; brokers and an object store for tests and the demo."""

from dataclasses import dataclass


@dataclass(frozen=True)
class JarSet:
    """A set of jars. `artifacts` are (organisation, module, version); `transitive` adds their dependencies.

    `classifier` names another jar of each artifact than the main one.
    """

    name: str
    artifacts: tuple[tuple[str, str, str], ...]
    transitive: bool = True
    classifier: str | None = None


def _modules(organisation: str, version: str, names: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((organisation, name, version) for name in names.split())


_DELTA = "4.4.0"
DELTA = {spark: f"delta-{_DELTA}-spark-{spark}" for spark in ("4.0", "4.1", "4.2")}
"""The set of Delta's jars for each line of releases of Spark, by the line; pip's `delta-spark` is the same for all."""

JAR_SETS = (
    # Spark has all other dependencies of Delta; without transitive dependencies the download is a seventh of the size.
    *(
        JarSet(
            name,
            (("io.delta", f"delta-spark_{spark}_2.13", _DELTA), ("io.delta", "delta-storage", _DELTA)),
            transitive=False,
        )
        for spark, name in DELTA.items()
    ),
    JarSet("kafka-4.4.0", (("org.apache.kafka", "kafka_2.13", "4.4.0"),)),
    JarSet("kafka-4.3.1", (("org.apache.kafka", "kafka_2.13", "4.3.1"),)),
    JarSet("kafka-4.2.1", (("org.apache.kafka", "kafka_2.13", "4.2.1"),)),
    JarSet("kafka-4.1.2", (("org.apache.kafka", "kafka_2.13", "4.1.2"),)),
    JarSet("kafka-4.0.2", (("org.apache.kafka", "kafka_2.13", "4.0.2"),)),
    JarSet("kafka-3.9.1", (("org.apache.kafka", "kafka_2.13", "3.9.1"),)),
    # The last release that compares the raw min.insync.replicas with the ISR, and the first that caps the setting.
    JarSet("kafka-3.7.2", (("org.apache.kafka", "kafka_2.13", "3.7.2"),)),
    JarSet("kafka-3.6.2", (("org.apache.kafka", "kafka_2.13", "3.6.2"),)),
    JarSet("kafka-2.8.2", (("org.apache.kafka", "kafka_2.13", "2.8.2"),)),
    # Kafka's own command-line classes, the reference of tests.
    JarSet("kafka-tools-4.4.0", (("org.apache.kafka", "kafka-tools", "4.4.0"),)),
    # For tests of a lake in an object store: Hadoop's client of S3, of the release that Spark has, and a server.
    JarSet(
        "s3a-3.5.0",
        (
            ("org.apache.hadoop", "hadoop-aws", "3.5.0"),
            ("org.reactivestreams", "reactive-streams", "1.0.4"),
            ("software.amazon.s3.analyticsaccelerator", "analyticsaccelerator-s3", "1.3.1"),
            # What S3A uses of the SDK: the bundle that hadoop-aws names has all of it, 600 MB.
            *_modules(
                "software.amazon.awssdk",
                "2.35.4",
                "annotations apache-client arns auth aws-core aws-query-protocol aws-xml-protocol checksums "
                "checksums-spi crt-core endpoints-spi http-auth http-auth-aws http-auth-aws-eventstream http-auth-spi "
                "http-client-spi identity-spi json-utils metrics-spi profiles protocol-core regions retries "
                "retries-spi s3 s3-transfer-manager sdk-core third-party-jackson-core utils utils-lite",
            ),
        ),
        transitive=False,
    ),
    JarSet("s3proxy-3.0.0", (("org.gaul", "s3proxy", "3.0.0"),), transitive=False, classifier="jar-with-dependencies"),
)
