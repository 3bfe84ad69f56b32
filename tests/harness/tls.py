"""A throw-away certificate authority and the certificate of brokers on loopback, as PEM files."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtensionOID, NameOID

_DAY = timedelta(days=1)


class Tls:
    """`cafile` has the authority that clients trust; `keystore` the brokers' key, certificate and authority.

    hosts     IP addresses of the certificate, in addition to the name localhost
    expired   whether the certificate has expired
    password  the password of the key, which is not encrypted by default
    odd       an extension of the certificate that OpenSSL takes, and that the package cryptography cannot read
    """

    def __init__(
        self,
        folder: Path,
        hosts: tuple[str, ...] = ("127.0.0.1",),
        *,
        expired: bool = False,
        password: str = "",
        odd: bool = False,
    ) -> None:
        folder.mkdir(parents=True)
        self.cafile = folder / "ca.pem"
        self.keystore = folder / "broker.pem"
        ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        self._folder, self._ca_key = folder, ca_key
        ca_name = _name("kafka-census test authority")
        ca = _certificate(ca_name, ca_name, ca_key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        addresses = [x509.IPAddress(ipaddress.ip_address(host)) for host in hosts]
        leaf = _certificate(_name("broker"), ca_name, key, -_DAY / 2 if expired else _DAY).add_extension(
            x509.SubjectAlternativeName([*addresses, x509.DNSName("localhost")]), critical=False
        )
        if odd:
            issued_by = x509.UnrecognizedExtension(ExtensionOID.ISSUER_ALTERNATIVE_NAME, b"\x30\x04\xa3\x02\x30\x00")
            leaf = leaf.add_extension(issued_by, critical=False)
        authority = ca.sign(ca_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        self.cafile.write_bytes(authority)
        certificate = leaf.sign(ca_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        self.keystore.write_bytes(_pem(key, password) + certificate + authority)

    def client(self, name: str, password: str) -> tuple[Path, Path]:
        """A client's certificate and key, encrypted by a password: a PEM file, and a PKCS#12 store."""
        key = ec.generate_private_key(ec.SECP256R1())
        authority = x509.load_pem_x509_certificate(self.cafile.read_bytes())
        leaf = _certificate(_name(name), authority.subject, key).sign(self._ca_key, hashes.SHA256())
        encryption = serialization.BestAvailableEncryption(password.encode())
        pem, store = self._folder / f"{name}.pem", self._folder / f"{name}.p12"
        pem.write_bytes(_pem(key, password) + leaf.public_bytes(serialization.Encoding.PEM))
        store.write_bytes(pkcs12.serialize_key_and_certificates(name.encode(), key, leaf, [authority], encryption))
        return pem, store

    def truststore(self, password: str) -> Path:
        authority = x509.load_pem_x509_certificate(self.cafile.read_bytes())
        encryption = serialization.BestAvailableEncryption(password.encode())
        store = self._folder / "truststore.p12"
        store.write_bytes(pkcs12.serialize_key_and_certificates(None, None, None, [authority], encryption))
        return store

    def broker_properties(self) -> dict[str, object]:
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": self.keystore,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": self.cafile,
        }


def _pem(key: ec.EllipticCurvePrivateKey, password: str) -> bytes:
    secured = serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secured)


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, ends: timedelta = _DAY
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    serial = x509.random_serial_number()
    return x509.CertificateBuilder(issuer, subject, key.public_key(), serial, now - _DAY, now + ends)
