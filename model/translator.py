"""The way in: a checkpoint of our own at work."""

from model.own.paragraphs import translate_text
from model.own.translator import Translator

__all__ = ["Translator", "translate_text"]
