"""Spark sessions: where one comes from, its settings, its JVM, the driver's thread pool."""
