"""Files that people and other programs write: read whole, up to a size, replaced in one step, and locked."""
