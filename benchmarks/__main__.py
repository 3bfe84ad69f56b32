"""`python -m benchmarks [NAME...]`: all benchmarks, or those named."""

import sys
from collections.abc import Callable

from benchmarks import (
    census,
    emulator,
    failure_impact,
    fixed_cost,
    hashing,
    history,
    large_census,
    memory,
    nodes,
    rates,
    redaction,
    rpcs,
    transforms,
    waves,
    workers,
)

BENCHMARKS: tuple[tuple[str, Callable[[], None]], ...] = (
    ("hashing", hashing.main),
    ("rpcs", rpcs.main),
    ("rates", rates.main),
    ("redaction", redaction.main),
    ("memory", memory.main),
    ("emulator", emulator.main),
    ("nodes", nodes.main),
    ("fixed_cost", fixed_cost.main),
    ("census", census.main),
    ("large_census", large_census.main),
    ("transforms", transforms.main),
    ("failure_impact", failure_impact.main),
    ("waves", waves.main),
    ("workers", workers.main),
    ("history", history.main),
)


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, or all."""
    known = [name for name, _ in BENCHMARKS]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown benchmark {unknown[0]}; one of {', '.join(known)}", file=sys.stderr)
        return 2
    for name, run in BENCHMARKS:
        if not names or name in names:
            run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
