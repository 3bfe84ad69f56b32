"""`make kafka`: real brokers until interrupted. Prints one line, `bootstrap.servers=...`, when they are up."""

import argparse
import signal
import sys

from harness.broker import LATEST
from harness.kafka_cluster import BrokerFailed, KafkaCluster
from kafka_census.errors import CensusError


def main(arguments: list[str]) -> int:
    """Run until SIGINT or SIGTERM; nothing is left behind."""
    parser = argparse.ArgumentParser(prog="make kafka", description=__doc__)
    parser.add_argument("--brokers", type=int, default=3)
    parser.add_argument("--version", default=LATEST, help="a release with jars of its own, such as 3.9.1")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with KafkaCluster(chosen.brokers, chosen.version) as cluster:
            print(f"bootstrap.servers={cluster.bootstrap_servers}", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except (BrokerFailed, CensusError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
