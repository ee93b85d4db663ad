"""Models that read a picture among the tokens of a text, as LLaVA and Qwen2-VL do, and write on."""

from __future__ import annotations

import inspect
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from model.errors import FolderError, PictureError
from model.folder.files.load import Loaded
from model.folder.forms import Continuing
from model.folder.picture import MOST_OF_A_PICTURE, opened
from model.folder.spell import Speller
from model.folder.watch import Watch, watching
from model.passage import ForcedIds
from model.source import Reads
from model.trace import Label, patch_label

PROMPT = "Describe this picture."
# What a config calls the token that stands for a part of the picture, and those before and after all of them.
_IMAGE = ("image_token_id", "image_token_index")
_AROUND = (("vision_start", "vision_end"), ("boi", "eoi"))
Marks = Literal["picture", "written"]
_UNKNOWN = "which of its tokens is which part of the picture is not known"


class Glance:
    """What makes a picture ready, and which part of it each of its tokens is; proved by running.

    A picture is here the bytes of its file, uint8 [1, N].

    Attributes:
        takes: names of the arguments that the model takes.
        modules: those of its attention that look at the picture before the text is read.

    Raises:
        FolderError: the tokens of a picture are no rows and columns of it.
    """

    def __init__(self, model: Any, processor: Any) -> None:
        self.model, self.processor = model, processor
        self.takes = frozenset(inspect.signature(model.forward).parameters)
        self.made = lru_cache(4)(self._made)  # by the bytes of its file
        self.side, self.modules = 0, frozenset[nn.Module]()
        self._prove()

    def pixels(self, picture: bytes) -> Tensor:
        """A picture as it is handed on.

        Raises:
            PictureError: it is no picture, or too large.
        """
        opened(picture)
        return torch.from_numpy(np.frombuffer(picture, np.uint8).copy())[None]

    def noise(self, size: tuple[int, int] = (64, 64)) -> Tensor:
        """A picture of nothing, of a width and a height, to try a model on."""
        return self.pixels(_file(Image.effect_noise(size, 80).convert("RGB")))

    def ready(self, pixels: Tensor) -> Mapping[str, Tensor]:
        """What the model is given of a picture, by the names of its arguments."""
        return self.made(pixels[0].cpu().numpy().tobytes())

    def grid(self, pixels: Tensor) -> tuple[int, int]:
        """Rows and columns of tokens.

        Raises:
            FolderError: the picture is cut into several, or its tokens do not fill it.
        """
        height, width = self._size(self.ready(pixels))
        if height % self.side or width % self.side:
            raise FolderError(f"Its tokens do not fill a picture of {height} × {width} pixels: {_UNKNOWN}.")
        return height // self.side, width // self.side

    def seen(self, pixels: Tensor) -> Image.Image:
        """The part of a picture that the model reads, in its own size."""
        found, made = self.ready(pixels), opened(pixels[0].numpy().tobytes())
        height, width = self._size(found)
        if "image_grid_thw" in found:  # nothing is cut off there
            return made.resize((width, height))
        values = found["pixel_values"].reshape(-1, 3, height, width)[0].cpu()
        mean, spread = (
            torch.tensor(getattr(self.processor, name, None) or [fill]).view(-1, 1, 1)
            for name, fill in (("image_mean", 0.0), ("image_std", 1.0))
        )
        array = ((values * spread + mean).clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()
        return Image.fromarray(array)

    def _made(self, data: bytes) -> Mapping[str, Tensor]:
        with torch.inference_mode(False):
            whole = {"do_image_splitting": False} if hasattr(self.processor, "do_image_splitting") else {}
            found = self.processor(images=opened(data), return_tensors="pt", **whole)
            kept = {name: each for name, each in found.items() if name in self.takes and isinstance(each, Tensor)}
            device = self.model.device
            return {
                name: each.to(device, torch.float32 if each.is_floating_point() else each.dtype)
                for name, each in kept.items()
            }

    def _size(self, made: Mapping[str, Tensor]) -> tuple[int, int]:
        """Height and width of the picture that the model reads, in pixels."""
        if "image_grid_thw" in made:
            _, rows, columns = made["image_grid_thw"][0].tolist()
            return rows * self.processor.patch_size, columns * self.processor.patch_size
        values = made.get("pixel_values")
        if values is None or values.dim() < 4 or values.shape[:-3].numel() != 1:
            raise FolderError(f"It cuts a picture into several, or reads it in a way of its own: {_UNKNOWN}.")
        return int(values.shape[-2]), int(values.shape[-1])

    def _features(self, pixels: Tensor, watch: Watch) -> Tensor:
        """The vectors that stand in the places of a picture's tokens, [tokens, D]."""
        with torch.inference_mode(), watching(watch):
            found = self.model.get_image_features(**self.ready(pixels))
        found = getattr(found, "pooler_output", found)
        parts = found if isinstance(found, list | tuple) else [found]
        return torch.cat([each.reshape(-1, each.shape[-1]) for each in parts])

    def _prove(self) -> None:
        """Where no head moves anything, a part of the picture changes its own token alone: so tokens are placed.

        Raises:
            FolderError: they cannot be.
        """
        first = self.noise()
        height, width = self._size(self.ready(first))
        watch = Watch(mute=True)
        tokens = len(self._features(first, watch))
        self.side = round((height * width / max(tokens, 1)) ** 0.5)
        self.modules = frozenset(call.module for call in watch.calls)
        if not self.side or self.side**2 * tokens != height * width:
            raise FolderError(f"It makes {tokens} tokens of a picture of {height} × {width} pixels: {_UNKNOWN}.")
        rows, columns = self.grid(first)
        plain = self.noise((width, height))
        image, before = opened(plain[0].numpy().tobytes()), self._features(plain, Watch(mute=True))
        if self.grid(plain) != (rows, columns):
            raise FolderError(f"It makes a picture that it has made smaller once more: {_UNKNOWN}.")
        for row, column in {(0, 0), (0, columns - 1), (rows - 1, 0), (rows // 2, columns // 2)}:
            changed = image.copy()
            # The middle of it alone: where a processor makes a picture larger and smaller, edges spread.
            left, top = self.side * (4 * column + 1) // 4, self.side * (4 * row + 1) // 4
            changed.paste((255, 0, 128), (left, top, left + self.side // 2, top + self.side // 2))
            after = self._features(self.pixels(_file(changed)), Watch(mute=True))
            moved = (after - before).abs().amax(-1)
            if torch.nonzero(moved > 1e-6 * before.abs().max())[:, 0].tolist() != [row * columns + column]:
                raise FolderError(f"A part of the picture is not one of its tokens, in their order: {_UNKNOWN}.")


class Describing(Continuing):
    """A decoder that reads a picture and a question, and writes on: the patches are tokens among others."""

    reads: Reads = "picture"
    whole = True

    def __init__(self, loaded: Loaded, speller: Speller, pictures: Any) -> None:
        super().__init__(loaded, speller)
        self.pictures = pictures
        self.eye = Glance(loaded.model, loaded.processor)
        self.beside = self.eye.modules
        self.image_id = image_id(loaded.model.config)
        self.marks, self.joined = self._found_marks()

    def encoded(self, text: str) -> tuple[list[int], tuple[Label, ...]]:
        """Ids and labels of a picture and the question about it.

        Raises:
            PictureError: there is no such picture.
        """
        pixels = self.eye.pixels(self.pictures(text))
        ids = self._begun(pixels)
        return ids, self.written(text, ids)[1]

    def written(self, picture: str, ids: Sequence[int]) -> tuple[str, tuple[Label, ...]]:
        """The text that ids make, and a label for each: a patch by its row and column, and no part of the text."""
        whole, labels = self.speller.written([each for each in ids if each != self.image_id])
        _, columns = self.eye.grid(self.eye.pixels(self.pictures(picture)))
        rest, found, patches = iter(labels), list[Label](), 0
        for each in ids:
            if each == self.image_id:
                found.append(patch_label(patches, columns))
                patches += 1
            else:
                label = next(rest)
                found.append(label if label.is_special else replace(label, word=label.word + patches))
        return whole, tuple(found)

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        pixels = self.eye.pixels(self.pictures(source))
        return self._forced_ids(pixels, [self._begun(pixels)[0], *tgt_ids], finished)

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``: the picture too, where its tokens are among those that are read."""
        found = super().arguments(ids, hidden, rows)
        shows = ids.inputs[:1] == self.image_id
        if bool(shows.any()):
            for name, each in self.eye.ready(ids.src).items():
                found[name] = each.repeat(rows, *[1] * (each.dim() - 1))
            sorts = shows.long()
            told = {
                "mm_token_type_ids": sorts,
                "token_type_ids": self._after(ids) if self.marks == "written" else sorts,
            }
            found |= {name: each.expand(rows, -1) for name, each in told.items() if name in self.eye.takes}
        return found

    def together(self, ids: ForcedIds) -> tuple[int, int]:
        """As ``Form.together``: the parts of a picture, or all that is given, where the model reads them so."""
        if not self.joined:
            return 0, 0
        return self._span(ids, self.joined)

    def _span(self, ids: ForcedIds, of: Marks) -> tuple[int, int]:
        """First and one past the last of the picture's tokens, or of all those that are given."""
        if of == "written":
            return 0, min(len(self._begun(ids.src)), ids.inputs.shape[1])
        places = (ids.inputs[0] == self.image_id).nonzero()[:, 0].tolist()
        return (places[0], places[-1] + 1) if places else (0, 0)

    def _after(self, ids: ForcedIds) -> Tensor:
        """0 for each token that is given and 1 for each that is written, [1, T]."""
        places = torch.arange(ids.inputs.shape[1], device=ids.inputs.device)
        return (places >= len(self._begun(ids.src))).long()[None]

    def _found_marks(self) -> tuple[Marks, Marks | None]:
        """Which tokens ``token_type_ids`` mark, and which see each other both ways; found by running.

        A model that writes lets no token see one that is written after it. Gemma 3 has the picture's tokens marked,
        PaliGemma those that are written; each, told the other's marks, would see what it is still to write.

        Raises:
            FolderError: it would with either.
        """
        ids = self.probe()[0]
        for marks in get_args(Marks):
            self.marks = marks
            watch = Watch(beside=self.beside)
            with torch.inference_mode(), watching(watch):
                self.model(**self.arguments(ids))
            ahead = [each.weights[0].sum(0).triu(1).nonzero() for each in watch.calls]
            pairs = torch.cat(ahead) if ahead else ids.inputs.new_zeros(0, 2)
            if not len(pairs):
                return marks, None
            for span in get_args(Marks):
                first, end = self._span(ids, span)
                if bool(((pairs >= first) & (pairs < end)).all()):
                    return marks, span
        raise FolderError("Its tokens see those that are written after them: what it writes cannot be followed.")

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        pixels, some = self.eye.noise(), self.model.get_input_embeddings().weight.shape[0] // 2
        inputs = [*self._begun(pixels), some, some + 1]
        return self._forced_ids(pixels, inputs, True), (0, len(inputs))

    def most_new(self, ids: ForcedIds) -> int:
        """As ``Form.most_new``."""
        return MOST_OF_A_PICTURE

    def _forced_ids(self, pixels: Tensor, inputs: Sequence[int], finished: bool) -> ForcedIds:
        return ForcedIds(pixels, self.tensor(inputs)[None], self.tensor([*inputs[1:], self.end_id]), finished)

    def _begun(self, pixels: Tensor) -> list[int]:
        """What stands before what is written: a start, the picture's tokens between theirs, and the question.

        Raises:
            PictureError: the picture has more tokens than the model can read.
        """
        rows, columns = self.eye.grid(pixels)
        ids, labels = self.speller.source(PROMPT)
        plain = [place for place, label in enumerate(labels) if not label.is_special]
        before, after = around(self.config)
        found = [*ids[: plain[0]], *before, *[self.image_id] * (rows * columns), *after, *ids[plain[0] : plain[-1] + 1]]
        if len(found) + MOST_OF_A_PICTURE >= self.max_len:
            raise PictureError(f"The picture is {rows * columns} tokens to this model, which reads {self.max_len}.")
        return found


def image_id(config: Any) -> int:
    """The id that stands in a text for each part of a picture; -1 where a config names none."""
    return next((each for name in _IMAGE if isinstance(each := getattr(config, name, None), int)), -1)


def around(config: Any) -> tuple[list[int], list[int]]:
    """Ids of the tokens that stand before and after a picture's; none where a config names none."""
    for names in _AROUND:
        for end in ("token_id", "token_index"):
            before, after = (getattr(config, f"{name}_{end}", None) for name in names)
            if isinstance(before, int) and isinstance(after, int):
                return [before], [after]
    return [], []


def _file(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()
