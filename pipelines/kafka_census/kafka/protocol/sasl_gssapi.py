"""GSSAPI (RFC 4752): Kerberos authenticates client and broker to each other. Kafka uses no security layer of GSSAPI.

kafka-python implements the exchange, but only with the default ticket cache: the tickets come from `kerberos`.
"""

from typing import Any

from kafka import errors as kafka_errors

from kafka_census.kafka.protocol import kerberos
from kafka_census.kafka.protocol.failures import CredentialUnavailableError
from kafka_census.private.kafka_python import GssapiExchange


class Gssapi(GssapiExchange):
    """The exchange of one connection: `host` of its address, and `sasl_kerberos_tickets`, which provides tickets."""

    def __init__(self, **config: Any) -> None:
        """Request the ticket. Raises CredentialUnavailableError and SaslAuthenticationFailedError."""
        try:
            context, first_token = config["sasl_kerberos_tickets"].context(config["host"])
        except kerberos.NoTicket as error:
            raise CredentialUnavailableError(
                str(error), "kerberos, and the way to the KDC that krb5.conf names"
            ) from None
        except kerberos.TicketRefused as error:
            raise kafka_errors.SaslAuthenticationFailedError(str(error)) from None
        super().__init__(context, first_token)

    def receive(self, auth_bytes: bytes) -> None:
        """Process the broker's next token. Raises SaslAuthenticationFailedError."""
        from gssapi.exceptions import GSSError

        try:
            super().receive(auth_bytes)
        except GSSError as error:
            text = f"the broker's GSSAPI exchange was refused: {kerberos.words(error)}"
            raise kafka_errors.SaslAuthenticationFailedError(text) from None
