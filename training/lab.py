"""Lab: scenarios from the freely written wordings for the lab's own tools.

The files `phrases/lab_*.jsonl` hold the wordings; the figures are drawn here, and everything that
is said follows from them. A scenario takes a World and returns a Script, or None.
"""

import operator
import random
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from react_lab.toolkit import calculator
from training import pools
from training.natural import drawn, filled, read
from training.parts import Kit, keywords, lowered, sentence
from training.scenarios import COUNTS, Script, World, _only, question_mark


@dataclass
class Step:
    """One call of a script: what it is for, what comes back, and what a thought keeps of it."""

    goal: str
    tool: str
    arguments: dict
    seen: str
    value: str


@dataclass
class Found:
    """A part of a question, worked out: its goal, its calls, and the sentence of the answer."""

    need: str
    steps: list[Step]
    says: str
    settled: str = ""  # a comparison, settled in the thought
    told: dict = field(default_factory=dict)


def written(world: World, question: str, parts: list[Found]) -> Script:
    """The script of one or more parts, with thoughts that keep the open ones in view."""
    script = Script(question)
    steps = [(step, part) for part in parts for step in part.steps]
    for place, (step, _) in enumerate(steps):
        still = "; ".join(later.goal for later, _ in steps[place:])
        if place:
            before = steps[place - 1][0]
            thought = f"{before.value}. Still open: {still}." if world.plan else f"Now {step.goal}."
        elif len(parts) > 1:
            thought = f"{COUNTS[len(parts)]} parts: {'; '.join(part.need for part in parts)}. First {step.goal}."
            thought = thought if world.plan else f"I need {', '.join(part.need for part in parts)}."
        elif len(steps) > 1 and world.plan:
            thought = f"First {step.goal}, then {'; '.join(later.goal for later, _ in steps[1:])}."
            if len(thought) > 150:
                thought = f"{sentence(parts[0].need)} First {step.goal}."
        else:
            thought = f"I need {step.goal}."
        script.call(thought, step.tool, step.arguments, step.seen)
    settled = [part.settled or part.steps[-1].value for part in parts]
    answer = " ".join(sentence(part.says) for part in parts)
    if len(parts) == 2 and world.rng.random() < 0.6 and not re.match(r"yes|no", parts[1].says):
        answer = sentence(f"{parts[0].says}, and {lowered(parts[1].says)}")
    return script.answer(world.known(*settled), answer)


def wrapped(world: World, question: str) -> str:
    """The question in one of the frames in which people put it, one time in four."""
    if world.rng.random() < 0.25:
        frame = world.rng.choice(FRAMES)["frame"]
        text = question if frame.startswith("{q}") else lowered(question)
        return frame.replace("{q}", text)
    return question_mark(world.rng, question)


def draws(rng: random.Random, row: dict) -> dict:
    """The drawn slots of a row, as texts."""
    return {slot: drawn(rng, form) for slot, form in row.get("draws", {}).items()}


def result_of(term: str) -> str | None:
    """The result of a term, where it has one that a person would read out."""
    try:
        result = calculator(term)
    except ValueError:
        return None
    return result if len(result) <= 15 else None


def calculated(math: Kit, entry: dict, values: dict) -> Found | None:
    """A part that the calculator works out."""
    term = filled(entry["term"], values)
    result = result_of(term) if "{" not in term else None
    if result is None:
        return None
    need = filled(entry["need"], values) if "need" in entry else term
    step = Step(need, math.tool.name, {_only(math): term}, result, result)
    return Found(need, [step], filled(entry["says"], values | {"r": result}))


def sums(world: World) -> Script | None:
    """A calculation, or two of them."""
    math, row = world.kit("compute"), world.rng.choice(CALCULATOR)
    if not math:
        return None
    values = draws(world.rng, row)
    parts = []
    for entry in row.get("parts", [row]):
        part = calculated(math, entry, values)
        if not part:
            return None
        parts.append(part)
        values[f"r{len(parts)}"] = part.steps[-1].value
    return written(world, wrapped(world, filled(world.rng.choice(row["ask"]), values)), parts)


FIELDS = {  # field: (what a thought calls it, the value that it keeps)
    "temperature": ("the temperature in", "{temp} °C"), "sky": ("the sky in", "{sky}"),
    "rain": ("the rain in", "{rain} mm"), "wind": ("the wind in", "{wind} m/s"),
    "warmer": ("the temperature in", "{temp} °C"), "colder": ("the temperature in", "{temp} °C"),
    "windier": ("the wind in", "{wind} m/s"), "wetter": ("the rain in", "{rain} mm"),
    "difference": ("the temperature in", "{temp} °C"), "mean": ("the temperature in", "{temp} °C"),
    "fahrenheit": ("the temperature in", "{temp} °C"), "umbrella": ("the weather in", "{sky}, {rain} mm of rain"),
    "time": ("the time in", "{time}"), "date": ("the date in", "{date}"), "weekday": ("the weekday in", "{weekday}"),
    "zone": ("the time zone of", "{zone}"), "unix": ("the Unix time in", "{unix}"), "both": ("the date and time in", "{weekday} {date}, {time}"),
    "hours_until": ("the time in", "{time}"), "year_left": ("the date in", "{date}"),
    "plus": ("the time in", "{weekday} {date}, {time}"), "minus": ("the time in", "{weekday} {date}, {time}"),
    "later": ("the time in", "{weekday} {date}, {time}"), "earlier": ("the time in", "{weekday} {date}, {time}"),
}  # fmt: skip
KEYS = {"warmer": ("temp", max), "colder": ("temp", min), "windier": ("wind", max), "wetter": ("rain", max),
        "later": ("utc", max), "earlier": ("utc", min)}  # fmt: skip


def looked_up(world: World, kit: Kit, entry: dict, cities: dict, values: dict) -> Found | None:
    """A part that weather or clock tell, for one city or several.

    cities: slot to name. A comparison is settled in the thought; a term needs the calculator.
    """
    rng, kind = world.rng, entry["field"]
    called, kept = FIELDS.get(kind, ("the weather in", "{temp} °C, {sky}, rain {rain} mm, wind {wind} m/s"))
    if kind == "difference" and kit.kind == "clock":
        called, kept = "the time in", "{time}, UTC{offset}"
    moment = (datetime(2019, 1, 1) + timedelta(minutes=rng.randrange(6_000_000)),) if kit.kind == "clock" else ()
    steps, told = [], {}
    for slot, city in cities.items():
        seen, figures = kit.source(rng, city, *moment)
        if kit.kind == "clock" and not figures["full"] and (kind in ("zone", "unix") or len(cities) > 1):
            return None  # this clock does not say it
        texts = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in figures.items()}
        steps.append(Step(f"{called} {city}", kit.tool.name, {_only(kit): city}, seen, filled(kept, texts)))
        told[slot] = figures
        values |= {f"{slot}{name}": text for name, text in texts.items()} | {slot: city}
        if len(cities) == 1:
            values |= texts
    says, settled = entry.get("says", ""), ""
    if kind == "hours_until" and any(figures["hour"] >= 20 for figures in told.values()):
        return None  # the hour that is asked about has gone by
    if len(cities) > 1 and (kind in KEYS or kind == "difference"):
        name, best = KEYS.get(kind, ("utc" if kit.kind == "clock" else "temp", max))
        figures = [told[slot][name] for slot in told]
        if len(set(figures)) < len(figures):
            return None
        winner = best(told, key=lambda slot: told[slot][name])
        loser = (min if best is max else max)(told, key=lambda slot: told[slot][name])
        for letter, slot in (("w", winner), ("l", loser)):
            values |= {f"{letter}{key}": values[f"{slot}{key}"] for key in told[slot]} | {letter: cities[slot]}
        if kind in KEYS:
            listed = ", ".join(f"{cities[slot]} {values[slot + ('temp' if name == 'temp' else 'time' if name == 'utc' else name)]}" for slot in told)
            settled = f"{listed}: {cities[winner]} is {kind if name != 'utc' else 'ahead' if kind == 'later' else 'behind'}"
    if "when" in entry:
        names = sorted((name for name in values if name.isidentifier()), key=len, reverse=True)
        words = re.compile(rf"\b({'|'.join(names)})\b")
        rule = words.sub(lambda match: values[match[0]], filled(entry["when"], values))
        says = entry["yes"] if holds(rule) else entry["no"]
    if "term" in entry:
        math, term = world.kit("compute"), filled(entry["term"], values)
        result = result_of(term) if "{" not in term else None
        if not math or result is None:
            return None
        steps.append(Step(filled(entry.get("goal", term), values), math.tool.name, {_only(math): term}, result, result))
        values["r"] = result
    if "minute" in values:
        values["minute"] = values["minute"].zfill(2)
    says = filled(says, values)
    if "{" in says or (kind == "umbrella" and "when" not in entry):
        return None
    need = filled(entry["need"], values) if "need" in entry else f"{called} {' and '.join(cities.values())}"
    return Found(need, steps, says, settled, values)


SIGNS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq}


def holds(rule: str) -> bool:
    """Whether a rule such as "4>0" or "sunny==clear" holds."""
    left, sign, right = re.fullmatch(r"\s*(.+?)\s*([<>]=?|==)\s*(.+?)\s*", rule).groups()
    try:
        return SIGNS[sign](float(calculator(left)), float(calculator(right)))
    except ValueError:  # words
        return right in left


def cities_in(rng: random.Random, text: str, slots: str = "cdf") -> dict:
    """A city for each slot of the text, all different."""
    wanted = [slot for slot in slots if "{" + slot + "}" in text]
    names = []
    while len(names) < len(wanted):
        name = pools.place(rng)
        if name not in names:
            names.append(name)
    return dict(zip(wanted, names, strict=True))


def town(world: World) -> Script | None:
    """The weather or the time of one city or more, in many words."""
    kind, table = world.rng.choice((("weather", WEATHER), ("clock", TIME)))
    kit, row = world.kit(kind), world.rng.choice(table)
    if not kit:
        return None
    values, ask = draws(world.rng, row), world.rng.choice(row["ask"])
    cities = cities_in(world.rng, ask)
    part = cities and looked_up(world, kit, row, cities, values)
    return part and written(world, wrapped(world, filled(ask, values | cities)), [part])


def passage_of(world: World, entry: dict, values: dict, query: str) -> Found | None:
    """A part that a passage tells."""
    kit = world.kit("search")
    if not kit:
        return None
    head = ("[handbook.md > {t}] ", "{t}: ", "(handbook) ")[kit.source].format(t=entry.get("title", "Rules"))
    value = f"{filled(entry['value'], values)} {entry.get('unit', '')}".strip()
    step = Step(filled(entry["need"], values), kit.tool.name, {_only(kit): query}, head + filled(entry["text"], values), value)
    return Found(filled(entry["need"], values), [step], filled(entry.get("says", ""), values))


def parts_of(world: World) -> Script | None:
    """A question of two or three parts over several of the lab's tools."""
    rng, row = world.rng, world.rng.choice(TWO)
    ask = rng.choice(row["ask"])
    cities = cities_in(rng, ask)
    values, parts = draws(rng, row) | cities, []
    for entry in row["parts"]:
        part = None
        if entry["tool"] == "calculator":
            math = world.kit("compute")
            part = math and calculated(math, entry, values)
        elif entry["tool"] in ("weather", "time"):
            kit = world.kit("clock" if entry["tool"] == "time" else "weather")
            if kit and all(slot in cities for slot in entry["cities"]):
                part = looked_up(world, kit, entry, {slot: cities[slot] for slot in entry["cities"]}, values)
        elif entry["tool"] == "docs":
            part = passage_of(world, entry, values, rng.choice(entry["query"]))
        elif entry["tool"] == "compare" and len(parts) >= len(entry["names"]):
            figures = [float(found.steps[-1].seen) for found in parts[-len(entry["names"]) :]]
            if len(set(figures)) < len(figures):
                return None
            best = (max if entry["best"] == "high" else min)(figures)
            winner = filled(entry["names"][figures.index(best)], values)
            parts[-1].settled = f"{parts[-1].steps[-1].value}: {winner}"
            parts[-1].says += f", so {lowered(filled(entry['says'], values | {'w': winner}))}"
            continue
        if not part:
            return None
        parts.append(part)
        values[f"r{len(parts)}"] = part.steps[-1].value
    if any("{" in part.says for part in parts):
        return None
    told = [part for part in parts if part.says] or parts[-1:]
    script = written(world, wrapped(world, filled(ask, values)), parts)
    if len(told) < len(parts):  # a step on the way has no sentence of its own
        (thought, tool, _), flag = script.replies[-1]
        script.replies[-1] = ((thought, tool, " ".join(sentence(part.says) for part in told)), flag)
    return script


def small_talk(world: World) -> Script:
    """No tool is needed."""
    row = world.rng.choice(CHAT)
    values = draws(world.rng, row)
    thought = row["thought"] if world.plan else "No tool is needed."
    return Script(question_mark(world.rng, filled(world.rng.choice(row["ask"]), values))).answer(
        filled(thought, values), filled(row["answer"], values)
    )


def wish(world: World) -> Script | None:
    """A wish for which no tool is listed."""
    row = world.rng.choice(UNABLE)
    words = set(keywords(row["what"]).split())
    if any(words & set(re.findall(r"[a-z]+", f"{kit.tool.name} {kit.tool.description}".lower())) for kit in world.kits):
        return None
    return Script(wrapped(world, world.rng.choice(row["ask"]))).answer(f"No tool gives {row['what']}.", row["answer"])


CALCULATOR, WEATHER, TIME, TWO, CHAT, UNABLE, FRAMES = (
    read(f"lab_{name}.jsonl") for name in ("calculator", "weather", "time", "two", "chat", "unable", "ask_frames")
)
LAB = {sums: 30, town: 34, parts_of: 24, small_talk: 8, wish: 6}
