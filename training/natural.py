"""Natural material: tools and passages as people wrote them, with slots for drawn data.

`phrases/tools.jsonl` holds one invented tool a line, `phrases/passages.jsonl` one passage of a
handbook: real questions in many words, the figures as slots. README.md lists the fields.
"""

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

from react_lab.toolkit import calculator
from training import pools
from training.parts import HOLDERS, OPENERS, Kit, Part, keywords, lowered, make_tool

HERE = Path(__file__).parent / "phrases"


def read(name: str) -> list[dict]:
    """The objects of a JSON Lines file of phrases."""
    lines = (HERE / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


@dataclass(frozen=True)
class Chain:
    """A question that needs one call and then a second step."""

    question: str
    part: Part  # the call
    says: str  # the answer; {r} stands for the result of the second step
    term: str = ""  # the calculation
    thought: str = ""  # what the calculation is
    then: str = ""  # or the kind of tool that is asked about the value: weather, clock


def drawn(rng: random.Random, form: str) -> str:
    """A value of a form such as "2..9", "1.20..6.50", "red,blue", TIME or PERSON."""
    span = re.fullmatch(r"(-?\d+(?:\.(\d+))?)\.\.(-?\d+(?:\.\d+)?)", form)
    if span:
        digits = len(span[2] or "")
        low, high = float(span[1]), float(span[3])
        share = rng.random() if rng.random() < 0.7 else rng.random() ** 3
        return f"{low + (high - low) * share:.{0 if rng.random() < 0.12 else digits}f}"
    if form == "TIME":
        return f"{rng.randrange(5, 24):{rng.choice(('', '02'))}}:{rng.choice((0, 15, 30, 45, rng.randrange(60))):02}"
    if form == "DATE":
        return f"{rng.randint(2019, 2031)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    if form in HOLDERS:
        return HOLDERS[form](rng)
    return rng.choice(form.split(",")).strip()


def filled(text: str, values: dict) -> str:
    """A text with its slots {name} filled."""
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def worked_out(term: str) -> str | None:
    """The result of a term, if it is a short number above zero."""
    try:
        result = calculator(term)
    except ValueError:
        return None
    return result if len(result) < 9 and not result.startswith("-") and result != "0" else None


class NaturalTool:
    """One tool of the file, for one system prompt: it draws Parts, chains and comparisons."""

    def __init__(self, rng: random.Random, row: dict):
        self.row, self.result = row, rng.choice(row["results"])
        self.second = row.get("second")
        self.key = row["key"] if rng.random() < 0.7 else rng.choice(("name", "query", "item", "id", "q"))
        if self.second and self.key == self.second["name"]:
            self.key = row["key"]
        self.name = row["name"] if rng.random() < 0.85 else f"{rng.choice(('tool', 'svc', 'fn', 'op'))}_{rng.randint(1, 60)}"
        example = self.arguments(*self.thing(rng))
        abouts = {self.key: row.get("key_about", "")} | ({self.second["name"]: self.second.get("about", "")} if self.second else {})
        tool = make_tool(rng, self.name, row["about"], list(example), example, abouts)
        self.kit = Kit(tool, self.draw, "natural", source=self)

    def thing(self, rng) -> tuple[str, str]:
        """What is asked about: a name, and the value of the second parameter."""
        name = rng.choice(self.row["names"]) if rng.random() < 0.75 else pools.place(rng)
        return name, rng.choice(self.second["values"]) if self.second else ""

    def arguments(self, name: str, extra: str) -> dict:
        return {self.key: name} | ({self.second["name"]: extra} if self.second else {})

    def values(self, rng, name: str, extra: str) -> dict:
        fields = {field: drawn(rng, entry["draw"]) for field, entry in self.row["fields"].items()}
        return {"e": name, "s": extra} | fields

    def part(self, rng, field: str, values: dict) -> Part:
        entry = self.row["fields"][field]
        value, unit = values[field], entry.get("unit", "")
        number = value if re.fullmatch(r"-?\d+(\.\d+)?", value) else ""
        told = values | {"v": value}
        return Part(
            filled(rng.choice(entry["ask"]), told), filled(entry["noun"], told), self.name,
            self.arguments(values["e"], values["s"]), filled(self.result, values), f"{value} {unit}".strip(),
            filled(entry["says"], told), values["e"], number, unit, field=field,
        )  # fmt: skip

    def asked(self) -> list[str]:
        return [field for field, entry in self.row["fields"].items() if entry.get("ask")]

    def draw(self, rng, entity=None) -> Part:
        name, extra = self.thing(rng)
        return self.part(rng, rng.choice(self.asked()), self.values(rng, entity or name, extra))

    def like(self, rng, first: Part) -> Part:
        """A Part that asks the same about another thing."""
        extra = first.arguments[self.second["name"]] if self.second else ""
        return self.part(rng, first.field, self.values(rng, self.thing(rng)[0], extra))

    def both(self, rng) -> Part | None:
        """One call that answers two questions."""
        fields = self.asked()
        if len(fields) < 2:
            return None
        first, second = rng.sample(fields, 2)
        values = self.values(rng, *self.thing(rng))
        a, b = self.part(rng, first, values), self.part(rng, second, values)
        a.question = rng.choice((f"{a.question}, and {lowered(b.question)}", f"Tell me {a.noun} and {b.noun}", f"What are {a.noun} and {b.noun}"))
        a.noun, a.says, a.number = f"{a.noun} and {b.noun}", f"{a.says}, and {lowered(b.says)}", ""
        return a

    def chain(self, rng) -> Chain | None:
        """A question that needs a calculation with what the tool says, or another tool."""
        thens = self.row.get("then", [])
        if thens and rng.random() < 0.4:
            entry = rng.choice(thens)
            values = self.values(rng, *self.thing(rng))
            part = self.part_of(rng, entry["field"], values)
            return Chain(filled(rng.choice(entry["ask"]), values), part, "", then=entry["tool"])
        if not self.row.get("sums"):
            return None
        entry = rng.choice(self.row["sums"])
        for _ in range(10):
            values = self.values(rng, *self.thing(rng))
            if "k" in entry:
                values["k"] = drawn(rng, entry["k"])
            term = filled(entry["term"], values)
            if worked_out(term):
                field = next((f for f in self.row["fields"] if "{" + f + "}" in entry["term"]), None)
                return field and Chain(filled(rng.choice(entry["ask"]), values), self.part_of(rng, field, values),
                                       filled(entry["says"], values), term, filled(entry["thought"], values))  # fmt: skip
        return None

    def part_of(self, rng, field: str, values: dict) -> Part:
        """The Part of a field that may lack words of its own."""
        entry = self.row["fields"][field]
        if entry.get("ask"):
            return self.part(rng, field, values)
        return Part("", f"the data of {values['e']}", self.name, self.arguments(values["e"], values["s"]), filled(self.result, values),
                    values[field], "", values["e"])  # fmt: skip

    def compared(self, rng) -> tuple[str, Part, Part, Part, str] | None:
        """A comparison: the question, both Parts, the one it wants, and the answer."""
        if not self.row.get("compare"):
            return None
        entry = rng.choice(self.row["compare"])
        if not self.row["fields"].get(entry["field"], {}).get("ask"):
            return None
        for _ in range(10):
            (one, extra), (two, _) = self.thing(rng), self.thing(rng)
            a, b = (self.part(rng, entry["field"], self.values(rng, name, extra)) for name in (one, two))
            if one != two and a.number and b.number and float(a.number) != float(b.number):
                best = (max if entry["best"] == "high" else min)((a, b), key=lambda part: float(part.number))
                names = {"a": one, "b": two, "w": best.entity, "s": extra}
                return filled(rng.choice(entry["ask"]), names), a, b, best, filled(entry["says"], names)
        return None


class Passage:
    """One passage with its figures drawn."""

    def __init__(self, rng: random.Random, row: dict):
        self.row, self.values = row, {slot: drawn(rng, form) for slot, form in row["draws"].items()}
        self.file, self.title, self.text = row["file"], row["title"], filled(row["text"], self.values)

    def part(self, rng, name: str, parameter: str, entry: dict, question: str, seen: str) -> Part:
        query = rng.choice(entry["query"]) if rng.random() < 0.15 else keywords(question) or entry["query"][0]
        value = filled(entry.get("value", ""), self.values)
        unit = entry.get("unit", "")
        return Part(question, f"the passage on {query}", name, {parameter: query}, seen, f"{value} {unit}".strip(),
                    filled(entry.get("says", ""), self.values), "", "", unit, thought=f"I search for {query}.")  # fmt: skip

    def fact(self, rng) -> tuple[dict, str]:
        entry = rng.choice(self.row["facts"])
        return entry, filled(rng.choice(entry["ask"]), self.values)

    def chain(self, rng) -> tuple[dict, dict] | None:
        """An entry that needs a second step, and the values of its slots."""
        thens = self.row.get("then", [])
        if thens and rng.random() < 0.5:
            return rng.choice(thens), self.values
        if not self.row.get("sums"):
            return None
        entry = rng.choice(self.row["sums"])
        for _ in range(10):
            values = self.values | ({"k": drawn(rng, entry["k"])} if "k" in entry else {})
            if worked_out(filled(entry["term"], values)):
                return entry, values
        return None


def tool(rng: random.Random, like: Kit | None = None) -> Kit:
    """A tool of the files; one that is easily taken for `like`, if that one has such relatives."""
    row = like.source.row if like and like.kind == "natural" else {}
    family = [other for other in FAMILIES.get(row.get("family"), ()) if other is not row]
    return NaturalTool(rng, rng.choice(family or TOOLS)).kit


def passage(rng: random.Random) -> Passage:
    return Passage(rng, rng.choice(PASSAGES))


def as_found(rng: random.Random, style: int, *passages: Passage) -> str:
    """Passages as a search shows them."""
    heads = ("[{f} > {t}] ", "{t}: ", "({f}) ")[style]
    return "\n".join(heads.format(f=p.file, t=p.title) + p.text for p in passages)


def passage_chain(rng: random.Random, kit: Kit) -> Chain | None:
    """A question that needs a passage first and then a second step."""
    page, name, key = passage(rng), kit.tool.name, next(iter(kit.tool.parameters["properties"]))
    chosen = page.chain(rng)
    if not chosen:
        return None
    entry, values = chosen
    question = filled(rng.choice(entry["ask"]), values)
    pages = [page] if rng.random() < 0.6 else [page, passage(rng)]
    part = page.part(rng, name, key, entry, question, as_found(rng, kit.source, *pages))
    if "term" in entry:
        return Chain(question, part, filled(entry["says"], values), filled(entry["term"], values), filled(entry["thought"], values))
    return Chain(question, part, "", then=entry["tool"])


def read_all(kind: str) -> list[dict]:
    """The objects of all files of one kind, such as `tools.jsonl` and `tools_travel.jsonl`."""
    names = sorted(file.name for file in HERE.glob(f"{kind}*.jsonl"))
    return [row for name in names for row in read(name)]


TOOLS, PASSAGES = read_all("tools"), read_all("passages")
FAMILIES = {}
for row in TOOLS:
    if "family" in row:
        FAMILIES.setdefault(row["family"], []).append(row)
OPENERS.update(
    ask.split()[0].strip(",.?:")
    for row in TOOLS + PASSAGES
    for entry in [*row.get("fields", {}).values(), *row.get("facts", []), *row.get("sums", [])]
    for ask in entry.get("ask", [])
    if ask[0].isupper() and not ask.startswith(("I ", "I'", *row.get("names", ["{"])))
)
