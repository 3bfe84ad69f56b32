"""Checks of this machine: Java, the jars of Delta, the lake's folder, and files with secrets."""

from kafka_census.terminal.human import counted, human_bytes
from kafka_census.upkeep.doctor.facts import Cluster, Found, Machine
from kafka_census.upkeep.doctor.finding import Detail, Finding, State

_LITTLE_BYTES = 1 << 30
_FETCH = "python -m kafka_census.jars delta"


def java(machine: Machine) -> Finding:
    """Spark needs Java 17 or newer."""
    return _brought(machine) or _usable(machine.java, "put Java 17 or newer on the PATH, or name it in JAVA_HOME")


def jars(machine: Machine) -> Finding:
    """The jars must be complete, with the checksums of the release."""
    if machine.jars is None:
        detail = Detail("this machine", "the first job will fetch them", f"fetch them now: {_FETCH}")
        return _brought(machine) or Finding(State.WARNING, "not fetched yet", (detail,))
    # An error that names no set says itself what to do.
    again = f"delete that folder, and fetch them again: {_FETCH}" if machine.jars.what else ""
    return _brought(machine) or _usable(machine.jars, again)


def _brought(machine: Machine) -> Finding | None:
    """The finding where a platform brings Spark, so that Java and jars are not checked; None elsewhere."""
    return Finding(State.OK, f"{machine.given_by} brings its own") if machine.given_by else None


def _usable(found: Found, remedy: str) -> Finding:
    if found.trouble is None:
        return Finding(State.OK, found.what)
    return Finding(State.FAILED, "cannot be used", (Detail("this machine", found.trouble, remedy),))


def lake(machine: Machine) -> Finding:
    """Whether the folder exists or can be created, can be written, and has room."""
    name, free = machine.lake.what, f"{human_bytes(machine.free_bytes)} free"
    if not machine.is_local:
        return Finding(State.NOT_CHECKED, f"{name} is no local folder: only Spark can look there")
    if machine.lake.trouble is not None:
        return Finding(State.FAILED, "cannot be used", (Detail(name, machine.lake.trouble),))
    if machine.free_bytes < _LITTLE_BYTES:
        remedy = "free space, or have `kafka-census maintain` remove what `retention` no longer keeps"
        return Finding(State.WARNING, free, (Detail(name, f"its disk has {free}", remedy),))
    return Finding(State.OK, f"{name}: {'writable' if machine.is_there else 'can be made'}, {free}")


def secrets(cluster: Cluster) -> Finding:
    """Files with secrets that everybody on this machine can read or change."""
    exposed = cluster.configured.exposed
    if not exposed:
        return Finding(State.OK, "no file with a secret of this cluster is open to others")
    details = (Detail(file, "everybody on this machine can read it, or change it", "chmod o=") for file in exposed)
    return Finding(State.WARNING, f"{counted(len(exposed), 'file')} can be read by others", tuple(details))
