"""`make demo`: three real brokers, a census, a lost broker, a second census and its report; then everything is stopped.

The day: topics of every kind of durability, 240 groups without and 6 with live members, one move
between brokers that survive, one move to the broker that is lost. Both moves are throttled,
so they cannot end during the demo. The output is the second job's own report. The lake stays at build/demo/lake: two
censuses of all tables, so that trends, changes, every question and every notebook have something to show.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from harness import workload
from harness.broker import LATEST
from harness.kafka_cluster import BrokerFailed, KafkaCluster
from kafka_census.errors import CensusError

ROOT = Path(__file__).parents[2]
LAKE = Path("build/demo/lake")
CONFIG = Path("conf/demo.yaml")
LOST = 3
_MEGABYTE = 1_000_000


def bad_day(cluster: KafkaCluster) -> None:
    """Fill the cluster so that the loss of one broker causes every kind of trouble."""
    servers = cluster.admin_servers
    workload.create_topic(servers, "orders", 6, 3, min_insync_replicas=2)
    workload.create_topic(servers, "payments", 3, 3, min_insync_replicas=3)
    workload.create_topic(servers, "audit", assignment=[[1], [2], [3]], min_insync_replicas=2)
    workload.create_topic(servers, "clickstream", assignment=[[1], [2]])
    workload.create_topic(servers, "archive", assignment=[[1], [2]])
    for topic, megabytes in (("clickstream", 20), ("archive", 10), ("orders", 1)):
        workload.produce(servers, topic, megabytes * _MEGABYTE)
    workload.commit_offsets(servers, [f"nightly-job-{number:03}" for number in range(240)], "orders")
    workload.throttle(servers, ["clickstream", "archive"], cluster.brokers)
    workload.reassign(servers, {("clickstream", 0): [2], ("archive", 0): [LOST]})


def census(cluster: KafkaCluster, *options: str) -> int:
    """Run the job as a user would; returns its exit code."""
    command = [sys.executable, "-m", "kafka_census", "run", "--config", str(CONFIG), "--cluster", "demo", *options]
    servers = {"KAFKA_CENSUS__CLUSTERS__DEMO__BOOTSTRAP_SERVERS": cluster.bootstrap_servers}
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **servers}, check=False).returncode


def main() -> int:
    """Run the demo; returns 0 when both censuses were published, and the second one was shown."""
    began = time.monotonic()
    shutil.rmtree(ROOT / LAKE, ignore_errors=True)

    def say(text: str) -> None:
        print(f"demo {time.monotonic() - began:4.0f} s  {text}", file=sys.stderr, flush=True)

    say(f"starting three Kafka {LATEST} brokers")
    try:
        with KafkaCluster(brokers=3) as cluster:
            say("topics, records, 240 groups, two throttled reassignments")
            bad_day(cluster)
            with workload.LiveGroups(
                cluster.admin_servers, "orders", [f"live-{number}" for number in range(6)], cluster.folder / "members"
            ):
                say("6 groups have live members; the first census, of all tables")
                code = census(cluster, "--no-report")
                workload.produce(cluster.admin_servers, "orders", _MEGABYTE)
                say(f"broker {LOST} is stopped now; the second census")
                cluster.stop_broker(LOST)
                code = code or census(cluster)
        say("all brokers are stopped")
    except (BrokerFailed, CensusError) as error:
        print(error, file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
