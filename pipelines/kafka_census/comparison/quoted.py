"""Names joined into one line that reads in one way only, as SQL that both Spark and DuckDB accept."""


def quoted(name: str) -> str:
    """The SQL of a column of names as text; null where the name is null.

    A name with a space, a quote or a `<`, and the empty name, are put in single quotes, and quotes inside are doubled.
    """
    is_plain = f"{name} <> '' AND regexp_replace({name}, '^[^ ''<]+$', '') = ''"
    inside = f"replace({name}, '''', '''''')"
    return f"CASE WHEN {is_plain} THEN {name} WHEN {name} IS NOT NULL THEN '''' || {inside} || '''' END"
