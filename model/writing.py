"""What writing is made of, whichever model writes: tokens, hypotheses, a beam's steps, settings of a draw."""

from __future__ import annotations

from dataclasses import dataclass

WORD_START = "▁"  # stands for "a word begins here" (English) or for a space (Chinese)
LENGTH_ALPHA = 0.6  # strength of the length penalty


@dataclass(frozen=True)
class Token:
    """One token: its piece and id, the index of its word, and its character span [start, end)."""

    text: str
    id: int
    word: int
    start: int
    end: int


@dataclass(frozen=True)
class Hypothesis:
    """A decoded sentence."""

    ids: tuple[int, ...]  # token ids without <bos> and <eos>
    log_probs: tuple[float, ...]  # natural log-probability of each id, then that of <eos> if it was written
    finished: bool  # False where the cap on length cut it

    @property
    def log_prob(self) -> float:
        """Log-probability of the whole hypothesis."""
        return sum(self.log_probs)

    def score(self, alpha: float) -> float:
        """Log-probability over the length penalty: what ranks the hypotheses of a beam."""
        return self.log_prob / length_penalty(len(self.log_probs), alpha)

    def best_score(self, cap: int, alpha: float) -> float:
        """No continuation of up to ``cap`` tokens can score higher than this."""
        return self.log_prob / length_penalty(cap, alpha)


@dataclass(frozen=True)
class Expansion:
    """One step of beam search."""

    ended: list[Hypothesis]  # hypotheses that wrote <eos>
    kept: list[Hypothesis]  # those that go on, best first
    rows: list[int]  # for each kept one, the place of its parent among those kept before
    dropped: list[Hypothesis]  # further continuations that were looked at, but did not make it into the beam


def length_penalty(length: int, alpha: float) -> float:
    """Divisor ((5 + length) / 6)^alpha of a hypothesis' log-probability (Wu et al. 2016, equation 14)."""
    found: float = ((5 + length) / 6) ** alpha
    return found


@dataclass(frozen=True)
class Sampling:
    """Settings of a seeded draw.

    Raises:
        ValueError: a setting is out of range.
    """

    temperature: float = 1.0  # divides the logits; below 1 sharpens, above 1 flattens
    top_k: int = 0  # only the k most probable tokens can be drawn; 0 turns this off
    # only the smallest set of tokens whose probabilities reach top_p can be drawn (nucleus sampling, Holtzman et al.
    # 2020); 1 turns this off.
    top_p: float = 1.0
    seed: int = 0  # the same seed draws the same tokens

    def __post_init__(self) -> None:
        if self.temperature <= 0:
            raise ValueError(f"temperature must be above 0, got {self.temperature}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be 0 or more, got {self.top_k}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be in (0, 1], got {self.top_p}")


@dataclass(frozen=True)
class Neighbour:
    """A whole word of the vocabulary and the cosine of its source embedding with the word's own."""

    word: str
    cosine: float
