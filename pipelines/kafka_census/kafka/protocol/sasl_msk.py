"""AWS_MSK_IAM: the client sends a signed AWS request that is never executed; the broker lets AWS check the signature.

kafka-python signs the request; this module provides credentials and region for each authentication.
"""

from typing import Any

from kafka import errors as kafka_errors
from kafka.net.sasl import register_sasl_mechanism
from kafka.net.sasl.msk import AwsMskIamClient, SaslMechanismAwsMskIam

from kafka_census.kafka.protocol import aws


class MskIam(SaslMechanismAwsMskIam):  # type: ignore[misc]  # kafka-python has no types
    """The exchange of one connection; `host` is the host name of its address, `sasl_aws` the settings."""

    def __init__(self, **config: Any) -> None:
        """Set up without a search for botocore, unlike kafka-python's class."""
        self.host, self._aws = config["host"], config["sasl_aws"]
        self._is_done = self._is_authenticated = False
        self._auth = None

    def _build_client(self) -> AwsMskIamClient:
        try:
            access_key, secret_key, token = aws.credentials(self._aws)
        except aws.NoCredentials as error:
            raise kafka_errors.SaslAuthenticationFailedError(str(error)) from None
        return AwsMskIamClient(self.host, access_key, secret_key, self._aws.region, token)


def register() -> None:
    """Make kafka-python use this class for AWS_MSK_IAM, in the whole process."""
    register_sasl_mechanism("AWS_MSK_IAM", MskIam, overwrite=True)
