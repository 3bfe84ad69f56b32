"""A KDC on loopback, MIT's own: a realm with the brokers' service, and principals with keytabs.

It is in Debian's packages krb5-kdc, krb5-admin-server and krb5-user. A test fails where these, or the package gssapi,
are not installed: an exchange without a KDC is not tested.
"""

import os
import re
import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from harness import processes

REALM = "CENSUS.TEST"
SERVICE = f"kafka/{processes.LOOPBACK}"
_NEEDED = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit", "klist")
_MODULE = "com.sun.security.auth.module.Krb5LoginModule"


class Kdc:
    """A context manager: the KDC runs, and knows the service. Clients read `krb5_conf` by `KRB5_CONFIG`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, (self._port,) = folder, processes.free_ports(1)
        self._profile = folder / "kdc.conf"
        self._known: set[str] = set()
        self.krb5_conf = self.conf("krb5.conf")

    def __enter__(self) -> Self:
        lacking = [name for name in _NEEDED if _program(name) is None]
        assert find_spec("gssapi"), "the package gssapi is missing: apt-get install gcc libkrb5-dev; make platforms"
        assert not lacking, f"{', '.join(lacking)} missing: apt-get install krb5-kdc krb5-admin-server krb5-user"
        listens = f"127.0.0.1:{self._port}"
        self._profile.write_text(
            f"[kdcdefaults]\n kdc_listen = {listens}\n kdc_tcp_listen = {listens}\n"
            f"[realms]\n {REALM} = {{\n  database_name = {self.folder / 'principals'}\n"
            f"  key_stash_file = {self.folder / 'stash'}\n  default_principal_flags = +preauth\n }}\n",
            encoding="utf-8",
        )
        self._run("kdb5_util", "create", "-s", "-r", REALM, "-P", "master")
        self.keytab(SERVICE)
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start or restart the KDC; returns when it listens."""
        log = self.folder / "kdc.log"
        log.unlink(missing_ok=True)
        self._process = processes.start([_program("krb5kdc") or "", "-n", "-r", REALM], log, self.environment)
        processes.await_line(self._process, log, "krb5kdc: starting...", 20)

    def stop(self) -> None:
        processes.stop(self._process)

    @property
    def environment(self) -> dict[str, str]:
        return {"KRB5_CONFIG": str(self.krb5_conf), "KRB5_KDC_PROFILE": str(self._profile)}

    def conf(self, name: str, *lines: str, port: int | None = None, realm: str = REALM) -> Path:
        """A krb5.conf of a realm, with more lines in its [libdefaults]; `port` is that of another KDC."""
        own = ("dns_lookup_kdc = false", "dns_canonicalize_hostname = false", "rdns = false", *lines)
        path = self.folder / name
        path.write_text(
            "\n".join(("[libdefaults]", f" default_realm = {realm}", *(f" {line}" for line in own), ""))
            + f"[realms]\n {realm} = {{\n  kdc = 127.0.0.1:{port or self._port}\n }}\n",
            encoding="utf-8",
        )
        return path

    def keytab(self, principal: str, *options: str) -> Path:
        """A new keytab of a principal, created with options if it does not exist; older ones become invalid."""
        path = self.folder / f"{principal.replace('/', '-')}-{time.monotonic_ns()}.keytab"
        if principal not in self._known:
            self._run("kadmin.local", "-r", REALM, "addprinc", "-randkey", *options, principal)
            self._known.add(principal)
        self._run("kadmin.local", "-r", REALM, "ktadd", "-k", str(path), principal)
        return path

    def keys(self, keytab: Path) -> list[bytes]:
        return [bytes.fromhex(key) for key in re.findall(r"\(0x([0-9a-f]+)\)", self._run("klist", "-kK", str(keytab)))]

    def delete(self, principal: str) -> None:
        self._run("kadmin.local", "-r", REALM, "delprinc", "-force", principal)

    def ticket_cache(self, principal: str, keytab: Path, *options: str) -> Path:
        """A ticket cache with the ticket of a principal, filled by kinit."""
        path = keytab.with_suffix(".cache")
        self._run("kinit", "-k", "-t", str(keytab), "-c", str(path), *options, principal)
        return path

    def broker_properties(self, prefix: str) -> dict[str, object]:
        """The properties of a broker for a listener; `prefix` as in `listener.name.kerberos`."""
        (keytab,) = self.folder.glob(f"{SERVICE.replace('/', '-')}-*.keytab")
        options = f'useKeyTab=true storeKey=true keyTab="{keytab}" principal="{SERVICE}@{REALM}"'
        return {
            f"{prefix}.gssapi.sasl.jaas.config": f"{_MODULE} required {options};",
            f"{prefix}.sasl.kerberos.service.name": "kafka",
        }

    @property
    def java_option(self) -> str:
        return f"-Djava.security.krb5.conf={self.krb5_conf}"

    def _run(self, name: str, *arguments: str) -> str:
        command = [_program(name) or "", *arguments]
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=30, check=False
        )
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
