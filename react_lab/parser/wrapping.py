"""Wrapping: what is around a reply, or between its lines, but does not belong to it.

Reasoning blocks, control tokens at the ends and a fence around the whole are overwritten with
blanks, not removed, so that every position in the text stays the same.

>>> found = clean("<think>2+2?</think>Final Answer: 4<|im_end|>")
>>> visible(found.text), found.thoughts, found.repairs
('Final Answer: 4', ('2+2?',), ('control token removed', 'reasoning set apart'))
"""

import re
from typing import NamedTuple

BLANK = "\0"
SPACE = " \t\u00a0\u3000"
# What may be before a label on its line: list marks, headings, quotes, emphasis, pictures.
MARKS = (
    rf"[{SPACE}>#*_`~+•·–—\-\0\ufeff\u200b-\u200d\u2060\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]*+"
    rf"(?:\d{{1,2}}[.)][{SPACE}*_`]*+)?"
)
_MARKED = re.compile(rf"{MARKS}(?:(?:Thought|思考)[{SPACE}]?[:：][{SPACE}*_]*+)?", re.I)
_AFTER_REASONING = re.compile(
    rf"[{SPACE}]*+(?:\r?$|<|\[|{MARKS}(?:Action|Final|Thought|[行最思]))", re.M
)

# Tokens and fences

_NAME = (  # not the names that begin a call or a reasoning block
    r"(?!python_tag|tool|function_call|channel|message|constrain|DSML|think|/think|thought|/thought"
    r"|reasoning|/reasoning|START_THINK|END_THINK|START_ACTION|begin_of_th|end_of_th|inner_"
    r"|action_start|plugin)[\w▁ /]{1,30}"
)
TOKEN = rf"<\|{_NAME}\|>|<｜{_NAME}｜>|</?s>|<[be]os>|<pad>|<(?:start|end)_of_turn>|\[/?INST\]"
_TOKEN = re.compile(TOKEN)
_HEAD = re.compile(rf"(?:\s*+(?:{TOKEN})(?:assistant|model)?+)++")
_FENCE = re.compile(r"```+(?P<info>[\w-]*+)")
_INPUT_BEFORE = re.compile(r"(?:input|输入|輸入)[^\w\n]*\d*[^\w\n]*[:：]\W*\Z", re.I)
_ANSWER = re.compile(rf"^{MARKS}(?:Final.?Answer|最终答案)[^\w\n]*[:：]", re.I | re.M)
_LABELLED = re.compile(rf"[ \t]*+\r?\n?\s*+{MARKS}(?:Thought|Action|Final|[思行最])", re.I)
_ANY_LABEL = re.compile(
    rf"^{MARKS}(?:Action|Final.?Answer|行动|最终答案)[^\w\n]*[:：]", re.I | re.M
)

# Reasoning

_THINK = r"think(?:ing)?"
_LESS, _MORE = "(?:<|&lt;)", "(?:>|&gt;)"  # a server may escape a tag
# Other tags that models use for their reasoning; in an answer they are part of it.
_OTHER = (
    r"thoughts?|reason(?:ing)?(?:_content)?|rationale|analysis|reflection|scratch_?pad"
    r"|(?:inner_|internal_)?monologue|(?:inner|internal)_thoughts|chain_of_thought|cot"
    r"|deliberation|antThinking|plan(?:ning)?|(?:thinking|thought)_process|brainstorm(?:ing)?"
)


class Reasoning(NamedTuple):
    """One kind of reasoning marks.

    Args:
        name: The models that write it.
        opening: A regular expression for the mark that begins the reasoning.
        closing: A regular expression for the mark that ends it. A group `tag` in both must match
            the same text.
        alone: Whether a closing mark without an opening one makes reasoning of all before it.
    """

    name: str
    opening: str
    closing: str
    alone: bool = True


_PREFIX = r"(?:seed:|mm:|longcat_)?"
REASONING = (
    Reasoning(
        "tags",
        rf"(?i:{_LESS}{_PREFIX}{_THINK}\s?{_MORE})",
        rf"(?i:{_LESS}/{_PREFIX}{_THINK}\s?{_MORE})",
    ),
    Reasoning("other tags", rf"(?i:<(?P<tag>{_OTHER})\s?>)", rf"(?i:</(?P<tag>{_OTHER})\s?>)"),
    Reasoning("Magistral", r"\[THINK\]", r"\[/THINK\]"),
    Reasoning("Kimi", r"◁think▷", r"◁/think▷"),
    Reasoning(
        "tokens",
        r"<\|(?:think|thinking|thought|reasoning|begin_of_thinking|think(?:ing)?_start)\|>",
        r"<\|/(?:think|thinking|thought|reasoning)\|>|<\|(?:end_of_thinking|think(?:ing)?_end)\|>",
    ),
    Reasoning("Cohere", r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    Reasoning("o1 style", r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    Reasoning("Apertus", r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    Reasoning("Gemma 4", r"<\|channel>\s?(?:thought|analysis)\b", r"<channel\|>"),
    Reasoning("MedGemma", r"<unused94>(?:thought\b)?", r"<unused95>"),
    Reasoning("Granite", r"\A\s*+Here is my thought process:", r"^Here is my response:", False),
    Reasoning(
        "gpt-oss (harmony)",
        r"<\|channel\|>(?:analysis|commentary)(?:<\|message\|>|\s*+\Z)",
        r"<\|end\|>|(?=<\|start\|>|<\|channel\|>)",
        False,
    ),
    Reasoning(  # the same, after a server has removed the tokens
        "harmony without tokens",
        r"\A\s*+(?:analysis|commentary)(?=[A-Z\n])|(?<=\W)assistant(?:analysis|commentary)(?=[A-Z])",
        r"(?=assistant(?:final|commentary|analysis))",
        False,
    ),
    Reasoning("Ollama", r"\A\s*+Thinking\.\.\.[ \t]*+$", r"^\.\.\.done thinking\.?"),
    Reasoning("harmony, cut", r"(?!)", r"(?=<\|channel\|>final\s*+<\|message\|>)"),
)
_ANY_MARK = re.compile(
    "|".join(one for kind in REASONING for one in (kind.opening, kind.closing)).replace(
        "(?P<tag>", "(?:"
    ),
    re.M,
)
OTHER = 1  # the place of "other tags" in the table
_OPENING = [re.compile(kind.opening, re.M) for kind in REASONING]
_CLOSING = [re.compile(kind.closing, re.M) for kind in REASONING]
_REASONING_FENCE = re.compile(r"^(`{3,})[\w-]{0,20}think[\w-]*+[ \t]*+$", re.I | re.M)
# Marks of a template before an answer, and around it. They have no meaning.
_BEFORE_ANSWER = re.compile(
    r"[\s\0]*+(?:(?:<\|start\|>assistant)?(?:<\|channel\|>final\s*+(?:<\|constrain\|>\w++)?)?"
    r"<\|message\|>"
    r"|<\|channel>\s?(?:final|response)\b|<\|begin_of_solution\|>|<\|START_(?:RESPONSE|TEXT)\|>"
    r"|assistantfinal|final(?=Final Answer|Thought:|[A-Z][a-z]+[ ,.]))[\s\0]*+"
)
_BOX = re.compile(r"<\|(?:begin|end)_of_box\|>")  # GLM's, around an answer
_ANSWER_TAG = re.compile(r"[\s\0]*+<(?P<tag>answer|response|output|solution|final_answer)>", re.I)
_GLUED = re.compile(
    r"[\s\0]*+(?:thought|analysis|commentary|final|assistant)++"
    r"(?=(?:Thought|Action|Action Input|Final Answer|思考|行动|最终答案)[ ]?[:：])"
)


class Clean(NamedTuple):
    """A reply without its wrapping.

    Args:
        text: The reply with blanks in place of the wrapping, so that its length is unchanged.
        thoughts: The content of the reasoning blocks.
        repairs: What was set apart.
    """

    text: str
    thoughts: tuple[str, ...]
    repairs: tuple[str, ...]


def clean(text: str) -> Clean:
    """Overwrite everything that does not belong to the reply with blanks."""
    repairs = []
    shown = _without(text, [*_head(text), *_tail(text)])
    repairs += ["control token removed"] if shown != text else []
    hidden = _reasoning(shown)
    thoughts = tuple(_unmarked(shown[begin:end]) for begin, end in hidden)
    shown = _without(shown, hidden)
    repairs += ["reasoning set apart"] if hidden else []
    shown = _without(shown, _template(shown, bool(hidden)))
    wrapper = _wrapper(shown)
    repairs += ["code fence removed"] if wrapper else []
    return Clean(_without(shown, wrapper), thoughts, tuple(repairs))


def visible(text: str) -> str:
    """Return the text without its blanks, and without white space at its ends."""
    return re.sub(rf"{BLANK}++\n?", "", text).strip() if BLANK in text else text.strip()


def without_reasoning(text: str) -> str:
    """Return the text without reasoning blocks and without control tokens at its ends."""
    shown = _without(text, [*_head(text), *_tail(text)])
    hidden = _reasoning(shown)
    shown = _without(shown, hidden)
    return visible(_without(shown, _template(shown, bool(hidden))))


def fences(text: str) -> list[tuple[int, int]]:
    """Return the closed code fences: (begin of the opening mark, end of the closing mark)."""
    found, opened = [], None
    for mark in _FENCE.finditer(text):
        if opened is None or mark["info"]:
            opened = mark.start()
        else:
            found.append((opened, mark.end()))
            opened = None
    return found


def starts_line(text: str, place: int) -> bool:
    """Return whether only marks and a Thought label are before `place` on its line."""
    line = text[max(0, place - 60) : place].rpartition("\n")[2]
    return len(line) < 60 and _MARKED.fullmatch(line) is not None


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Blank out each span of a text. A blank ends in a line break: what follows starts a line."""
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
    """Return the control tokens that only white space and other control tokens follow."""
    found, end, struck = [], len(text), "<s>" in text.lstrip()[3:]  # <s>out</s>
    for token in reversed(list(_TOKEN.finditer(text))):
        if text[token.end() : end].strip() or (struck and token[0] == "</s>"):
            break
        end = token.start()
        found.append(token.span())
    return found


def _reasoning(text: str) -> list[tuple[int, int]]:
    """Return the reasoning blocks: (begin of the opening mark, end of the closing mark).

    A closing mark without an opening one makes reasoning of everything before it.
    """
    found, opened = _reasoning_fences(text), None
    answers = [label.start() for label in _ANSWER.finditer(text)][::-1]
    for kind, opens, mark in _reasoning_marks(text):
        if kind == OTHER and answers and answers[-1] < mark.start():
            continue
        if opens:
            if opened is None and not _quoted(text, mark):
                opened = kind, mark
        elif opened is None:
            if REASONING[kind].alone and _ends_reasoning(text, kind, mark):
                found = [(0, mark.end())]
        elif kind == opened[0] and mark.groupdict() == opened[1].groupdict():
            if not _mentioned(text, opened[1], mark):
                found.append((opened[1].start(), mark.end()))
            opened = None
            while answers and answers[-1] < mark.end():
                answers.pop()
    if opened and REASONING[opened[0]].name not in ("harmony without tokens", "Ollama"):
        if starts_line(text, opened[1].start()):
            found.append((opened[1].start(), len(text)))
    return found


def _reasoning_marks(text: str) -> list[tuple[int, bool, re.Match[str]]]:
    """Return all reasoning marks in order: (kind, whether it opens, match)."""
    marks = []
    for kind, (opening, closing) in enumerate(zip(_OPENING, _CLOSING, strict=True)):
        marks += [(kind, True, mark) for mark in opening.finditer(text)]
        marks += [(kind, False, mark) for mark in closing.finditer(text)]
    return sorted(marks, key=lambda one: (one[2].start(), one[1], one[2].end()))


def _ends_reasoning(text: str, kind: int, mark: re.Match[str]) -> bool:
    """Return whether a closing mark without an opening one ends a reasoning block."""
    if _quoted(text, mark) or not text[: mark.start()].strip():
        return False
    if kind > OTHER:
        return True
    return bool(_AFTER_REASONING.match(text, mark.end())) or starts_line(text, mark.start())


def _unmarked(thought: str) -> str:
    """Return a reasoning block without its marks."""
    return _REASONING_FENCE.sub("", _ANY_MARK.sub("", thought)).strip("`\n ")


def _template(text: str, reasoned: bool) -> list[tuple[int, int]]:
    """Return the marks of a chat template before an answer, and around it."""
    found = [mark.span() for mark in _BOX.finditer(text) if not _quoted(text, mark)]
    place = 0
    while (mark := _BEFORE_ANSWER.match(text, place) or _GLUED.match(text, place)) and mark[0]:
        found.append(mark.span())
        place = mark.end()
    tag = _ANSWER_TAG.match(text, place)
    if tag and (reasoned or _LABELLED.match(text, tag.end())):
        found.append(tag.span())
        closing = re.compile(rf"</{tag['tag']}>\s*+\Z")
        found += [end.span() for end in [closing.search(text, tag.end())] if end]
    return found


def _reasoning_fences(text: str) -> list[tuple[int, int]]:
    """Return reasoning in a code fence with a language such as vis-thinking."""
    found, place = [], 0
    while fence := _REASONING_FENCE.search(text, place):
        end = text.find("\n" + fence[1], fence.end())
        place = len(text) if end < 0 else end + 1 + len(fence[1])
        found.append((fence.start(), place))
    return found


def only_named(mark: re.Match[str]) -> bool:
    """Return whether quotes or backticks are around a mark, so that the text is about it."""
    text, begin, end = mark.string, mark.start(), mark.end()
    before, after = text[max(0, begin - 3) : begin], text[end : end + 1]
    return before[-1:] == after and after in tuple("`\"'") and before != "```"


def _quoted(text: str, tag: re.Match[str]) -> bool:
    """Return whether a tag is in quotes or backticks, so that the text is about it."""
    around = text[max(0, tag.start() - 1) : tag.start()] + text[tag.end() : tag.end() + 1]
    return any(quote in "`\"'“”" for quote in around)


def _mentioned(text: str, opened: re.Match[str], closed: re.Match[str]) -> bool:
    """Return whether a pair of tags within a line belongs to an input or an answer."""
    if starts_line(text, opened.start()) or "\n" in text[opened.end() : closed.start()]:
        return False
    line = text[max(0, opened.start() - 500) : opened.start()].rpartition("\n")[2]
    return re.search(r'["`]|(?:Input|Answer|输入|答案)\W{0,4}[:：]\W*\w', line, re.I) is not None


def _wrapper(text: str) -> list[tuple[int, int]]:
    """Return the marks of a fence around the whole reply, or around the labels at its end."""
    marks = list(_FENCE.finditer(text))
    if not marks:
        return []
    first, last, closed = marks[0], marks[-1], dict(fences(text))
    ends = not visible(text[last.end() :])
    if not visible(text[: first.start()]) and _LABELLED.match(text, first.end()):
        if (end := closed.get(first.start())) and _ANY_LABEL.search(text, end):
            return []  # an example, and the reply comes after it
        end = closed.get(first.start(), last.end() if ends and first is not last else None)
        return [first.span()] + ([(end - 3, end)] if end else [])
    for mark in marks[-2:-1]:
        if ends and closed.get(mark.start()) == last.end() and _LABELLED.match(text, mark.end()):
            before = text[: mark.start()]
            if not (_INPUT_BEFORE.search(before[-40:]) or _ANSWER.search(before)):
                return [mark.span(), last.span()]
    return []
