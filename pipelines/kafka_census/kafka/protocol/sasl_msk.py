"""AWS_MSK_IAM: the client sends a signed AWS request that is never executed; the broker lets AWS check the signature.

kafka-python signs the request; this module provides credentials and region for each authentication.
"""

from typing import Any

from kafka import errors as kafka_errors
from kafka.net.sasl.abc import SaslMechanism
from kafka.net.sasl.msk import AwsMskIamClient

from kafka_census.kafka.protocol import aws


class MskIam(SaslMechanism):  # type: ignore[misc]  # kafka-python has no types
    """The exchange of one connection; `host` is the host name of its address, `sasl_aws` the settings."""

    def __init__(self, **config: Any) -> None:
        """Set up without a search for botocore, unlike kafka-python's class."""
        self._host, self._aws = config["host"], config["sasl_aws"]
        self._answer: str | None = None

    def auth_bytes(self) -> bytes:
        """The signed request. Raises SaslAuthenticationFailedError."""
        try:
            access_key, secret_key, token = aws.credentials(self._aws)
        except aws.NoCredentials as error:
            raise kafka_errors.SaslAuthenticationFailedError(str(error)) from None
        client = AwsMskIamClient(self._host, access_key, secret_key, self._aws.region, token)
        message: bytes = client.first_message()
        return message

    def receive(self, auth_bytes: bytes) -> None:
        """Take the broker's only answer, which is not empty on success."""
        self._answer = auth_bytes.decode()

    def is_done(self) -> bool:
        """Whether the broker has answered."""
        return self._answer is not None

    def is_authenticated(self) -> bool:
        """Whether the answer was one of success."""
        return bool(self._answer)
