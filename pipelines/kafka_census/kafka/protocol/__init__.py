"""The wire: settings, connections, errors and retry over kafka-python's low-level client."""
