"""An object store on loopback that speaks S3's protocol: S3Proxy, with one bucket, in memory.

Clients are Hadoop's S3A, which Spark uses, and that of deltalake. Hadoop cannot create a bucket; pyarrow can.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pyarrow.fs import S3FileSystem

from harness import processes
from kafka_census.jars.delta import delta_jars
from kafka_census.jars.ivy import jars, java

BUCKET = "census"
ACCESS_KEY, SECRET_KEY, REGION = "census-key", "census-secret", "us-east-1"


class S3Server:
    """A context manager: the server runs, and has the bucket."""

    def __init__(self, folder: Path) -> None:
        self._folder, (port,) = folder, processes.free_ports(1)
        self.endpoint = f"http://{processes.LOOPBACK}:{port}"

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        settings, log = self._folder / "s3proxy.properties", self._folder / "s3proxy.log"
        settings.write_text(
            f"s3proxy.endpoint={self.endpoint}\n"
            "s3proxy.authorization=aws-v2-or-v4\n"
            f"s3proxy.identity={ACCESS_KEY}\n"
            f"s3proxy.credential={SECRET_KEY}\n"
            "jclouds.provider=transient\n",
            encoding="utf-8",
        )
        [jar] = jars("s3proxy-3.0.0")
        jvm = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        command = [java(), *jvm, "-jar", str(jar), "--properties", str(settings)]
        self._process = processes.start(command, log)
        processes.await_line(self._process, log, r".* Started Server@.*", 60)
        files = S3FileSystem(
            access_key=ACCESS_KEY,
            secret_key=SECRET_KEY,
            endpoint_override=self.endpoint,
            region=REGION,
            allow_bucket_creation=True,
        )
        files.create_dir(BUCKET)
        return self

    def __exit__(self, *_error: object) -> None:
        processes.stop(self._process)

    @property
    def of_environment(self) -> Mapping[str, str]:
        """The credentials, as environment variables: all clients of S3 find them there."""
        return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}

    @property
    def of_deltalake(self) -> Mapping[str, str]:
        """deltalake's `storage_options`, which are also its environment variables."""
        return {
            **self.of_environment,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
        }

    @property
    def of_spark(self) -> Mapping[str, str]:
        """Settings of Spark: S3A with Delta's own LogStore for it; credentials are in `of_environment`."""
        return {
            "spark.jars": ",".join(str(jar) for jar in (*delta_jars(), *jars("s3a-3.5.0"))),
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": REGION,
            "spark.hadoop.fs.s3a.path.style.access": "true",
        }
