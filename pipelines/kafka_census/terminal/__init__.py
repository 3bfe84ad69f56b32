"""What a person sees while a command runs: lines, columns, progress, the log."""
