"""The forms that read pictures: patches in, and a class or a text out."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from PIL import Image, UnidentifiedImageError
from torch import Tensor
from transformers import PretrainedConfig

from model.errors import FolderError, PictureError
from model.folder.files.load import Loaded
from model.folder.forms import Form, Translating, label_of
from model.folder.spell import Speller
from model.passage import ForcedIds
from model.source import Reads
from model.trace import Label, patch_label

MOST_BYTES, MOST_PIXELS = 20 * 2**20, 40_000_000
MOST_OF_A_PICTURE = 48  # tokens that are written of a picture


class Eye:
    """What makes a picture ready for a model, and what its tokens are; ``leading`` stand before the patches.

    Raises:
        FolderError: the patches of the model that looks are not known.
    """

    def __init__(self, encoder: Any, processor: Any) -> None:
        self.encoder, self.processor = encoder, processor
        self.patch = patch_size(encoder.config) * joined(encoder.config)
        self.leading = self._leading()

    def pixels(self, picture: bytes) -> Tensor:
        """A picture as the model reads it, [1, colours, height, width].

        Raises:
            PictureError: it is no picture, or too large.
        """
        image = opened(picture)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Tensor = self.processor(images=image, return_tensors="pt")["pixel_values"]
        return found.to(self.encoder.device, torch.float32)

    def noise(self) -> Tensor:
        """A picture of nothing, to try a model on."""
        plain = io.BytesIO()
        Image.effect_noise((64, 64), 80).convert("RGB").save(plain, "PNG")
        return self.pixels(plain.getvalue())

    def seen(self, pixels: Tensor) -> Image.Image:
        """The part of a picture that the model reads, in its own size."""
        mean, spread = (
            torch.tensor(getattr(self.processor, name, None) or [fill]).view(-1, 1, 1)
            for name, fill in (("image_mean", 0.0), ("image_std", 1.0))
        )
        values = (pixels[0].cpu() * spread + mean).clamp(0, 1) * 255
        array = values.round().byte().permute(1, 2, 0).numpy()
        return Image.fromarray(array if array.shape[2] == 3 else array[:, :, 0])

    def grid(self, pixels: Tensor) -> tuple[int, int]:
        """Rows and columns of patches."""
        return pixels.shape[2] // self.patch, pixels.shape[3] // self.patch

    def tokens(self, pixels: Tensor) -> int:
        """How many tokens a picture is to the model."""
        rows, columns = self.grid(pixels)
        return rows * columns + self.leading

    def labels(self, pixels: Tensor) -> tuple[Label, ...]:
        """A label for each token: those before the patches, then patches by row and column."""
        rows, columns = self.grid(pixels)
        patches = (patch_label(place, columns) for place in range(rows * columns))
        return (*map(Label, self._before()), *patches)

    def _before(self) -> tuple[str, ...]:
        """The names of the tokens that stand before the patches: a class, a teacher's, or registers (Darcet 2024)."""
        registers = self._registers()
        own = ("[CLS]", "[DIST]")[: self.leading - registers]
        return (*own, *(f"[REG {number}]" for number in range(1, registers + 1)))

    def _registers(self) -> int:
        count = getattr(vision_config(self.encoder.config), "num_register_tokens", 0)
        return count if isinstance(count, int) and 0 < count <= self.leading else 0

    def _leading(self) -> int:
        """How many tokens stand before the patches: what is more than patches in the states.

        Raises:
            FolderError: there are fewer tokens than patches, or many more.
        """
        pixels = self.noise()
        height, width = pixels.shape[2:]
        if joined(self.encoder.config) > 1 and (height % self.patch or width % self.patch):
            raise FolderError(
                f"Its processor makes pictures of {height} × {width} pixels, which its joined patches of "
                f"{self.patch} pixels do not fill: where each of them lies is not known."
            )
        rows, columns = self.grid(pixels)
        with torch.inference_mode():
            states = self.encoder(pixel_values=pixels, output_hidden_states=True).hidden_states[-1]
        found = int(states.shape[1]) - rows * columns if states.dim() == 3 else -1
        if found not in range(3 + (getattr(vision_config(self.encoder.config), "num_register_tokens", 0) or 0)):
            read = f"{int(states.shape[1])} tokens" if states.dim() == 3 else "maps of features"
            raise FolderError(
                f"It makes {read} of a picture with {rows} × {columns} patches: which is which patch is not known "
                "(it leaves some out, joins some, or looks through windows)."
            )
        return found


class Seeing(Form):
    """A model that sees: what it is given is a picture, by whatever name ``pictures`` knows it."""

    reads: Reads = "picture"

    def __init__(self, loaded: Loaded, pictures: Any) -> None:
        self.model, self.config = loaded.model, loaded.model.config
        self.pictures, self.end_id, self.max_len = pictures, -1, 1
        self.eye = Eye(loaded.model, loaded.processor)

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        pixels = self.eye.pixels(self.pictures(source))
        return ForcedIds(pixels, self.tensor([])[None], self.tensor(tgt_ids))

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        return {"pixel_values": ids.src.expand(rows, -1, -1, -1)}

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        pixels = self.eye.noise()
        return ForcedIds(pixels, self.tensor([])[None], self.tensor([0])), (self.eye.tokens(pixels), 0)

    def logits(self, output: Any, ids: ForcedIds) -> Tensor:
        """As ``Form.logits``."""
        found: Tensor | None = getattr(output, "logits", None)
        if found is None or found.dim() != 2:
            return torch.zeros(1, 0, 0, device=self.model.device)
        return found[:, None].float()

    def name_of(self, number: int) -> str:
        """What a class is called."""
        return label_of(self.config, number)


class Captioning(Translating):
    """An encoder that sees and a decoder that writes: a picture in, a text out (TrOCR, Donut, ViT with GPT-2)."""

    reads: Reads = "picture"

    def __init__(self, loaded: Loaded, speller: Speller, pictures: Any) -> None:
        super().__init__(loaded, speller)
        self.pictures = pictures
        self.eye = Eye(loaded.model.get_encoder(), loaded.processor)
        self.windows = joined(self.eye.encoder.config) > 1

    def most_new(self, ids: ForcedIds) -> int:
        """As ``Form.most_new``."""
        return MOST_OF_A_PICTURE

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        return self._forced_ids(self.eye.pixels(self.pictures(source)), tgt_ids, finished)

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        return {
            "pixel_values": ids.src.expand(rows, -1, -1, -1),
            "decoder_input_ids": ids.inputs.expand(rows, -1),
            "use_cache": False,
        }

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        some, pixels = self.model.get_input_embeddings().weight.shape[0] // 2, self.eye.noise()
        return self._forced_ids(pixels, [some, some + 1], True), (self.eye.tokens(pixels), 3)

    def _forced_ids(self, pixels: Tensor, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        inputs, written = self.tensor([self.start_id, *tgt_ids])[None], self.tensor([*tgt_ids, self.end_id])
        return ForcedIds(pixels, inputs, written, finished)


def vision_config(config: PretrainedConfig) -> PretrainedConfig:
    """The part of a config that is about the picture: its own, its vision tower's, or its encoder's."""
    parts = (getattr(config, name, None) for name in ("vision_config", "encoder"))
    return next((each for each in parts if isinstance(each, PretrainedConfig)), config)


def patch_size(config: PretrainedConfig) -> int:
    """The side of a patch in pixels.

    Raises:
        FolderError: the config names none, or patches that are no squares.
    """
    size = getattr(vision_config(config), "patch_size", None)
    if isinstance(size, list | tuple) and len(set(size)) == 1:
        size = size[0]
    if not isinstance(size, int):
        raise FolderError(
            "Its config.json names no square patches: it is no Vision Transformer whose tokens are patches."
        )
    return size


def joined(config: PretrainedConfig) -> int:
    """How many patches one token is at last, along a side: Swin joins two by two between its stages (Liu 2021)."""
    own = vision_config(config)
    depths = getattr(own, "depths", None)
    return 2 ** (len(depths) - 1) if depths and hasattr(own, "window_size") else 1


def opened(picture: bytes) -> Image.Image:
    """A picture in three colours.

    Raises:
        PictureError: it is none, or larger than is allowed.
    """
    if len(picture) > MOST_BYTES:
        raise PictureError(
            f"The picture's file has {len(picture) / 2**20:.0f} MB; the limit is {MOST_BYTES // 2**20} MB."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Pillow takes for a decompression bomb
            with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP", "BMP", "GIF")) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise PictureError(f"The picture has {image.width} × {image.height} pixels; that is too many.")
                return image.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombWarning) as error:
        raise PictureError(f"This is no picture that can be read: {type(error).__name__}.") from None


def read_picture(path: Path) -> bytes:
    """The bytes of a picture in a file.

    Raises:
        PictureError: there is none, or it is too large.
    """
    if not path.is_file():
        raise PictureError(f"There is no picture or sound {path.name}.")
    if path.stat().st_size > MOST_BYTES:
        raise PictureError(f"{path.name} is larger than {MOST_BYTES // 2**20} MB.")
    return path.read_bytes()
