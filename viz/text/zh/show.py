"""Interface strings in Chinese: talks, storyboards and the pinboard."""

STRINGS: dict[str, str] = {
    # the talk itself, in the app and in a file
    "talk.untitled": "演讲",
    "talk.on": "下一步",
    "talk.before": "上一步",
    "talk.notes": "讲稿",
    "talk.notes_here": "在图下显示讲稿（T）",
    "talk.notes_window": "讲者窗口：讲稿、时钟、下一幕（V）",
    "talk.ask_hint": "你猜是哪个？可以点击，也可以举手表决后按字母键；按空格则直接揭晓。",
    "talk.right": "✓ {answer}",
    "talk.wrong": "✗ {picked}；答案是 {answer}",
    "talk.revealed": "答案是 {answer}",
    "talk.elapsed": "开讲以来的时间",
    "talk.next_is": "下一幕：{title}",
    "talk.last": "这是最后一幕。",
    "talk.keys": "空格, Page Down, N: 下一步\nPage Up, B: 上一步\nHome, End: 第一幕、最后一幕\nA … D: 听众的猜测\nT, V: 讲稿显示在此、显示在另一窗口",
    # the handout
    "handout.text": "{source} → {translation}",
    "handout.ask": "{ask} {options}",
    "handout.answer": "答案：{answer}。",
    "handout.place": "{title} · {number} / {count}",
}
