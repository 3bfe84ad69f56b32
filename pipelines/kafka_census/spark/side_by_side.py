"""Independent work at the same time: the one thread pool of the driver.

Spark distributes the rows, but a small census spends most of its time in the driver, which plans a hundred queries one
after the other. With three tables at once, one table is planned while another runs (docs/benchmarks.md).
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from graphlib import TopologicalSorter

from pyspark.sql import SparkSession


def side_by_side(
    spark: SparkSession,
    work: Mapping[str, Callable[[], None]],
    after: Mapping[str, Collection[str]],
    at_once: int,
) -> None:
    """Run all work, at most `at_once` at a time; each piece starts once the work that it comes `after` is done.

    Names in `after` that are not in `work` count as done. Of the work that is ready, the first in `work` starts first.
    After the first failure (or an interrupt) the other running work is interrupted in Spark; the failure is raised once
    that work has ended. With `at_once` 1, the work runs in the order of `work`, in this thread. Raises CycleError,
    before anything runs, where work waits for itself.
    """
    if at_once == 1:
        for one in work.values():
            one()
        return
    order = TopologicalSorter({name: [one for one in after.get(name, ()) if one in work] for name in work})
    order.prepare()
    ready, running = deque[str](), dict[Future[None], str]()
    with ThreadPoolExecutor(at_once, thread_name_prefix="side-by-side") as pool:
        try:
            while order.is_active():
                ready.extend(sorted(order.get_ready(), key=list(work).index))
                while ready and len(running) < at_once:
                    name = ready.popleft()
                    # The copied context holds the fields that the log adds to every line: the cluster and the census.
                    running[pool.submit(copy_context().run, work[name])] = name
                for ended in wait(running, return_when=FIRST_COMPLETED).done:
                    order.done(running.pop(ended))
                    ended.result()
        except BaseException:
            left = set(running)
            while left:  # work that is planning starts its next Spark job a moment later
                spark.interruptAll()
                left = wait(left, timeout=1).not_done
            raise
