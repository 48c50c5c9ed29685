"""Chinese: recognise Chinese text, and write its numbers and punctuation as programs do.

>>> is_chinese("北京的天气 OK"), is_chinese("Weather in 北京")
(True, False)
>>> arabic("三千五百三十欧元，１２％，1.2万人，负二度，二十八天")
'3530欧元，12%，12000人，-2度，28天'
"""

import re
from fractions import Fraction
from functools import partial

HAN = "\u3400-\u9fff"
# Full-width letters, digits and punctuation, and the wide space, as ASCII.
HALF = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
# Of these, the ones that are part of a number; a wide comma or colon may be punctuation.
NUMERIC = {code: to for code, to in HALF.items() if chr(code) in "０１２３４５６７８９．％－＋"}

DIGITS = {**dict(zip("零一二三四五六七八九", range(10))), "〇": 0, "两": 2}
TENS = {"十": 10, "百": 100, "千": 1000}
LARGE = {"万": 10**4, "亿": 10**8}
_SPOKEN = f"[{''.join(DIGITS)}{''.join(TENS)}{''.join(LARGE)}]"
# Words of one numeral that are numbers only with a unit: 一起 is "together", 一天 is one day.
_UNIT = (
    "[个天年月日周点元块角分秒时度次米里件人页倍位台家岁种条张把间吨克升]|"
    "小时|分钟|星期|欧元|美元|人民币|毫米|厘米|公里|千米|公斤|千克|工作日"
)
_NUMBER = re.compile(
    rf"(?P<per>百分之)?(?P<minus>负)?(?P<whole>{_SPOKEN}+)(?:点(?P<decimals>[{''.join(DIGITS)}]+))?"
)
_MIXED = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*([万亿])(?![亿万\d])")
_NOT_BEFORE = re.compile(r"(?:星期|礼拜|周|第|万一|统)$")


def is_chinese(text: str) -> bool:
    """Return whether a text has more Chinese characters than words in Latin letters."""
    return len(re.findall(f"[{HAN}]", text)) > len(re.findall("[A-Za-z]+", text))


def half_width(text: str) -> str:
    """Write full-width letters, digits and punctuation in ASCII: １２（３）becomes 12(3)."""
    return text.translate(HALF)


def arabic(text: str, formula: bool = False) -> str:
    """Write the numbers in a Chinese text in digits: 二十八 as 28, 1.2万 as 12000, 百分之五 as 5%.

    A numeral alone is a number only before a unit (一天, but not 一起), and not in 星期一 or 第一.

    Args:
        text: any text.
        formula: whether it is an arithmetic expression, in which every numeral is a number.
    """
    text = _MIXED.sub(_large, text.translate(NUMERIC))
    return _NUMBER.sub(partial(_digits, formula=formula), text)


def _large(match: re.Match[str]) -> str:
    return _plain(Fraction(match[1]) * LARGE[match[2]])


def _digits(match: re.Match[str], formula: bool) -> str:
    """Return the number that a match means, or the match unchanged."""
    words, before, after = (
        match["whole"],
        match.string[: match.start()],
        match.string[match.end() :],
    )
    alone = len(words) == 1 and not match["decimals"] and not match["per"]
    very = words == "十" and re.match("分(?!钟)", after)  # 十分
    if formula:
        pass
    elif very or _NOT_BEFORE.search(before) or (alone and not re.match(_UNIT, after)):
        return str(match[0])
    if (value := _value(words)) is None:
        return str(match[0])
    text = str(value)
    if match["decimals"]:
        text += "." + "".join(str(DIGITS[one]) for one in match["decimals"])
    return ("-" if match["minus"] else "") + text + ("%" if match["per"] else "")


def _value(words: str) -> int | None:
    """Return the number in words, or None if the characters are not a number (千万, 十分之)."""
    if all(one in DIGITS for one in words):  # a year, or a number read digit by digit
        return int("".join(str(DIGITS[one]) for one in words))
    if words[0] in LARGE or words in ("千万", "百万", "百千万"):
        return None
    total = section = digit = 0
    for place, one in enumerate(words):
        if one in DIGITS:
            digit = DIGITS[one]
        elif one in TENS:
            section += (digit or 1) * TENS[one]
            digit = 0
        else:
            part, total = (
                (section + digit, total) if total > LARGE[one] else (total + section + digit, 0)
            )
            total += part * LARGE[one]
            section = digit = 0
        if (
            place
            and one in DIGITS
            and words[place - 1] in DIGITS
            and words[place - 1] not in "零〇"
        ):
            return None
    # 三百五 is 350: a last digit after a hundred or more counts in tenths of it
    if digit and len(words) > 1 and words[-2] in "百千万亿":
        digit *= {"百": 10, "千": 100, "万": 1000, "亿": 10**7}[words[-2]]
    return total + section + digit


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))
