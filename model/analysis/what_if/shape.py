"""Whether two models are of one shape, so that what a pass of one holds has its place in a pass of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from model.errors import HeadlightError
from model.source import Source, require


class OtherShapeError(HeadlightError):
    """Two models between which nothing can be carried: their layers, heads, widths or vocabularies differ."""


def check_one_shape(model: Source, donor: Source, *texts: str) -> None:
    """Nothing, where what a pass of one model holds has its place in a pass of the other.

    ``texts`` are what they are to read: they must cut them into the same tokens.

    Raises:
        LacksAbilityError: one of them gives or takes no states.
        OtherShapeError: they differ in what a state is, or in what a token is.
    """
    for each in (model, donor):
        require(each, "patches")
    if (what := next(_differences(model, donor, texts), None)) is not None:
        raise OtherShapeError(f"Nothing can be carried from {donor.name} into {model.name}: {what} differ.")


def _differences(model: Source, donor: Source, texts: Sequence[str]) -> Iterator[str]:
    """In what two models differ; what comes later is asked only of models that agree in what comes before."""
    if model.anatomy.kinds != donor.anatomy.kinds:
        yield "their numbers of layers or heads"
    (words, width), (other_words, other_width) = (each.unembedding.table.shape for each in (model, donor))
    if width != other_width:
        yield "the widths of their states (d_model)"
    if words != other_words or any(model.piece(each) != donor.piece(each) for each in range(words)):
        yield "their target vocabularies"
    if any(not model.ids(text, ()).src.equal(donor.ids(text, ()).src) for text in texts):
        yield "their source vocabularies"
