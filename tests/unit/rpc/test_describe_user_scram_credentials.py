"""What DescribeUserScramCredentials makes of an answer."""

from unit.rpc.answers import answer, rows


def test_describe_user_scram_credentials_is_a_row_a_mechanism() -> None:
    credentials = [{"mechanism": 1, "iterations": 4096}, {"mechanism": 2, "iterations": 8192}]
    gone = {"user": "gone", "error_code": 91, "error_message": "no such user"}
    response = answer("DescribeUserScramCredentials", results=[{"user": "a", "credential_infos": credentials}, gone])
    assert rows("DescribeUserScramCredentials", "scram_users", response, 0) == [
        ("a", 0, "SCRAM-SHA-256", 4096),
        ("a", 0, "SCRAM-SHA-512", 8192),
        ("gone", 91, None, None),
    ]
