"""Configurations of obstore stores as plain values, from which the compiled module makes clients.

A store of obstore is an object of another compiled module, whose client cannot be shared. Its configuration
can be shared: `pickle` gets it from the store. The compiled module calls these functions.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

_KINDS = ("S3Store", "GCSStore", "AzureStore", "HTTPStore", "LocalStore")
"""Names of the classes. A memory store has no configuration from which it could be made again."""

_REFRESH = {
    "S3Store": timedelta(minutes=5),
    "GCSStore": timedelta(minutes=4),
    "AzureStore": timedelta(minutes=5),
}
"""The time before the end of a credential from which obstore asks for a new one, by class."""


class Configuration(NamedTuple):
    """The configuration of a store."""

    kind: str
    """Name of the class."""
    root: str | None
    """The URL of an HTTP store, or the directory of a local store."""
    prefix: str | None
    config: list[tuple[str, str]]
    client: list[tuple[str, str]]
    headers: list[tuple[str, bytes]]
    certificates: bytes | None
    """Root certificates as PEM."""
    retry: dict[str, float]
    """Numbers of `retry_config`, with durations in seconds."""
    provider: Any
    """A callable that returns credentials, or None."""
    refresh: float
    """Seconds before the end of a credential from which a new one is fetched."""


def configuration_of(store: Any) -> Configuration | None:
    """Returns the configuration of a store of obstore. None: another object."""
    kind = next((base.__name__ for base in type(store).__mro__ if base.__name__ in _KINDS), None)
    if kind is None or not hasattr(store, "__getnewargs_ex__"):
        return None
    arguments, keywords = store.__getnewargs_ex__()
    root, prefix = (arguments[0] if arguments else None), keywords.get("prefix")
    if kind == "LocalStore":
        root, prefix = (prefix if root is None else root), None
    config: dict[str, Any] = dict(keywords.get("config") or {})
    provider = keywords.get("credential_provider")
    if provider is not None:
        # The configuration of the store has priority over that of the provider.
        config = {**(getattr(provider, "config", None) or {}), **config}
        if prefix is None and kind == "AzureStore":
            prefix = getattr(provider, "prefix", None)
    client: dict[str, Any] = dict(keywords.get("client_options") or {})
    headers: dict[str, str | bytes] = client.pop("default_headers", None) or {}
    certificates = client.pop("root_certificate", None)
    return Configuration(
        kind=kind,
        root=None if root is None else os.fspath(root),
        prefix=None if prefix is None else str(prefix),
        config=_texts(config),
        client=_texts(client),
        headers=[(name, _bytes(value)) for name, value in headers.items()],
        certificates=None if certificates is None else _bytes(certificates),
        retry=_retry(keywords.get("retry_config") or {}),
        provider=provider,
        refresh=getattr(provider, "refresh_threshold", _REFRESH.get(kind, timedelta())).total_seconds(),
    )


def credential_of(provider: Callable[[], Any]) -> tuple[dict[str, Any], float | None]:
    """Calls a credential provider. Returns the credential, and the seconds until it expires.

    The seconds are None if it does not expire.

    A provider may be a coroutine function, whose coroutine runs in an event loop of its own.
    """
    credential = provider()
    if inspect.isawaitable(credential):
        credential = asyncio.run(_result(credential))
    expires = credential.get("expires_at")
    left = None if expires is None else (expires - datetime.now(timezone.utc)).total_seconds()
    values = {key: value for key, value in credential.items() if key != "expires_at"}
    if isinstance(values.get("sas_token"), str):
        pairs = unquote(str(values["sas_token"])).lstrip("?").split("&")
        values["sas_token"] = [tuple(pair.strip().split("=", 1)) for pair in pairs if pair.strip()]
    return values, left


async def _result(value: Awaitable[Any]) -> Any:
    return await value


def _retry(config: Mapping[str, Any]) -> dict[str, float]:
    numbers: dict[str, Any] = {**config, **(config.get("backoff") or {})}
    numbers.pop("backoff", None)
    return {
        key: value.total_seconds() if isinstance(value, timedelta) else float(value)
        for key, value in numbers.items()
    }


def _texts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key.lower(), _text(value)) for key, value in options.items()]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} us"
    return str(value)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)
