"""Text and token ids: tokenizers, vocabularies, sentences, labels."""
