"""Models that do not translate: prompts, sentences, pictures, files of maps."""
