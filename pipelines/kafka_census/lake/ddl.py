"""Columns in SQL, with their comments."""

from pyspark.sql.types import ArrayType, DataType, StructField, StructType


def column_ddl(field: StructField) -> str:
    """A column of CREATE TABLE."""
    null = "" if field.nullable else " NOT NULL"
    return f"`{field.name}` {type_ddl(field.dataType)}{null} COMMENT {comment_of(field)}"


def type_ddl(data_type: DataType) -> str:
    """The type with comments inside; Delta allows NOT NULL only on the outermost columns."""
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{type_ddl(data_type.elementType)}>"
    if isinstance(data_type, StructType):
        inner = (
            f"`{field.name}`: {type_ddl(field.dataType)} COMMENT {comment_of(field)}" for field in data_type.fields
        )
        return f"STRUCT<{', '.join(inner)}>"
    return data_type.simpleString().upper()


def comment_of(field: StructField) -> str:
    """The comment of a column, quoted."""
    return quoted(field.metadata.get("comment", ""))


def quoted(text: str) -> str:
    """Text as a SQL string literal, in single quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
