r"""Backslashes: find out whether a model meant an escape such as \n or a plain backslash.

Models write Windows paths, LaTeX and regular expressions into JSON and forget to double the
backslash. `"C:\temp"` is then valid JSON for "C:", a tab and "emp".

>>> literal(r"C:\temp\new\users")
'C:\\\\temp\\\\new\\\\users'
>>> literal(r"\frac{1}{2} + \alpha")
'\\\\frac{1}{2} + \\alpha'
>>> literal(r"one line\nand another")
'one line\\nand another'
"""

import re

ADVICE = (
    "a backslash in the Action Input may be part of a path; write every backslash twice, "
    'for example "C:\\\\temp"'
)
# Escapes of control characters. JSON has no others but \u, \", \\ and \/.
CONTROL = re.compile(r"\\[bfnrt]")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.S)
_SINGLE = re.compile(r"\\\\|\\(?![\"'/])", re.S)
# A string that is only a path, and a path inside a longer text.
_PATH = re.compile(r"[A-PR-Za-pr-z]:(?:\\{1,2}[^\\/:*?\"<>|\n]++)+\\{0,2}")
_RELATIVE = re.compile(r"\.{0,2}[\w.-]*+(?:\\[\w.-]++){2,}")
_INSIDE = re.compile(r"(?<![A-Za-z])[A-Za-z]:(?:\\[^\s\\/:*?\"'<>|,;()]++){2,}")
_SUFFIX = re.compile(r"\.\w{1,5}\Z")
# LaTeX commands that begin like an escape. Those in the second row are also what follows an
# escape in plain text, so they count only beside another command.
_SURE = r"theta|times|tfrac|triangle|tilde|therefore|text\w*\{|nabla|rightarrow|rangle|rfloor|rceil"
_LIKELY = r"tan|tau|to|top|text|nu|ne|neq|neg|not|notin|ni|right|rho|tanh|root"
_COMMAND = re.compile(rf"\\(?:{_SURE})(?![a-z])|\\text\w*\{{")
_PERHAPS = re.compile(rf"\\(?:{_LIKELY})(?![a-z])")
_FEED = re.compile(r"\\[bf]")


class Ambiguous(ValueError):
    """The text may hold an escape or a path; both readings are possible."""


def literal(body: str) -> str:
    """Double the backslashes that the model meant as backslashes.

    Args:
        body: The text between the quotes of a JSON string, with its escapes.

    Returns:
        The body; every escape that is left in it was meant as an escape.

    Raises:
        Ambiguous: If it looks like a path, but every backslash in it is also a valid escape.
    """
    if not CONTROL.search(body):
        return body
    escapes = [one[0] for one in _ESCAPE.finditer(body)]
    unknown = any(one[1] not in "\"'\\/bfnrtu" or one == "\\u" for one in escapes)
    if not any(one[1] in "bfnrt" for one in escapes):
        return body  # such as \\n, which is doubled already
    if _PATH.fullmatch(body) or (unknown and _RELATIVE.fullmatch(body)):
        if "\\\\" in body[2:] or not (unknown or _SUFFIX.search(body)):
            raise Ambiguous
        return _doubled(body)
    body = _INSIDE.sub(lambda path: _inside(path[0]), body)
    command = unknown or _COMMAND.search(body) or re.search(r"\\[bf][a-z]", body)
    patterns = [_FEED, _COMMAND, *([_PERHAPS] if command else [])]
    for pattern in patterns:
        body = _each(pattern, body)
    return body


def _doubled(text: str) -> str:
    """Double every single backslash of a text."""
    return _SINGLE.sub(r"\\\\", text)


def _inside(path: str) -> str:
    """Read a path in a longer text: plain if it ends in a file name or has an unknown escape."""
    unknown = any(one[0][1] not in "\"'\\/bfnrtu" for one in _ESCAPE.finditer(path))
    return _doubled(path) if unknown or _SUFFIX.search(path) else path


def _each(pattern: re.Pattern[str], body: str) -> str:
    """Double the backslash where an escape and the pattern begin together."""
    pieces, place = [], 0
    for escape in _ESCAPE.finditer(body):
        if pattern.match(body, escape.start()):
            pieces += [body[place : escape.start()], "\\\\"]
            place = escape.start() + 1
    return "".join([*pieces, body[place:]])
