"""Why there is no token for OAUTHBEARER."""


class NoToken(Exception):
    """There is no token now; there may be one later."""


class TokenRefused(Exception):
    """The token endpoint gives us none, or what there is is none."""
