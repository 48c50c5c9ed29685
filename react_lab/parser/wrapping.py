"""Noise: what stands around a reply, or between its lines, and is not the reply.

Reasoning blocks, control tokens at the ends and a fence around the whole are blanked out, not
cut out, so that every place in the text stays where it was.

>>> text, thoughts, repairs = clean("<think>2+2?</think>Final Answer: 4<|im_end|>")
>>> visible(text), thoughts, repairs
('Final Answer: 4', ['2+2?'], ('control token removed', 'reasoning set apart'))
"""

import re

BLANK = "\0"
SPACE = " \t\u00a0\u3000"
# What may stand before a label on its line: list marks, headings, quotes, emphasis, pictures.
MARKS = (
    rf"[{SPACE}>#*_`~+•·–—\-\0\ufeff\u200b-\u200d\u2060\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]*+"
    rf"(?:\d{{1,2}}[.)][{SPACE}*_`]*+)?"
)
_MARKED = re.compile(rf"{MARKS}(?:(?:Thought|思考)[{SPACE}]?[:：][{SPACE}*_]*+)?", re.I)
_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s?>|\[(/?)THINK\]", re.I)
_THINK_FENCE = re.compile(r"^(`{3,})[\w-]{0,20}think[\w-]*+[ \t]*+$", re.I | re.M)
_AFTER_THINK = re.compile(
    rf"[{SPACE}]*+(?:\r?$|<|\[|{MARKS}(?:Action|Final|Thought|[行最思]))", re.M
)

_NAME = r"(?!python_tag|tool_call|function_call|channel|message|constrain)[\w▁ /]{1,30}"
TOKEN = rf"<\|{_NAME}\|>|<｜{_NAME}｜>|</?s>|<[be]os>|<pad>|<(?:start|end)_of_turn>|\[/?INST\]"
_TOKEN = re.compile(TOKEN)
_HEAD = re.compile(rf"(?:\s*+(?:{TOKEN})(?:assistant|model)?+)++")
_FENCE = re.compile(r"```+(?P<info>[\w-]*+)")
_INPUT_BEFORE = re.compile(r"(?:input|输入|輸入)[^\w\n]*\d*[^\w\n]*[:：]\W*\Z", re.I)
_ANSWER = re.compile(rf"^{MARKS}(?:Final.?Answer|最终答案)[^\w\n]*[:：]", re.I | re.M)
_LABELLED = re.compile(rf"[ \t]*+\r?\n?\s*+{MARKS}(?:Thought|Action|Final|[思行最])", re.I)


def clean(text: str) -> tuple[str, list[str], tuple[str, ...]]:
    """Blank out what is not the reply.

    Returns (the text, as long as before; what stood in reasoning blocks; the repairs).
    """
    repairs = []
    shown = _without(text, [*_head(text), *_tail(text)])
    repairs += ["control token removed"] if shown != text else []
    hidden = _reasoning(shown)
    thoughts = [_THINK.sub("", shown[begin:end]).strip("`\n ") for begin, end in hidden]
    shown = _without(shown, hidden)
    repairs += ["reasoning set apart"] if hidden else []
    wrapper = _wrapper(shown)
    repairs += ["code fence removed"] if wrapper else []
    return _without(shown, wrapper), thoughts, tuple(repairs)


def visible(text: str) -> str:
    """The text without what was blanked out, and without white space at its ends."""
    return re.sub(rf"{BLANK}++\n?", "", text).strip() if BLANK in text else text.strip()


def fences(text: str) -> list[tuple[int, int]]:
    """Where the closed code fences are: (begin of the opening mark, end of the closing mark)."""
    found, opened = [], None
    for mark in _FENCE.finditer(text):
        if opened is None or mark["info"]:
            opened = mark.start()
        else:
            found.append((opened, mark.end()))
            opened = None
    return found


def starts_line(text: str, place: int) -> bool:
    """Whether only marks and a Thought label stand before `place` on its line."""
    line = text[max(0, place - 60) : place].rpartition("\n")[2]
    return len(line) < 60 and _MARKED.fullmatch(line) is not None


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with each span blanked out. A blank ends in a line break: what follows it
    starts a line."""
    pieces, place = [], 0
    for begin, end in sorted(spans):
        begin = max(begin, place)
        if begin < end:
            pieces += [text[place:begin], BLANK * (end - begin - 1), "\n"]
            place = end
    return "".join([*pieces, text[place:]])


def _head(text: str) -> list[tuple[int, int]]:
    head = _HEAD.match(text)
    return [head.span()] if head else []


def _tail(text: str) -> list[tuple[int, int]]:
    """The control tokens behind which nothing stands but white space and further ones."""
    found, end, struck = [], len(text), "<s>" in text.lstrip()[3:]  # <s>out</s>
    for token in reversed(list(_TOKEN.finditer(text))):
        if text[token.end() : end].strip() or (struck and token[0] == "</s>"):
            break
        end = token.start()
        found.append(token.span())
    return found


def _reasoning(text: str) -> list[tuple[int, int]]:
    """Where reasoning stands. A lone closing tag makes thought of all that is before it."""
    found, opened = _think_fences(text), None
    for tag in _THINK.finditer(text):
        if "/" not in tag[0]:
            if opened is None and not _quoted(text, tag):
                opened = tag
        elif opened is not None:
            if not _mentioned(text, opened, tag):
                found.append((opened.start(), tag.end()))
            opened = None
        elif _AFTER_THINK.match(text, tag.end()) or starts_line(text, tag.start()):
            if not _quoted(text, tag):
                found = [(0, tag.end())]
    if opened is not None and starts_line(text, opened.start()):
        found.append((opened.start(), len(text)))
    return found


def _think_fences(text: str) -> list[tuple[int, int]]:
    """Reasoning in a code fence whose language says so, such as vis-thinking."""
    found, place = [], 0
    while fence := _THINK_FENCE.search(text, place):
        end = text.find("\n" + fence[1], fence.end())
        place = len(text) if end < 0 else end + 1 + len(fence[1])
        found.append((fence.start(), place))
    return found


def _quoted(text: str, tag: re.Match) -> bool:
    """Whether a tag stands in quotes or backticks: it is spoken of."""
    around = text[max(0, tag.start() - 1) : tag.start()] + text[tag.end() : tag.end() + 1]
    return any(sign in "`\"'“”" for sign in around)


def _mentioned(text: str, opened: re.Match, closed: re.Match) -> bool:
    """Whether a pair of tags within a line belongs to an input or an answer."""
    if starts_line(text, opened.start()) or "\n" in text[opened.end() : closed.start()]:
        return False
    line = text[max(0, opened.start() - 500) : opened.start()].rpartition("\n")[2]
    return re.search(r'["`]|(?:Input|Answer|输入|答案)\W{0,4}[:：]\W*\w', line, re.I) is not None


def _wrapper(text: str) -> list[tuple[int, int]]:
    """The marks of a fence around the whole reply, or around the labels at its end."""
    marks = list(_FENCE.finditer(text))
    if not marks:
        return []
    first, last, closed = marks[0], marks[-1], dict(fences(text))
    ends = not visible(text[last.end() :])
    if not visible(text[: first.start()]) and _LABELLED.match(text, first.end()):
        end = closed.get(first.start(), last.end() if ends and first is not last else None)
        return [first.span()] + ([(end - 3, end)] if end else [])
    for mark in marks[-2:-1]:
        if ends and closed.get(mark.start()) == last.end() and _LABELLED.match(text, mark.end()):
            before = text[: mark.start()]
            if not (_INPUT_BEFORE.search(before[-40:]) or _ANSWER.search(before)):
                return [mark.span(), last.span()]
    return []
