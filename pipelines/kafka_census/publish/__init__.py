"""From landed pages to staged tables, from staged to published, and the views readers use."""
