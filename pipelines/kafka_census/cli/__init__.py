"""The command `kafka-census`: its subcommands, one module each, imported when they are chosen."""
