"""Grammar: a registry's schemas as GBNF, the form in which llama.cpp takes a grammar.

With it the model can write nothing but a well-formed step: a Thought, then an Action of a
tool that exists with input that fits its schema, or a Final Answer. It makes the form right,
not the choice. Pass it on as `EmbeddedModel(grammar=grammar(tools.schemas()))`.

GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md

>>> print(grammar([]).splitlines()[0])
root ::= "Thought: " line "\\n" ( "Final Answer: " line )
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from react_lab.parser.labels import LABELS

# A line begins with a visible character, not a bold mark, and has no control characters.
BLANK = r" \t\u00a0\u1680\u2000-\u200f\u202f\u205f\u3000\ufeff"
CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
COMMON = {
    "line": f"[^*_{BLANK}{CONTROL}] [^{CONTROL}]*",
    "string": rf'"\"" ( [^"\\{CONTROL}] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{{4}} ) )* "\""',
    "integer": '"-"? ( "0" | [1-9] [0-9]{0,14} )',
    "number": 'integer ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,2} )?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "string | number | boolean | null | array | object",
    "array": '"[" ( value ( ", " value )* )? "]"',
    "object": '"{" ( string ": " value ( ", " string ": " value )* )? "}"',
}


def grammar(schemas: list[dict[str, Any]], language: str = "en") -> str:
    """Write the grammar of one reply in the text format, as GBNF.

    A schema's type, properties, required, items, enum, const, anyOf and $ref are used; for
    anything else any JSON value is allowed. Bounds and patterns are left to the check before the
    call.

    Args:
        schemas: the tools with their own names: `registry.text_schemas()`. If all names are
            ASCII, `registry.schemas()` is the same.
        language: of the labels, "en" or "zh".
    """
    label, colon = LABELS[language], "：" if language == "zh" else ": "

    rules: dict[str, str] = {}
    steps = [f"{_literal(label['answer'] + colon)} line"]
    for schema in schemas:
        tool = schema["function"]
        head = _literal(f"{label['action']}{colon}{tool['name']}\n{label['input']}{colon}")
        parameters = {"properties": {}, **tool["parameters"]}
        steps.append(f"{head} {_object(parameters, rules, {})}")
    thought = _literal(label["thought"] + colon)
    root = {"root": f'{thought} line "\\n" ( {" | ".join(steps)} )'}
    return "".join(f"{name} ::= {body}\n" for name, body in (root | rules | COMMON).items())


def _rule(
    schema: dict[str, Any] | bool, rules: dict[str, str], defs: dict[str, dict[str, Any]]
) -> str:
    """Return the expression for a value of this schema; longer parts become rules."""
    if not isinstance(schema, dict):
        return "value"
    defs = defs | schema.get("$defs", {})
    if "$ref" in schema:
        return _reference(schema["$ref"].rsplit("/", 1)[-1], rules, defs)
    if "const" in schema or "enum" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return _either(_literal(_json(value)) for value in values)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _either(_rule(option, rules, defs) for option in schema[key])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either(_rule({**schema, "type": one}, rules, defs) for one in kind)
    if kind == "object" and "properties" in schema:
        return _object(schema, rules, defs)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        item = f'string ": " {_rule(schema["additionalProperties"], rules, defs)}'
        return f'"{{" ( {item} ( ", " {item} )* )? "}}"'
    if kind == "array" and "items" in schema:
        item = _rule(schema["items"], rules, defs)
        return f'"[" ( {item} ( ", " {item} )* )? "]"'
    return kind if kind in COMMON else "value"


def _reference(name: str, rules: dict[str, str], defs: dict[str, dict[str, Any]]) -> str:
    """Make a rule of a definition. It is named first, because it may contain itself."""
    if name not in defs:
        return "value"
    definition = defs[name]
    rule = f"def-{hashlib.sha256(_json(definition).encode()).hexdigest()[:8]}"
    if rule not in rules:
        rules[rule] = "value"
        rules[rule] = _rule(definition, rules, defs)
    return rule


def _object(schema: dict[str, Any], rules: dict[str, str], defs: dict[str, dict[str, Any]]) -> str:
    """Return an object with its properties in the schema's order; optional ones may be missing."""
    defs = defs | schema.get("$defs", {})
    rest_if_none = rest_if_some = ""  # what may follow after no property, or after some
    for name, property_schema in reversed(schema["properties"].items()):
        pair = f"{_literal(_json(name) + ': ')} {_rule(property_schema, rules, defs)}"
        if name in schema.get("required", []):
            rest_if_none = f"{pair} {rest_if_some}"
            rest_if_some = f'", " {pair} {rest_if_some}'
        else:
            rest_if_none = f"( {pair} {rest_if_some} | {rest_if_none} )"
            rest_if_some = f'( ", " {pair} )? {rest_if_some}'
    rules[rule := f"object-{len(rules)}"] = f'"{{" {rest_if_none} "}}"'
    return rule


def _either(options: Iterable[str]) -> str:
    return f"( {' | '.join(options)} )"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _literal(text: str) -> str:
    """Return the text as a GBNF string."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c if c >= " " else f"\\x{ord(c):02x}" for c in text) + '"'
