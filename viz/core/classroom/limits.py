"""How often something may be done: a bucket of tokens that fills with time."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic


class Buckets:
    """One bucket a name (token bucket; Turner 1986): ``burst`` at once, then ``rate`` a second.

    Args:
        rate: tokens a second.
        burst: tokens in a full bucket.
        most: names that are remembered; who was away longest is forgotten first, with a full bucket.
    """

    def __init__(self, rate: float, burst: float, most: int = 1000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, now: float | None = None) -> bool:
        """Whether there was a token, which is then gone."""
        now = monotonic() if now is None else now
        left, then = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        is_allowed = left >= 1
        self._left[name] = (left - is_allowed, now)
        if len(self._left) > self.most:
            self._left.popitem(last=False)
        return is_allowed
