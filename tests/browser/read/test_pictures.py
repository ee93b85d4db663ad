from __future__ import annotations

import pytest

SENTENCE = "I love you."


@pytest.mark.parametrize(("button", "ending"), [("PNG", ".png"), ("SVG", ".svg")])
def test_a_map_can_be_kept_as_a_picture_offline(visit, button, ending):
    page = visit("one_head", text=SENTENCE, kind="Decoder self")
    page.wait_for_selector(".js-plotly-plot .heatmaplayer image", state="attached")
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name=f"Picture of the map as {button}").click()
    assert waiting.value.suggested_filename.startswith("headlight-decoder_self-L")
    assert waiting.value.suggested_filename.endswith(ending)
    content = waiting.value.path().read_bytes()
    if button == "PNG":
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") > 1000
    else:
        chinese = page.locator(".js-plotly-plot .ytick").last.text_content()
        assert chinese in content.decode("utf-8")
        assert "Noto Sans CJK SC" in content.decode("utf-8")


def test_the_hover_names_query_key_weight_and_what_the_row_writes(visit):
    page = visit("one_head", text=SENTENCE, kind="Decoder self")
    page.wait_for_selector(".js-plotly-plot .heatmaplayer image", state="attached")
    area = page.locator(".js-plotly-plot .nsewdrag").bounding_box()
    page.mouse.move(area["x"] + 5, area["y"] + 5)
    page.mouse.move(area["x"] + 8, area["y"] + 8)
    page.wait_for_selector(".hoverlayer .hovertext")
    text = page.locator(".hoverlayer").text_content()
    assert "query <bos>" in text
    assert "key <bos>" in text
    assert "attention weights 1.0000" in text
    assert "this row writes" in text
