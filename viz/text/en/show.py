"""Interface strings in English: talks, storyboards and the pinboard."""

STRINGS: dict[str, str] = {
    # the talk itself, in the app and in a file
    "talk.untitled": "A talk",
    "talk.on": "Go on",
    "talk.before": "Go back",
    "talk.notes": "Notes",
    "talk.notes_here": "Notes under the picture (T)",
    "talk.notes_window": "Window for the speaker: notes, clock, next scene (V)",
    "talk.ask_hint": "What do you expect? Click, or press the letter that most hands are for. Space shows it without a guess.",
    "talk.right": "✓ {answer}",
    "talk.wrong": "✗ {picked}; it is {answer}",
    "talk.revealed": "It is {answer}",
    "talk.elapsed": "Time since the talk went on",
    "talk.next_is": "Next: {title}",
    "talk.last": "This is the last scene.",
    "talk.keys": "Space, Page Down, N: go on\nPage Up, B: go back\nHome, End: first scene, last scene\nA … D: what the audience expects\nT, V: notes here, notes in a second window",
    # the handout
    "handout.text": "{source} → {translation}",
    "handout.ask": "{ask} {options}",
    "handout.answer": "Answer: {answer}.",
    "handout.place": "{title} · {number} / {count}",
}
