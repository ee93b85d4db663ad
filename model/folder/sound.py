"""Whisper: a sound in, a text out; the tokens of its source are groups of frames."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from model.errors import FolderError, SoundError
from model.folder.files.load import Loaded
from model.folder.forms import Translating
from model.folder.picture import Captioning, Eye
from model.folder.spell import Languages, Speller
from model.passage import ForcedIds
from model.source import Reads
from model.trace import Label, time_label

MOST_BYTES_OF_SOUND = 20 * 2**20
MOST_GROUPS = 64  # tokens that a sound is shown as
GROUP_SIZES = (1, 2, 5, 10, 25, 50, 100, 250)  # how many frames one of them may be
MOST_OF_A_SOUND = 96  # tokens that are written of a sound
BEHIND = "[PAD]"  # what the model reads behind the sound, to the end of its window
LOUDEST = 1e6
_EXTENSIBLE, _UNKNOWN_SIZE = 0xFFFE, 0xFFFFFFFF
_PCM, _FLOAT = 1, 3
_WIDTH, _HEIGHT = 768, 240  # pixels of a spectrogram


class Ear(Eye):
    """What makes a sound ready for a model, and what its tokens are: as ``Eye``, with a spectrogram as the picture.

    The encoder reads frames, 20 ms each. Shown are groups of several frames as far as the sound
    goes, and one token more for the rest of the window, which holds silence. Where an eye has pixels, an ear has
    [1, F, C + 1]: the log-mel spectrogram, and whether there is sound in a frame.

    Raises:
        FolderError: the extractor's window is not the one that the encoder reads.
    """

    def __init__(self, encoder: Any, processor: Any) -> None:
        self.encoder, self.processor = encoder, processor
        self.frames = int(encoder.config.max_source_positions)
        made, wanted = (processor.nb_max_frames, processor.feature_size), (2 * self.frames, encoder.config.num_mel_bins)
        if made != wanted:
            raise FolderError(
                f"Its feature extractor makes {made[0]} × {made[1]} numbers of a sound, but the encoder reads "
                f"{wanted[0]} × {wanted[1]}: they do not go together."
            )
        self.seconds = 2 * processor.hop_length / processor.sampling_rate  # of a frame of the encoder

    def pixels(self, picture: bytes) -> Tensor:
        """A sound as the model reads it, [1, F, C + 1].

        Raises:
            SoundError: it is no WAV file that can be read, or too long.
        """
        samples, rate = opened_sound(picture, self.frames * self.seconds)
        return self._ready(resampled(samples, rate, self.processor.sampling_rate))

    def noise(self) -> Tensor:
        """Noise that fills half of the window, to try a model on."""
        count = int(self.frames * self.seconds * self.processor.sampling_rate) // 2
        return self._ready(np.random.default_rng(0).normal(0, 0.1, count))

    def _ready(self, samples: np.ndarray) -> Tensor:
        made = self.processor(samples.astype(np.float32), sampling_rate=self.processor.sampling_rate)
        mels = torch.from_numpy(np.asarray(made["input_features"], np.float32))[0].T
        heard = torch.arange(len(mels)) * self.processor.hop_length < len(samples)
        return torch.cat((mels, heard[:, None].float()), 1)[None].to(self.encoder.device)

    def features(self, pixels: Tensor) -> Tensor:
        """What the encoder is given, [1, C, F]."""
        return pixels[..., :-1].transpose(1, 2)

    def seen(self, pixels: Tensor) -> Image.Image:
        """The spectrogram as far as the groups go, low tones at the bottom, the louder the brighter."""
        groups, size = self._groups(pixels)
        mels = self.features(pixels)[0].cpu()
        quiet, loud = float(mels.min()), float(mels.max())
        shown = torch.full((len(mels), 2 * groups * size), quiet)
        part = mels[:, : shown.shape[1]]
        shown[:, : part.shape[1]] = part
        values = (shown.flip(0) - quiet) / max(loud - quiet, 1e-9) * 255
        return Image.fromarray(values.round().byte().numpy()).resize((_WIDTH, _HEIGHT), Image.Resampling.BILINEAR)

    def grid(self, pixels: Tensor) -> tuple[int, int]:
        """One row, and as many columns as there are groups."""
        return 1, self._groups(pixels)[0]

    def tokens(self, pixels: Tensor) -> int:
        """How many tokens a sound is shown as."""
        return len(self.labels(pixels))

    def labels(self, pixels: Tensor) -> tuple[Label, ...]:
        """A label for each group, the second that it begins at; and one for the rest of the window."""
        groups, size = self._groups(pixels)
        times = (time_label(place, place * size * self.seconds) for place in range(groups))
        return (*times, *((Label(BEHIND),) if groups * size < self.frames else ()))

    def gathered(self, pixels: Tensor) -> Tensor:
        """Which frames each token stands for, 0 or 1, [tokens, frames]."""
        groups, size = self._groups(pixels)
        of = torch.arange(self.frames, device=pixels.device).div(size, rounding_mode="floor").clamp(max=groups)
        return torch.nn.functional.one_hot(of, self.tokens(pixels)).T.float()

    def _groups(self, pixels: Tensor) -> tuple[int, int]:
        """How many groups a sound is shown as, and how many frames each of them is."""
        frames = math.ceil(int(pixels[0, :, -1].sum()) / 2)
        size = next((each for each in GROUP_SIZES if frames <= each * MOST_GROUPS), math.ceil(frames / MOST_GROUPS))
        return max(1, math.ceil(frames / size)), size


class Listening(Captioning):
    """An encoder that hears and a decoder that writes: a sound in, a text out (Whisper)."""

    reads: Reads = "sound"
    eye: Ear

    def __init__(self, loaded: Loaded, speller: Speller, pictures: Any) -> None:
        self.told = Told.by(loaded.model)
        if not speller.languages.targets:
            speller = speller.of(self.told.spoken())
        Translating.__init__(self, loaded, speller)
        self.pictures, self.eye = pictures, Ear(loaded.model.get_encoder(), loaded.processor)

    def _max_len(self) -> int:
        return int(self.config.max_target_positions)

    @property
    def given(self) -> tuple[int, ...]:
        """What every text begins with: the language, the task, and that no times are written, where a model is told."""
        language = self.told.languages.get(self.speller.languages.target)
        found = (language, self.told.task if language is not None else None, self.told.untimed)
        return tuple(each for each in found if each is not None)

    @property
    def unwritten(self) -> Set[int]:  # type: ignore[override]
        """Ids that its folder says are never written, and those of times."""
        return self.told.never

    def most_new(self, ids: ForcedIds) -> int:
        """As ``Form.most_new``."""
        return MOST_OF_A_SOUND

    def gathered(self, ids: ForcedIds) -> Tensor:
        """As ``Form.gathered``."""
        return self.eye.gathered(ids.src)

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        return {
            "input_features": self.eye.features(ids.src).expand(rows, -1, -1),
            "decoder_input_ids": ids.inputs.expand(rows, -1),
            "use_cache": False,
        }

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        ids, (_, written) = super().probe()
        return ids, (self.eye.frames, written)


@dataclass(frozen=True)
class Told:
    """What a folder's generation_config says that a model which hears is told; ids that it has no row for are left out.

    Attributes:
        languages: ids by their codes; {} of a model that hears one alone.
        task: to write down what is said, in its own language.
        untimed: that no times are written, which are all ids behind it.
        never: ids that are not written.
    """

    languages: Mapping[str, int]
    task: int | None
    untimed: int | None
    never: frozenset[int]

    @classmethod
    def by(cls, model: Any) -> Told:
        """What the folder of a model says."""
        said, rows = model.generation_config, model.get_input_embeddings().weight.shape[0]

        def known(each: object) -> int | None:
            return each if type(each) is int and 0 <= each < rows else None

        tables = (getattr(said, name, None) for name in ("lang_to_id", "task_to_id"))
        languages, tasks = (each if isinstance(each, dict) else {} for each in tables)
        codes = {str(name).strip("<|>"): each for name, each in languages.items() if known(each) is not None}
        untimed, never = known(getattr(said, "no_timestamps_token_id", None)), getattr(said, "suppress_tokens", None)
        unwritten = [each for each in never if known(each) is not None] if isinstance(never, list) else []
        times = range(untimed + 1, rows) if untimed is not None else ()
        return cls(
            codes,
            known(tasks.get("transcribe")),
            untimed,
            frozenset((*unwritten, *times)),
        )

    def spoken(self) -> Languages:
        """The languages to choose from, English where nothing is chosen."""
        codes = tuple(sorted(self.languages))
        first = "en" if "en" in codes else next(iter(codes), "")
        return Languages((), codes, "", first, frozenset(self.languages.values()))


def opened_sound(sound: bytes, most_seconds: float) -> tuple[np.ndarray, int]:
    """The samples of a WAV file, the mean of its channels, float64 [N], 1 the loudest; and how many make a second.

    Raises:
        SoundError: it is no WAV file of one or two channels of plain numbers, is damaged, empty or too long.
    """
    if len(sound) > MOST_BYTES_OF_SOUND:
        raise SoundError(
            f"The sound's file has {len(sound) / 2**20:.0f} MB; the limit is {MOST_BYTES_OF_SOUND // 2**20} MB."
        )
    if not sound:
        raise SoundError("There is nothing to hear: the file is empty, or no sound is called so.")
    if sound[:4] != b"RIFF" or sound[8:12] != b"WAVE":
        raise SoundError("This is no WAV file: save the sound as WAV, with samples of 8, 16, 24 or 32 bits.")
    parts = _parts_of(sound)
    if len(parts.get(b"fmt ", b"")) < 16 or b"data" not in parts:
        raise SoundError("The WAV file is damaged: it does not say what its samples are, or holds none.")
    kind, channels, rate, bits = _numbers(parts[b"fmt "])
    width = channels * bits // 8
    count = len(parts[b"data"]) // width
    if not count:
        raise SoundError("The sound is empty: the WAV file holds no sample.")
    if count / rate > most_seconds:
        raise SoundError(f"The sound lasts {count / rate:.1f} s; this model hears {most_seconds:g} s at once.")
    values = _samples(parts[b"data"][: count * width], kind, bits).reshape(-1, channels)
    if not np.isfinite(values).all() or np.abs(values).max() > LOUDEST:
        raise SoundError("The WAV file holds numbers that are no sound.")
    return values.mean(1), rate


def _parts_of(sound: bytes) -> dict[bytes, bytes]:
    """The chunks of a RIFF file by their names, the first of each."""
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(sound) and b"data" not in found:
        name, size = sound[at : at + 4], struct.unpack_from("<I", sound, at + 4)[0]
        part = sound[at + 8 : at + 8 + size]
        if len(part) < size != _UNKNOWN_SIZE:
            raise SoundError(f"The WAV file is cut off: it promises {size:,} bytes and holds {len(part):,} of them.")
        found.setdefault(name, part)
        at += 8 + size + size % 2
    return found


def _numbers(told: bytes) -> tuple[int, int, int, int]:
    """What a WAV file says of its samples: their kind, channels, samples a second, bits.

    Raises:
        SoundError: they are of another kind than can be read.
    """
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", told[:16])
    if kind == _EXTENSIBLE and len(told) >= 26:
        kind = struct.unpack_from("<H", told, 24)[0]
    if (kind, bits) not in {*((_PCM, each) for each in (8, 16, 24, 32)), (_FLOAT, 32), (_FLOAT, 64)}:
        raise SoundError(
            f"The WAV file holds samples of kind {kind} with {bits} bits; those that can be read are plain numbers of "
            "8, 16, 24 or 32 bits."
        )
    if channels not in (1, 2):
        raise SoundError(f"The WAV file has {channels} channels; one or two can be read.")
    if not 1_000 <= rate <= 384_000:
        raise SoundError(f"The WAV file has {rate:,} samples a second; from 1,000 to 384,000 can be read.")
    return kind, channels, rate, bits


def _samples(data: bytes, kind: int, bits: int) -> np.ndarray:
    """Samples as float64, 1 the loudest."""
    if kind == _FLOAT:
        with np.errstate(invalid="ignore"):
            return np.frombuffer(data, f"<f{bits // 8}").astype(np.float64)
    if bits == 8:
        return (np.frombuffer(data, np.uint8).astype(np.float64) - 128) / 128
    if bits == 24:
        padded = np.zeros((len(data) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return padded.view("<i4")[:, 0] / 2.0**31
    return np.frombuffer(data, f"<i{bits // 8}") / 2.0 ** (bits - 1)


def resampled(samples: np.ndarray, rate: int, wanted: int) -> np.ndarray:
    """The same sound with another number of samples a second, [N · wanted / rate]: what is too high for it is gone.

    >>> resampled(np.ones(4410), 44100, 16000).shape
    (1600,)
    """
    if rate == wanted:
        return samples
    whole = rate // math.gcd(rate, wanted)  # so many samples become a whole number of samples
    padded = np.pad(samples, (0, -len(samples) % whole))
    length = len(padded) * wanted // rate
    made: np.ndarray = np.fft.irfft(np.fft.rfft(padded)[: length // 2 + 1], length) * (length / len(padded))
    return made[: max(1, round(len(samples) * wanted / rate))]
