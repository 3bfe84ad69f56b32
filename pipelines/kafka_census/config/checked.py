"""A configuration file, read, with the environment's values written over it, and checked against `model`."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from pydantic import ValidationError

from kafka_census.config import model
from kafka_census.config.environment import apply_overrides
from kafka_census.config.wording import mistakes_in, refused
from kafka_census.yaml_file import Path, Source, read_source


def read_checked(path: str | os.PathLike[str], environ: Mapping[str, str]) -> tuple[Source, model.File]:
    """Where each value was given, and the values. Raises ConfigError, which tells all mistakes at once."""
    source = read_source(path)
    mistakes = [*source.mistakes, *apply_overrides(source, environ)]
    try:
        file = model.File.model_validate(source.data)
    except ValidationError as error:
        raise refused(source, [*mistakes, *mistakes_in(error, source, _known_keys(source.data))]) from None
    mistakes += _missing_folder(file.gate.expectations, source)
    if mistakes:
        raise refused(source, mistakes)
    return source, file


def _missing_folder(expectations: str, source: Source) -> list[str]:
    """A folder of suites that somebody named must be there."""
    if expectations == model.EXPECTATIONS or FilePath(expectations).is_dir():
        return []
    return [f"{source.location(('gate', 'expectations'))}: gate.expectations: no such folder: {expectations}"]


def _known_keys(data: Mapping[str, object]) -> dict[Path, Sequence[str]]:
    """The keys that each section of this file may have."""
    known: dict[Path, Sequence[str]] = {
        (): list(model.File.model_fields),
        ("lake",): list(model.LakeSection.model_fields),
        ("collect",): list(model.CollectSection.model_fields),
        ("completeness",): list(model.CompletenessSection.model_fields),
        ("gate",): list(model.GateSection.model_fields),
        ("retention",): list(model.RetentionSection.model_fields),
        ("deletion",): list(model.DeletionSection.model_fields),
    }
    secret = list(model.SecretSource.model_fields)
    clusters = data.get("clusters")
    for name in clusters if isinstance(clusters, dict) else ():
        at = ("clusters", name)
        known[at] = list(model.ClusterSection.model_fields)
        known[(*at, "ssl")] = list(model.SslSection.model_fields)
        known[(*at, "sasl")] = list(model.SaslSection.model_fields)
        known[(*at, "ssl", "password")] = known[(*at, "sasl", "password")] = secret
    return known
