"""Calculator: a tool that evaluates arithmetic, exactly and without `eval`."""

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Number = Fraction | float

LONGEST = 500  # characters of an expression
LARGEST = 10**1000  # a result has at most 1000 digits; a model cannot use more


def calculator(expression: str) -> str:
    """Work out an arithmetic expression and return the number as text.

    It understands + - * / // % ** and brackets, the names in FUNCTIONS and CONSTANTS, and what
    models like to write: ^ for powers (2^3^2 is 2^9), × ÷ − x, 1,234, $5, `2+3`, a last "=".
    10% is 10/100 (15% of 80 is 12); between two numbers % is the remainder; 100 + 10% is
    refused, because it could be 110 or 100.1, and so is 0x10 (16, or 0 times 10). round() rounds
    halves away from zero; log() is the natural logarithm, log(8, 2) the one to base 2; angles are
    in radians.

    Fractions are exact (0.1+0.2 is 0.3); a root or a logarithm is a float, shown with 12 digits.
    Raises ValueError for everything else: what could mean two things, unknown words and signs,
    division by zero, results above 1000 digits. Nothing is evaluated but numbers, and the size
    of a power is known before it is computed.
    """
    text = _plain(expression)
    try:
        return _shown(_value(ast.parse(text, mode="eval").body, text))
    except SyntaxError:
        raise ValueError(
            "The expression cannot be read: look for a missing operator or bracket. "
            "Write * for times: 2*(3+4)."
        ) from None
    except ZeroDivisionError:
        raise ValueError("Division by zero has no result.") from None
    except OverflowError:
        raise ValueError("The result is too large to be computed here.") from None
    except (RecursionError, MemoryError):
        raise ValueError("The expression is nested too deeply; work it out in parts.") from None


def _bounded(number: Any) -> Number:
    """Return a Fraction or a float of bounded size. Every computed value passes through here."""
    if isinstance(number, complex):
        raise ValueError("A root of a negative number has no real result.")
    if isinstance(number, float):
        if not math.isfinite(number):
            raise OverflowError
        return number
    number = Fraction(number)
    if abs(number) >= LARGEST:
        raise OverflowError
    return number if number.denominator < LARGEST else float(number)


def _power(base: Number, exponent: Number) -> Any:
    """Raise a number to a power: exact where the exact result is small enough, else a float."""
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        widest: int = max(abs(base.numerator), base.denominator)
        if widest == 1 or abs(float(exponent)) * math.log10(widest) <= 1001:
            return base**exponent
    return float(base) ** float(exponent)  # raises OverflowError where the result is huge


def _round(number: Number, places: Number = 0) -> Number:
    if places != int(places) or abs(float(places)) > 15:
        raise ValueError
    scale: Any = Fraction(10) ** int(places)
    rounded: Fraction = math.floor(abs(Fraction(number)) * scale + Fraction(1, 2)) / scale
    return rounded if number >= 0 else -rounded


def _factorial(number: Number) -> int:
    if number > 450:
        raise OverflowError
    if number != int(number):
        raise ValueError
    return math.factorial(int(number))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "abs": abs,
    "round": _round,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": lambda *numbers: min(numbers),
    "max": lambda *numbers: max(numbers),
    "pow": _power,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sin": lambda angle: round(math.sin(angle), 15),  # sin(pi) is 0, not 1.2e-16
    "cos": lambda angle: round(math.cos(angle), 15),
    "tan": lambda angle: round(math.tan(angle), 15),
    "factorial": _factorial,
}
CONSTANTS = {"pi": math.pi, "e": math.e}
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
KNOWN = f"numbers, + - * / // % ** ( ), {', '.join([*FUNCTIONS, *CONSTANTS])}"


def _value(node: ast.AST, text: str) -> Number:
    """Return the number of one node of the syntax tree of `text`; refuse all other nodes."""
    match node:
        case ast.Constant(value=int() | float() as number):
            if number == 0 or number == math.inf:  # as a Fraction, 1e-999999999 would never end
                return _bounded(number)
            # from the digits as written, so that 0.1 is one tenth
            return _bounded(Fraction(text[node.col_offset : node.end_col_offset]))
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            return _bounded(OPERATORS[type(op)](_value(left, text), _value(right, text)))
        case ast.UnaryOp(op, operand) if type(op) in OPERATORS:
            return _bounded(OPERATORS[type(op)](_value(operand, text)))
        case ast.Name(id=name) if name.lower() in CONSTANTS:
            return CONSTANTS[name.lower()]
        case ast.Name(id=name):
            raise ValueError(f"{name} needs its numbers in brackets: {name}(...).")
        case ast.Call(ast.Name(id=name), arguments, []) if name.lower() in FUNCTIONS:
            numbers = [_value(argument, text) for argument in arguments]
            try:
                return _bounded(FUNCTIONS[name.lower()](*numbers))
            except (TypeError, ValueError):
                inside = ", ".join(map(_shown, numbers))
                raise ValueError(f"{name}({inside}) is not defined.") from None
        case ast.Call(func=ast.Constant() | ast.BinOp() | ast.Name()):
            raise ValueError("Write * between a number and a bracket: 2*(3+4).")
        case ast.Tuple():
            raise ValueError("A comma cannot be read here: write 3.5 for a decimal, 1234 or 1,234.")
    raise ValueError(f"{type(node).__name__} is not allowed. Allowed: {KNOWN}.")


def _shown(number: Number) -> str:
    """Write the number as text: whole numbers in full, others with 12 digits (15 from 10**10)."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    number = float(number)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}" if abs(number) >= 1e10 else f"{number:.12g}"


SIGNS = str.maketrans("×·∕÷−–（）＋－＊／％", "**//--()+-*/%") | {ord("π"): "pi"}
SIGNS |= str.maketrans("０１２３４５６７８９．，＝＾", "0123456789.,=^")
GROUPED = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
BASED = re.compile(r"(?<![\w.])0[xXoObB][\da-fA-F]\w*")  # 0x1F; but 10x2 and 0 x 10 are products
PERCENT = re.compile(r"(?<![\w.])(\d+\.?\d*|\.\d+)\s*%(?:\s*(of)\b|(?=\s*(?:[*/^),]|$)))")


def _plain(expression: str) -> str:
    """Write the expression as Python does. Raises ValueError unless it has exactly one reading."""
    text = expression.strip().strip("`").strip().translate(SIGNS)
    text = text.removesuffix("=").rstrip()
    if not text:
        raise ValueError("The expression is empty. Write one, such as (3+5)*2.")
    if len(text) > LONGEST:
        raise ValueError(f"More than {LONGEST} characters are too long; work it out in parts.")
    if "\n" in text:
        raise ValueError("Write one expression on one line, and call again for the next one.")
    if len(set(re.findall("[$€£¥]", text))) > 1:
        raise ValueError("Two currencies cannot be mixed. Write numbers without currency signs.")
    text = re.sub(r"[$€£¥](?=\s*\d)|\bmath\.", "", text)
    if based := BASED.search(text):
        raise ValueError(f"{based[0]!r} looks like a number in another base. Write it in decimal.")
    text = re.sub(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])", "*", text)
    if re.search(r"\d,\d{3}(?!\d)", text) and any(name in text.lower() for name in FUNCTIONS):
        raise ValueError("1,234 in a function can be one number or two: write 1234, or 1, 234.")
    text = GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    text = PERCENT.sub(_percent, text).replace("^", "**")
    if re.search(r"%\s*[-+]", text):
        raise ValueError("% before + or - has two readings: write 10/100 for per cent.")
    for word in re.findall(r"\d[\d_.]*(?:[eE][-+]?\d+)?|([A-Za-z_]\w*)", text):
        if word and word.lower() not in FUNCTIONS | CONSTANTS:
            raise ValueError(f"The word {word!r} is not known. Allowed: {KNOWN}.")
    if strange := re.search(r"[^\w\s+\-*/%().,]", text, re.ASCII):
        raise ValueError(f"The sign {strange[0]!r} is not known. Allowed: {KNOWN}.")
    return text


def _percent(match: re.Match[str]) -> str:
    """Write 10% as (10/100) and "10% of" as (10/100)*; refuse an ambiguous percentage."""
    number, of = match.groups()
    before = match.string[: match.start()].rstrip()
    if of and before.endswith(("/", "%", "^", "**")):
        raise ValueError("Put brackets around 'per cent of': 200 / (10% of 50).")
    if not of and re.search(r"[\w)]\s*[-+]$", before):
        following = match.string[match.end() :].lstrip()
        if not following.startswith(("*", "/")):
            raise ValueError(
                "Adding or subtracting a percentage has two readings: write 100 * 1.10 to add 10% "
                "of 100, or 100 + 0.10."
            )
    return f"({number}/100)" + ("*" if of else "")
