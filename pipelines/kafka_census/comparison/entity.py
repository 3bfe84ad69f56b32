"""The entity of a quota as one line: `user 'a, client-id b'` is one user, `user '<default>'` not the default user."""

from kafka_census.comparison.quoted import quoted

IS_DEFAULT = {
    f"{name}_is_default": f"coalesce({name}_is_default, is_default AND {name} = '<default>', 1 = 0)"
    for name in ("user", "client_id", "ip")
}
"""Whether a name is the default entity, by column. Rows of an older release only tell whether one of the names is."""


def _part(kind: str, name: str) -> str:
    """The kind and the name; null where the entity has no name of that kind."""
    return f"'{kind} ' || CASE WHEN {IS_DEFAULT[f'{name}_is_default']} THEN '<default>' ELSE {quoted(name)} END"


ENTITY = f"concat_ws(', ', {_part('user', 'user')}, {_part('client-id', 'client_id')}, {_part('ip', 'ip')})"
"""The SQL of an entity, such as `user alice, client-id <default>`: one text for each entity."""
