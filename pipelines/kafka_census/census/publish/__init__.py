"""From landed pages to staged rows, one commit that publishes them, and the views readers use."""
