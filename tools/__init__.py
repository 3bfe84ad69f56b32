"""What builds the project's generated docs (`make docs`) and is not installed with it."""
