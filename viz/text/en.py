"""Interface strings in English."""

STRINGS: dict[str, str] = {
    # the frame around every view
    "app.tagline": "See what every attention head of a translator looks at",
    "app.sentence": "English sentence",
    "app.placeholder": "Type an English sentence and press Enter",
    "app.translate": "Translate",
    "app.examples": "Examples",
    "app.translation": "Chinese translation",
    "app.settings": "Settings",
    "app.checkpoint": "Checkpoint",
    "app.checkpoint.help": "A trained model: a folder under checkpoints/. “en-zh” translates English into Chinese; "
    "“reverse” is a small model that writes its input backwards.",
    "app.beam": "Beam",
    "app.beam.help": "How many half-finished translations are kept at every step. 1 is greedy decoding.",
    "app.language": "Language",
    "app.kind": "Attention",
    "app.kind.help": "Encoder self: English looks at English. Decoder self: Chinese looks at the Chinese already "
    "written. Cross: Chinese looks at English.",
    "app.layer": "Layer",
    "app.layer.help": "The model is a stack of layers, counted from 0. Early layers see words, late layers meaning.",
    "app.head": "Head",
    "app.head.help": "Each layer looks at the sentence several times at once, with one head each. Keys: ← → for the "
    "head, ↑ ↓ for the layer.",
    "app.words": "Whole words",
    "app.words.help": "Merge the pieces of a word: weights on its pieces are added, rows of its pieces averaged.",
    "app.special": "Hide <bos>, <eos>",
    "app.special.help": "Leave out the tokens that mark beginning and end, and divide each row by what is left.",
    "app.status": "{checkpoint} · {device}",
    "app.status.loading": "{checkpoint} · loading the model…",
    "app.truncated": "The translation was cut at the limit of {limit} tokens; the model did not finish it.",
    "kind.encoder_self": "Encoder self",
    "kind.decoder_self": "Decoder self",
    "kind.cross": "Cross",
    # page names
    "page.translate": "Translate",
    "page.all_heads": "All heads",
    "page.one_head": "One head",
    "page.side_by_side": "Side by side",
    "page.lines": "Lines",
    "page.masks": "Masks",
    "page.positions": "Positions",
    "page.about": "About",
    # errors that a visitor can cause; in English the error's own sentence is shown
    "error.EmptySentenceError": "{message}",
    "error.SentenceTooLongError": "{message}",
    "error.CheckpointError": "{message}",
}
