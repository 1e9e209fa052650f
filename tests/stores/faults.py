"""The plan of the proxy, which assigns faults to requests.

The plan is deterministic. The fault of a request depends on the seed, on the request (method, path, `Range`),
and on how many times that request came before. It does not depend on the order of concurrent requests.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

KINDS = (
    "reset",
    "status_503",
    "status_429",
    "status_500",
    "short_body",
    "truncated_length",
    "truncate_close",
    "stall",
    "wrong_etag",
)
"""Names of the faults, in the order in which they share the interval of a draw.

`reset`: the connection ends by RST, before the response or in the middle of its body.
`status_503`, `status_429`, `status_500`: a response of that status; the server does not see the request.
`short_body`: Content-Length promises the whole body; part of it comes, then the connection ends.
`truncated_length`: Content-Length and Content-Range agree with the body, for fewer bytes than were asked for.
`truncate_close`: no Content-Length; part of the body comes, then the connection ends. Content-Range stays.
`stall`: the proxy sends nothing for `stall_seconds` in the middle of the body.
`wrong_etag`: the ETag of the response is another one.
"""


@dataclass(frozen=True)
class Fault:
    """The fault of one request. `fraction`, from 0 to 1, is its position in the body."""

    kind: str
    fraction: float


@dataclass
class Plan:
    """The probability of each kind of fault per request. The default is no fault."""

    seed: int = 0
    latency_ms: float = 0
    """Time before each response."""
    bytes_per_second: float = 0
    """Rate of each connection; 0 is no limit."""
    stall_seconds: float = 2
    retry_after: int | None = None
    """Value of the header Retry-After of responses of status 429 and 503."""
    methods: list[str] | None = None
    """Methods of the requests that get faults; `None` is all."""
    path_contains: str = ""
    """A part of the path of the requests that get faults."""
    most_per_request: int | None = None
    """Maximum number of faults of one request, so that a client with more attempts must succeed."""
    script: list[str | None] = field(default_factory=list)
    """Faults of the first requests, in order of arrival; `None` is no fault. Probabilities follow."""
    reset: float = 0
    status_503: float = 0
    status_429: float = 0
    status_500: float = 0
    short_body: float = 0
    truncated_length: float = 0
    truncate_close: float = 0
    stall: float = 0
    wrong_etag: float = 0

    def __post_init__(self) -> None:
        if sum(self.probability(kind) for kind in KINDS) > 1:
            raise ValueError("expected probabilities of at most 1 in sum")
        for kind in self.script:
            if kind is not None and kind.partition(":")[0] not in KINDS:
                raise ValueError(f"unknown fault {kind!r} in the script")

    def probability(self, kind: str) -> float:
        """The probability of a kind of fault per request."""
        return getattr(self, kind)

    @classmethod
    def of(cls, values: dict[str, Any]) -> Plan:
        """The plan of a JSON object; an unknown key is an error."""
        unknown = sorted(set(values) - {each.name for each in fields(cls)})
        if unknown:
            raise ValueError(f"unknown keys of a plan: {', '.join(unknown)}")
        return cls(**values)


def uniform(*parts: object) -> float:
    """A number from 0 to 1 (exclusive) that depends on the parts alone."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


class Faults:
    """Draws the faults of a plan, request by request."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._lock = threading.Lock()
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._failed: Counter[tuple[str, str, str]] = Counter()
        self._scripted = 0

    def draw(self, method: str, path: str, range_: str) -> Fault | None:
        """The fault of the next request with this method, path and `Range`."""
        plan = self.plan
        if (plan.methods is not None and method not in plan.methods) or plan.path_contains not in path:
            return None
        request = (method, path, range_)
        with self._lock:
            occurrence = self._seen[request]
            self._seen[request] += 1
            if self._scripted < len(plan.script):
                kind = plan.script[self._scripted]
                self._scripted += 1
                return scripted(kind)
            kind = self._drawn(request, occurrence)
            if kind is not None:
                self._failed[request] += 1
        if kind is None:
            return None
        return Fault(kind, uniform(plan.seed, "where", *request, occurrence))

    def _drawn(self, request: tuple[str, str, str], occurrence: int) -> str | None:
        if self.plan.most_per_request is not None and self._failed[request] >= self.plan.most_per_request:
            return None
        drawn = uniform(self.plan.seed, "which", *request, occurrence)
        for kind in KINDS:
            drawn -= self.plan.probability(kind)
            if drawn < 0:
                return kind
        return None


def scripted(entry: str | None) -> Fault | None:
    """The fault of an entry of a script: a kind, or a kind with a fraction such as `reset:0.25`."""
    if entry is None:
        return None
    kind, _, fraction = entry.partition(":")
    return Fault(kind, float(fraction or 0.5))
