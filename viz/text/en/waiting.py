"""Interface strings in English: what is being computed, while it is."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    "wait.beam": "Searching with a beam…",
    "wait.ways": "Translating in three ways…",
    "wait.steps": "Looking at each step again…",
    "wait.fork": "Translating on from here…",
    "wait.votes": "Counting the votes…",
    "wait.repair": "Muting every head by itself…",
}
