"""How a cluster is signed in to: the sections `ssl` and `sasl`, their references followed, as the protocol takes them.

What a reference does not lead to is noted by `References`, which raises all mistakes together.
"""

import os

from kafka_census.config import security
from kafka_census.config.secrets import References
from kafka_census.config.section import SecretSource
from kafka_census.files.yaml_file import Path
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClientCredentials, Kerberos, Keytab, Sasl, Ssl, Token


def ssl_of(section: security.SslSection, at: Path, references: References) -> Ssl:
    """The certificates and keys of a section; texts are kept with the settings."""
    texts = {
        str(source): references.secret(source, (*at, key)).reveal().encode()
        for key in ("ca_pem", "cert_pem", "key_pem")
        if (source := getattr(section, key)) is not None
    }
    return Ssl(
        cafile=str(section.ca_pem) if section.ca_pem else references.file(section.cafile, (*at, "cafile")),
        cafile_password=_given(section.cafile_password, (*at, "cafile_password"), references),
        certfile=str(section.cert_pem) if section.cert_pem else references.file(section.certfile, (*at, "certfile")),
        keyfile=str(section.key_pem) if section.key_pem else references.file(section.keyfile, (*at, "keyfile")),
        password=_given(section.password, (*at, "password"), references),
        key_password=_given(section.key_password, (*at, "key_password"), references),
        check_hostname=section.check_hostname,
        carried=texts,
    )


def _given(source: SecretSource | None, at: Path, references: References) -> Secret | None:
    return None if source is None else references.secret(source, at)


def sasl_of(section: security.SaslSection, at: Path, references: References) -> Sasl:
    """The mechanism of a section with its secrets."""
    return Sasl(
        mechanism=section.mechanism,
        username=section.username,
        password=_given(section.password, (*at, "password"), references),
        oauth=_oauth(section.oauth, (*at, "oauth"), references) if section.oauth else None,
        aws=Aws(section.aws.region, section.aws.profile) if section.aws else None,
        kerberos=_kerberos(section.kerberos, (*at, "kerberos"), references) if section.kerberos else None,
    )


def _kerberos(section: security.KerberosSection, at: Path, references: References) -> Kerberos:
    keytab = None
    if section.keytab is not None:
        text = references.keytab(section.keytab, (*at, "keytab"))
        keytab = Keytab(text, os.path.realpath(section.keytab.file) if section.keytab.file else None)
    return Kerberos(section.service_name, section.principal, keytab, section.ticket_cache)


def _oauth(section: security.OAuthSection, at: Path, references: References) -> Token | ClientCredentials | None:
    if section.token is not None:
        text = references.secret(section.token, (*at, "token"))
        return Token(text, os.path.realpath(section.token.file) if section.token.file else None)
    endpoint, here = section.token_endpoint, (*at, "token_endpoint")
    if endpoint is None:
        return None
    return ClientCredentials(
        token_endpoint=endpoint.url,
        client_id=endpoint.client_id,
        client_secret=references.secret(endpoint.client_secret, (*here, "client_secret")),
        scope=endpoint.scope,
        ssl=Ssl(cafile=references.file(endpoint.cafile, (*here, "cafile"))),
    )
