"""What DescribeUserScramCredentials makes of an answer."""

from kafka.protocol.admin import DescribeUserScramCredentialsResponse

from unit.rpc.answers import items


def test_describe_user_scram_credentials_is_a_row_a_mechanism() -> None:
    """Names, mechanisms and iterations; a user with an error is a row too."""
    result = DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult
    info = result.CredentialInfo
    response = DescribeUserScramCredentialsResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        results=[
            result(
                user="a",
                error_code=0,
                error_message=None,
                credential_infos=[info(mechanism=1, iterations=4096), info(mechanism=2, iterations=8192)],
            ),
            result(user="gone", error_code=91, error_message="no such user", credential_infos=[]),
        ],
    )
    found = items("DescribeUserScramCredentials", "scram_users", response, 0)
    assert [tuple(item.values()) for item in found] == [
        ("a", 0, "SCRAM-SHA-256", 4096),
        ("a", 0, "SCRAM-SHA-512", 8192),
        ("gone", 91, None, None),
    ]
