"""Numbers that a translation lost: what counts as kept, and what is said of the rest."""

from __future__ import annotations

import pytest

from model.analysis.what_if.verdict import LostNumber, lost_numbers


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("In 1998 it cost $4.50.", "1998年它要4.50美元。"),
        ("70,000 people", "7万人"),
        ("3.5 million people", "350万人"),
        ("1,250,000 copies", "125万册"),
        ("It took 20 days and 12 nights.", "花了二十天十二夜。"),
        ("We meet at 4:30.", "我们四点半见面。"),
        ("The train leaves at 6:05 p.m.", "火车18:05开。"),
        ("Come at 7:00.", "七点来。"),
        ("Songs of the 1980s", "80年代的歌"),
        ("a city of 320 houses and 25,000 people", "三百二十座房子和两万五千人的城市"),
        ("the 2 boys", "两个男孩"),
        ("Call 555-0192.", "请打５５５－０１９２。"),
        ("2004 and 2004", "2004年和2004年"),
        ("50% of them", "他们中的百分之五十"),
        ("two thirds of them", "他们的三分之二"),
        ("nothing", "没有数字，一切都好"),
    ],
)
def test_a_number_that_stands_there_in_any_form_is_kept(english: str, chinese: str) -> None:
    assert lost_numbers(english, chinese) == ()


@pytest.mark.parametrize(
    ("english", "chinese", "lost"),
    [
        ("The city has 1,000,000 people.", "这座城市有1,000个人。", [("1,000,000", "1,000")]),
        ("before 1944 he paid 70,000", "他付了1944000", [("1944", "1944000"), ("70,000", "")]),
        ("Call 555-0192.", "请打555-1092。", [("0192", "1092")]),
        ("2004 and 2004", "2004年", [("2004", "")]),
        ("pi is 3.14159", "圆周率是3.14591", [("3.14159", "3.14591")]),
        ("at 9:48", "在9:28", [("48", "28")]),
        ("3 million", "3000", [("3 million", "3000")]),
        ("2.5 million people", "2.500人", [("2.5 million", "2.500")]),
        ("Tom was born on May 5, 2010.", "汤姆出生于5010年5月5日。", [("2010", "5010")]),
        ("Paris, October 3, 2024", "1024年1月3日，巴黎", [("2024", "1024")]),
        ("1 ship", "船", [("1", "")]),
        ("On 14 March 27 members met.", "3月14日成员们见面。", [("27", "")]),
        ("On 14 March 27 members met.", "3月14日72名成员见面。", [("27", "72")]),
        ("In 2019 its 27 members met.", "2019年3月2019日成员们见面。", [("27", "3")]),
        ("In 2019 its 27 members met.", "2019年2019日成员们见面。", [("27", "")]),
    ],
)
def test_a_number_that_does_not_is_told_with_what_it_became(english: str, chinese: str, lost: list) -> None:
    expected = tuple(LostNumber(*each) for each in lost)
    assert lost_numbers(english, chinese) == expected
