"""Reads what a command line leads to, applies the environment's values, and checks the result against `model`."""

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from pydantic import ValidationError

from kafka_census.config import model, security
from kafka_census.config.cluster import ClusterSection
from kafka_census.config.environment import apply_overrides
from kafka_census.config.given import decided, source_of
from kafka_census.config.mistakes import mistakes_in, refused
from kafka_census.config.section import SecretSource
from kafka_census.declarations.given import Given
from kafka_census.files.yaml_file import Path, Source


def read_checked(given: Given, environ: Mapping[str, str], *, asks: bool = True) -> tuple[Source, model.File]:
    """The origin of each value, and the values.

    asks  whether brokers must be named; without, a lake is enough

    Raises ConfigError with all mistakes.
    """
    source = source_of(given, environ, asks=asks)
    overrides = {name: value for name, value in environ.items() if name not in decided(given)}
    alone = given.bootstrap_server is None and given.file() is None
    mistakes = [*source.mistakes, *apply_overrides(source, overrides, new_clusters=alone)]
    kind = model.LakeAlone if alone and not asks else model.File
    try:
        file = kind.model_validate(source.data)
    except ValidationError as error:
        raise refused(source, [*mistakes, *mistakes_in(error, source, _known_keys(source.data))]) from None
    if file.gate.expectations != model.EXPECTATIONS:
        mistakes += _missing_folder(file.gate.expectations, ("gate", "expectations"), source)
    if file.alerts.prometheus_folder is not None:
        mistakes += _missing_folder(file.alerts.prometheus_folder, ("alerts", "prometheus_folder"), source)
    if mistakes:
        raise refused(source, mistakes)
    return source, file


def _missing_folder(folder: str, path: Path, source: Source) -> list[str]:
    """The mistake of a configured folder that does not exist; empty where the folder exists."""
    if FilePath(folder).is_dir():
        return []
    return [f"{source.location(path)}: {'.'.join(map(str, path))}: no such folder: {folder}"]


def _known_keys(data: Mapping[str, object]) -> dict[Path, Sequence[str]]:
    """The keys that each section of this file may contain."""
    secret = list(SecretSource.model_fields)
    known: dict[Path, Sequence[str]] = {
        (): list(model.File.model_fields),
        ("lake",): list(model.LakeSection.model_fields),
        ("collect",): list(model.CollectSection.model_fields),
        ("completeness",): list(model.CompletenessSection.model_fields),
        ("gate",): list(model.GateSection.model_fields),
        ("retention",): list(model.RetentionSection.model_fields),
        ("deletion",): list(model.DeletionSection.model_fields),
        ("alerts",): list(model.AlertsSection.model_fields),
        ("alerts", "webhook"): list(model.WebhookSection.model_fields),
        ("alerts", "webhook", "url"): secret,
    }
    clusters = data.get("clusters")
    for name in clusters if isinstance(clusters, dict) else ():
        at = ("clusters", name)
        known[at] = list(ClusterSection.model_fields)
        known[(*at, "ssl")] = list(security.SslSection.model_fields)
        known[(*at, "sasl")] = list(security.SaslSection.model_fields)
        known[(*at, "sasl", "aws")] = list(security.AwsSection.model_fields)
        known[(*at, "sasl", "kerberos")] = list(security.KerberosSection.model_fields)
        known[(*at, "sasl", "oauth")] = list(security.OAuthSection.model_fields)
        known[(*at, "sasl", "oauth", "token_endpoint")] = list(security.TokenEndpointSection.model_fields)
        for path in (
            ("ssl", "password"),
            ("ssl", "cafile_password"),
            ("ssl", "key_password"),
            ("ssl", "ca_pem"),
            ("ssl", "cert_pem"),
            ("ssl", "key_pem"),
            ("sasl", "password"),
            ("sasl", "kerberos", "keytab"),
            ("sasl", "oauth", "token"),
            ("sasl", "oauth", "token_endpoint", "client_secret"),
        ):
            known[(*at, *path)] = secret
    return known
