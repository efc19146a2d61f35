"""What `/metrics` tells, in a registry of the server's own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.answers = Counter(
            "fastapply_answers",
            "Answers by endpoint and HTTP status.",
            ("endpoint", "status"),
            registry=self._registry,
        )
        self.merges = Counter(
            "fastapply_merges",
            "Merges by outcome: applied, unchanged, refused, error, cancelled, too_slow.",
            ("outcome",),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "fastapply_merge_seconds",
            "Seconds from the end of the request to the merge.",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.open = Gauge(
            "fastapply_open_requests", "Merges that run or wait in the queue.", registry=self._registry
        )

    def text(self) -> bytes:
        """Give Prometheus's text format."""
        return generate_latest(self._registry)
