"""Progress as lines of the log."""

import structlog


class LogProgress:
    """A `Progress` that logs each event with the bound fields."""

    def __init__(self, logger: structlog.stdlib.BoundLogger) -> None:
        """Log through this logger."""
        self._logger = logger

    def __call__(self, event: str, **fields: object) -> None:
        """Log one event."""
        self._logger.info(event, **fields)

    def close(self) -> None:
        """Do nothing: every event is already a line."""

    def warning(self, event: str, **fields: object) -> None:
        """Log a warning: the operator should act, but the job continues."""
        self._logger.warning(event, **fields)
