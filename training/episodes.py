"""Episodes: what the embedded model learns from. Invented tools, real loop, drawn facts.

Every episode is a script of replies that is played through the lab's own loop, with tools that
answer from drawn data or compute for real. So each message is exactly one that the model will
meet later. `groups(seed)` yields them for ever, six behind each system prompt.

    python -m training.episodes --show 3     # look at some
"""

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from react_lab.loop import Agent, StepLimit
from react_lab.models import ScriptedModel
from react_lab.prompt import RULES, native_prompt, system_prompt
from react_lab.registry import Registry, Tool
from react_lab.toolkit import STOP_WORDS, calculator
from training import pools

EPISODES = 6  # behind one system prompt
OPENERS = set(
    "What How Which Who Whose Where When From In On To With By Until After For The A An Is Are Does Do Did At Under "
    "Compute Calculate Please Take Turn Find Raise Multiply Add Sum Double Half Average Each Three There We One It "
    "Members Late New You Guests Lost Between Up Pensioners Keys Bookings Complaints Membership Quiet Caravans To".split()
)
HOLDERS = {
    "PERSON": pools.person,
    "PLACE": pools.place,
    "PRODUCT": pools.product,
    "CODE": pools.code,
    "WORD": lambda rng: pools.place(rng).lower(),
    "TEAM": lambda rng: f"{pools.place(rng)} {rng.choice(('United', 'Rovers', 'Eagles', 'City'))}",
    "LANGUAGE": lambda rng: rng.choice(pools.LANGUAGES),
    "DAY": lambda rng: rng.choice(pools.DAYS),
    "MONTH": lambda rng: rng.choice(pools.MONTHS),
    "SUBJECT": lambda rng: rng.choice(pools.SUBJECTS),
    "JOB": lambda rng: rng.choice(pools.JOBS),
    "YEAR": lambda rng: str(rng.randint(1950, 2020)),
    "SMALL": lambda rng: str(rng.randint(2, 9)),
}
# unit: (finer unit, how many of it)
FINER = {
    "m": ("centimetres", 100), "km": ("metres", 1000), "minutes": ("seconds", 60),
    "hours": ("minutes", 60), "days": ("hours", 24), "weeks": ("days", 7),
    "years": ("months", 12), "kg": ("grams", 1000), "litres": ("millilitres", 1000),
    "GB": ("megabytes", 1000), "euros": ("cents", 100), "dollars": ("cents", 100),
    "months": ("weeks of 4 to a month", 4),
}  # fmt: skip


@dataclass
class Part:
    """One thing to find out with one call, and all the words that are needed to talk about it."""

    question: str  # "How high is Mount Kel"
    noun: str  # "the height of Mount Kel"
    tool: str
    arguments: dict
    seen: str  # what the tool answers
    value: str  # "812 m", as the answer says it
    says: str  # "the height of Mount Kel is 812 m"
    entity: str = ""
    number: str = ""  # "812" when it can be computed with
    unit: str = ""
    more: str = ""  # the comparative: "higher"
    thought: str = ""


@dataclass
class Kit:
    """A tool of an episode, and the function that draws Parts about it."""

    tool: Tool
    draw: object  # (rng, entity or None) -> Part
    kind: str
    holds: str = ""  # what kind of name its value is: PERSON, PLACE or nothing
    takes: str = ""  # what kind of thing it is asked about


@dataclass
class Script:
    """The replies of one episode, and what the tools will answer."""

    question: str
    replies: list = field(default_factory=list)  # (text or (thought, tool, arguments), trained)
    results: dict = field(default_factory=dict)
    steps: int = 8

    def call(self, thought: str, tool: str, arguments: dict, *results, train: bool = True):
        self.replies.append(((thought, tool, arguments), train))
        if results:
            self.results.setdefault((tool, _key(arguments)), []).extend(results)
        return self

    def part(self, thought: str, part: Part):
        return self.call(thought, part.tool, part.arguments, part.seen)

    def raw(self, text: str):
        self.replies.append((text, False))
        return self

    def answer(self, thought: str, text: str):
        self.replies.append(((thought, None, sentence(text)), True))
        return self


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Upper case at the start, a full stop at the end."""
    text = text.strip()
    text = text[0].upper() + text[1:] if text else text
    return text if text.endswith((".", "!", "?")) else text + "."


def lowered(text: str) -> str:
    """Lower case at the start, unless a name stands there."""
    return text[0].lower() + text[1:] if text.split()[0].strip(",.?:") in OPENERS else text


def keywords(question: str) -> str:
    """The words of a question that a full-text search can use."""
    words = "".join(c for c in question.lower() if c.isalnum() or c in " -").split()
    return " ".join([w for w in words if w not in STOP_WORDS and len(w) > 1][:5])


def _key(arguments: dict) -> str:
    return json.dumps(arguments, sort_keys=True)


# ------------------------------------------------------------------------------------- kits


def odd_name(rng: random.Random, names: list[str]) -> str:
    """Mostly a telling tool name; sometimes one where only the description helps."""
    if rng.random() < 0.12:
        return rng.choice(("tool_{}", "q{}", "fn{}", "svc_{}", "op_{}", "t{}", "f{}x", "api{}")).format(
            rng.choice(("a", "b", "z", "x")) if rng.random() < 0.3 else rng.randint(1, 99)
        )
    return rng.choice(names)


def make_tool(rng, name: str, description: str, parameters: list[str], example: dict) -> Tool:
    schema = {
        "type": "object",
        "properties": {p: {"type": "string"} for p in parameters},
        "required": parameters,
    }
    return Tool(name, description, schema, None, example if rng.random() < 0.85 else None)


def one_of(rng: random.Random, low: str, high: str, decimals: str) -> str:
    low, high, decimals = float(low), float(high), int(decimals)
    number = rng.uniform(low, high) if rng.random() < 0.6 else low + (high - low) * rng.random() ** 3
    return f"{number:.{decimals}f}"


def report(rng: random.Random, style: int, entity: str, attribute: str, value: str) -> str:
    """How a lookup tool words its result; the style belongs to the tool."""
    return (
        f"{entity}: {value}",
        f"{entity}: {attribute} {value}",
        f"{value}",
        f"The {attribute} of {entity} is {value}.",
        json.dumps({attribute.replace(" ", "_"): value}, ensure_ascii=False),
        f"{attribute}: {value}",
        f"{entity}, {attribute}: {value} (source: register {1 + style})",
        f"Result for {entity}: {value}.",
    )[style]


def worded_as(rng: random.Random, kind: str, attribute: str, question: str) -> str:
    """The question for an attribute, as one of several people would put it."""
    others = PHRASES.get((kind, attribute))
    return rng.choice(others) if others and rng.random() < 0.75 else question


def words_for(rng, attribute: str, kind: str) -> tuple[list[str], str]:
    """Names and a description for a tool that tells one attribute of one kind of thing."""
    a, k = attribute.replace(" ", "_"), kind.replace(" ", "_")
    names = [f"get_{a}", f"{k}_{a}", f"{a}_lookup", f"find_{a}", f"{a}_of_{k}", f"lookup_{k}", a]
    names += [f"{k}_info", f"{k}Search", f"check_{a}", f"read_{a}", f"{k}_service", f"{k}_data"]
    article = "an" if kind[0] in "aeiou" else "a"
    description = rng.choice(
        (
            f"The {attribute} of {article} {kind}.",
            f"Returns the {attribute} of {article} {kind}.",
            f"Look up the {attribute} of {article} {kind} by name.",
            f"{attribute.capitalize()} of {article} {kind}. Use it when someone asks for the {attribute}.",
            f"Tells the {attribute} of one {kind}.",
            f"Gives the {attribute} for {article} {kind}. Use it for one {kind} at a time.",
            f"Use it to find the {attribute} of {article} {kind}.",
            f"{kind.capitalize()} register: {attribute}.",
        )
    )
    return names, description


def lookup(rng: random.Random) -> Kit:
    """A tool that tells one attribute of one kind of thing."""
    if rng.random() < 0.62:
        kind, attribute, question, more, unit, low, high, decimals = rng.choice(NUMBERS)
        values = None
    else:
        kind, attribute, question, values = rng.choice(WORDS)
        more = unit = ""
    names, description = words_for(rng, attribute, kind)
    name, style = odd_name(rng, names), rng.randrange(8)
    parameter = rng.choice(("name", kind.replace(" ", "_"), f"{kind}_name".replace(" ", "_"), "query",
                            "item", "id", "key", "text", "subject", "input", "q"))  # fmt: skip
    glue = "" if unit in ("percent",) and rng.random() < 0.5 else " "

    def draw(rng, entity=None) -> Part:
        entity = entity or pools.thing(kind, rng)
        asked = pools.asked_as(entity, kind)
        if values is None:
            number = one_of(rng, low, high, decimals)
            value = f"{number}{glue}{'%' if unit == 'percent' and not glue else unit}".strip()
        else:
            number = ""
            value = HOLDERS[values](rng) if values in HOLDERS else rng.choice(values.split(","))
        noun = f"the {attribute} of {entity}"
        return Part(
            worded_as(rng, kind, attribute, question).replace("{e}", entity), noun, name, {parameter: asked},
            report(rng, style, asked, attribute, value), value, f"{noun} is {value}",
            entity, number, unit, more,
        )  # fmt: skip

    example = {parameter: pools.asked_as(pools.thing(kind, rng), kind)}
    tool = make_tool(rng, name, description, [parameter], example)
    return Kit(tool, draw, "lookup", values if values in ("PERSON", "PLACE") else "", kind)


def record(rng: random.Random) -> Kit:
    """A tool that tells several attributes at once, of which one or two are asked for."""
    kind = rng.choice(sorted({row[0] for row in NUMBERS if sum(r[0] == row[0] for r in ATTRIBUTES) > 1}))
    fields = [row for row in ATTRIBUTES if row[0] == kind]
    fields = rng.sample(fields, min(len(fields), rng.randint(2, 4)))
    listed = ", ".join(row[1] for row in fields)
    names = [f"get_{kind}", f"{kind}_record", f"{kind}_data", f"{kind}_card", f"show_{kind}", f"{kind}_details"]
    name = odd_name(rng, [n.replace(" ", "_") for n in names])
    parameter = rng.choice(("name", kind.replace(" ", "_"), "id", "query"))
    joint = rng.choice((", ", "; ", " | ", "\n"))

    def draw(rng, entity=None) -> Part:
        entity = entity or pools.thing(kind, rng)
        asked = pools.asked_as(entity, kind)
        drawn = {}
        for row in fields:
            if len(row) == 8:
                number = one_of(rng, *row[5:8])
                drawn[row[1]] = (f"{number} {row[4]}".strip(), number, row[4], row[3], row[2])
            else:
                value = HOLDERS[row[3]](rng) if row[3] in HOLDERS else rng.choice(row[3].split(","))
                drawn[row[1]] = (value, "", "", "", row[2])
        seen = f"{asked}: " + joint.join(f"{k} {v[0]}" for k, v in drawn.items())
        attribute = rng.choice(list(drawn))
        value, number, unit, more, question = drawn[attribute]
        noun = f"the {attribute} of {entity}"
        part = Part(worded_as(rng, kind, attribute, question).replace("{e}", entity), noun, name, {parameter: asked}, seen, value,
                    f"{noun} is {value}", entity, number, unit, more)  # fmt: skip
        others = [k for k in drawn if k != attribute]
        if others and rng.random() < 0.35:  # two fields of one record: still one call
            second = rng.choice(others)
            part.question = f"What are the {attribute} and the {second} of {entity}"
            part.noun = f"the {attribute} and the {second} of {entity}"
            part.says = f"the {attribute} of {entity} is {value} and the {second} is {drawn[second][0]}"
            part.number = part.more = ""
        return part

    description = rng.choice((
        f"Data of one {kind}: {listed}.", f"Shows {listed} of one {kind}.",
        f"Looks up one {kind}. Returns {listed}.", f"{kind.capitalize()} card with {listed}.",
    ))  # fmt: skip
    example = {parameter: pools.asked_as(pools.thing(kind, rng), kind)}
    return Kit(make_tool(rng, name, description, [parameter], example), draw, "record", "", kind)


def qualified(rng: random.Random) -> Kit:
    """A tool with two parameters: a thing, and a size, a colour, a year ... of it."""
    kind, attribute, _, more, unit, low, high, decimals = rng.choice(NUMBERS)
    second, values, where = rng.choice(QUALIFIERS)
    first = rng.choice((kind.replace(" ", "_"), "name", "item", "what"))
    names, _ = words_for(rng, attribute, kind)
    name, style = odd_name(rng, names + [f"{names[0]}_by_{second}"]), rng.randrange(3)

    def choose(rng) -> str:
        return HOLDERS[values](rng) if values in HOLDERS else rng.choice(values.split(","))

    def draw(rng, entity=None) -> Part:
        entity, extra = pools.thing(kind, rng), choose(rng)
        asked = pools.asked_as(entity, kind)
        number = one_of(rng, low, high, decimals)
        value = f"{number} {unit}".strip()
        full = f"the {extra} {asked}" if where == "before" else f"{entity} {where} {extra}"
        noun = f"the {attribute} of {full}"
        seen = (value, f"{asked}, {extra}: {value}", f"{attribute} of {asked} ({second} {extra}): {value}")[style]
        return Part(f"What is {noun}", noun, name, {first: asked, second: extra}, seen, value, f"{noun} is {value}",
                    full, number, unit, more)  # fmt: skip

    article = "an" if kind[0] in "aeiou" else "a"
    does = rng.choice((f"{attribute.capitalize()} of {article} {kind} by {second}.", f"The {attribute} of {article} {kind} in one {second}.",
                       f"Tells the {attribute}. Needs the {kind} and the {second}."))  # fmt: skip
    example = {first: pools.asked_as(pools.thing(kind, rng), kind), second: choose(rng)}
    return Kit(make_tool(rng, name, does, [first, second], example), draw, "qualified")


def pair(rng: random.Random) -> Kit:
    """A tool with two parameters, from the table of pairs."""
    name, does, first, second, question, says, values, *others = rng.choice(PAIRS)
    questions = [question, *others]
    (one, kind_one), (two, kind_two) = (x.split(":") for x in (first, second))
    if rng.random() < 0.25:
        one, two = rng.choice((("a", "b"), ("first", "second"), ("x", "y"), ("subject", "detail")))
    name = odd_name(rng, [name, f"get_{name}", f"{name}_lookup", name.title().replace("_", "")])
    style = rng.randrange(4)

    def draw(rng, entity=None) -> Part:
        a, b = HOLDERS[kind_one](rng), HOLDERS[kind_two](rng)
        if "-" in values and values.split()[0].replace("-", "").isdigit():
            span, _, unit = values.partition(" ")
            number = str(rng.randint(*map(int, span.split("-"))))
            value = f"{number} {unit}".strip()
        else:
            number = unit = ""
            value = rng.choice(values.split(","))

        def filled(text: str) -> str:
            for slot, word in (("{a}", a), ("{b}", b), ("{a2}", b), ("{b2}", a), ("{v}", value)):
                text = text.replace(slot, word)
            return text

        seen = (value, f"{a}, {b}: {value}", f"{one}={a}, {two}={b}: {value}", filled(says) + ".")[style]
        answer = filled(says)
        asked = filled(rng.choice(questions))
        noun = "this: " + lowered(asked)
        return Part(asked, noun, name, {one: a, two: b}, seen, value, answer, a, number, unit,
                    thought=f"{name} takes {one} and {two}.")  # fmt: skip

    example = {one: HOLDERS[kind_one](rng), two: HOLDERS[kind_two](rng)}
    return Kit(make_tool(rng, name, does + ".", [one, two], example), draw, "pair")


def weather(rng: random.Random) -> Kit:
    """The lab's weather tool, or another like it."""
    own = rng.random() < 0.6
    name = "get_weather" if own else odd_name(rng, ["weather", "forecast", "sky_now", "weather_at", "meteo"])
    parameter = "city" if own else rng.choice(("place", "town", "location", "where"))
    description = (
        "Weather in a city: temperature, rain and wind." if own
        else rng.choice(("Current weather of a place.", "Temperature, sky and wind at a place.",
                         "Tells the weather at a location. Use it for rain, wind or heat."))
    )  # fmt: skip
    style = 0 if own else rng.randrange(1, 4)

    def draw(rng, entity=None) -> Part:
        place = entity or pools.place(rng)
        degrees, sky = rng.randint(-18, 39), rng.choice(pools.SKIES)
        wind, rain = rng.randint(0, 26), rng.randint(1, 60) if any(w in sky for w in pools.WET) else 0
        seen = (
            f"{place}: {degrees} °C, {sky}, rain {rain} mm, wind {wind} m/s "
            f"(made-up lab figures for {rng.randint(2020, 2029)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}).",
            f"{place}: {degrees} °C, {sky}, wind {wind} m/s, rain {rain} mm",
            f"{sky}, {degrees} °C, wind {wind} m/s, rain {rain} mm",
            f"Weather in {place}: {sky}, {degrees} °C. Wind {wind} m/s. Rain {rain} mm.",
        )[style]
        wet = "Yes" if rain else "No"
        choice = rng.random()
        part = Part("", f"the weather in {place}", name, {parameter: place}, seen, f"{degrees} °C", "", place,
                    str(degrees), "degrees", "warmer")  # fmt: skip
        if choice < 0.45:
            part.question = rng.choice((
                f"How many degrees does {place} have", f"How warm is {place} now", f"How cold does it get in {place} today",
                f"What temperature does {place} have", f"What is the temperature in {place}", f"How hot is it over in {place}",
            ))  # fmt: skip
            part.noun, part.says = f"the temperature in {place}", f"it is {degrees} °C in {place}"
        elif choice < 0.6:
            part.question = rng.choice((f"What is the weather like in {place}", f"How is the weather in {place} now",
                                        f"What kind of weather does {place} have"))  # fmt: skip
            part.says, part.number = f"in {place} it is {degrees} °C, {sky}", ""
        elif choice < 0.75:
            part.question = rng.choice((f"Is it wet in {place}", f"Does it rain in {place} now",
                                        f"Should I take a raincoat to {place}"))  # fmt: skip
            part.noun, part.value = f"the rain in {place}", f"{rain} mm"
            part.says, part.number = f"{wet}, {place} has {sky} and {rain} mm of rain", ""
        elif choice < 0.9:
            part.question = rng.choice((f"How strong is the wind in {place}", f"What is the wind speed in {place}",
                                        f"How hard does the wind blow at {place}"))  # fmt: skip
            part.noun, part.value = f"the wind in {place}", f"{wind} m/s"
            part.says, part.number, part.unit = f"the wind in {place} blows with {wind} m/s", str(wind), "m/s"
            part.more = "windier"
        else:
            part.question = rng.choice((f"How much rain has {place} had", f"How many mm of rain does {place} get"))
            part.noun, part.value = f"the rain in {place}", f"{rain} mm"
            part.says, part.number, part.unit, part.more = f"{place} has {rain} mm of rain", str(rain), "mm", "wetter"
        what = (
            "temperature" if choice < 0.45 else "weather" if choice < 0.6 else "rain" if choice < 0.75
            else "wind" if choice < 0.9 else "amount"
        )  # fmt: skip
        if rng.random() < 0.7:
            part.question = rng.choice(WEATHER[what]).replace("{e}", place)
        return part

    return Kit(make_tool(rng, name, description, [parameter], {parameter: pools.place(rng)}), draw, "weather",
               takes="town")  # fmt: skip


def clock(rng: random.Random) -> Kit:
    """The lab's clock, or another like it."""
    own = rng.random() < 0.6
    name = "get_current_time" if own else odd_name(rng, ["time_in", "world_clock", "local_time", "now_at", "clock"])
    parameter = "city" if own else rng.choice(("place", "town", "location", "zone"))
    description = (
        "Current date and time in a city. Use it for time, date or weekday." if own
        else rng.choice(("Local time and date of a place.", "What the clock says at a place.",
                         "World clock: time, day and date."))
    )  # fmt: skip
    style = 0 if own else rng.randrange(1, 3)

    def draw(rng, entity=None) -> Part:
        place = entity or pools.place(rng)
        hour, minute, day = rng.randrange(24), rng.randrange(60), rng.choice(pools.DAYS)
        date = f"{rng.randint(2019, 2031)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        offset = f"{rng.choice('+-')}{rng.randrange(12):02}:{rng.choice(('00', '00', '30', '45'))}"
        region = rng.choice(("Europe", "Asia", "America", "Africa", "Pacific"))
        time = f"{hour:02}:{minute:02}"
        seen = (
            f"{place}: {time}:{rng.choice(('00', f'{rng.randrange(60):02}'))} on {day} {date}, {region}/{place.replace(' ', '_')} "
            f"(UTC{offset}), Unix time {rng.randint(10**9, 2 * 10**9)}, read from "
            f"{rng.choice(('a clock fixed for the lesson', 'this computer’s clock'.replace('’', chr(39))))}.",
            f"{place}: {day} {date}, {time}",
            f"It is {time} on {day}, {date}, in {place}.",
        )[style]
        choice = rng.random()
        part = Part("", f"the time in {place}", name, {parameter: place}, seen, time, f"in {place} it is {time}", place)
        if choice < 0.6:
            part.question = rng.choice((f"What time does {place} have", f"How late is it in {place}",
                f"What is the time in {place}", f"What does the clock say in {place}", f"Which time is it over in {place}"))  # fmt: skip
        elif choice < 0.8:
            part.question = rng.choice((f"What day of the week is it in {place}", f"Which day do they have in {place}"))
            part.noun, part.value, part.says = f"the weekday in {place}", day, f"in {place} it is {day}"
        else:
            part.question = rng.choice((f"What is the date in {place}", f"Which date do they write in {place}"))
            part.noun, part.value, part.says = f"the date in {place}", date, f"in {place} the date is {date}"
        what = "time" if choice < 0.6 else "weekday" if choice < 0.8 else "date"
        if rng.random() < 0.7:
            part.question = rng.choice(CLOCK[what]).replace("{e}", place)
        return part

    return Kit(make_tool(rng, name, description, [parameter], {parameter: pools.place(rng)}), draw, "clock",
               takes="town")  # fmt: skip


def search(rng: random.Random) -> Kit:
    """The lab's document search, or another like it."""
    own = rng.random() < 0.6
    name = "search_docs" if own else odd_name(
        rng, ["search", "find_passage", "search_notes", "doc_search", "search_rules", "wiki", "lookup_text"]
    )  # fmt: skip
    parameter = "query" if own else rng.choice(("q", "keywords", "text", "words"))
    description = (
        "Find passages in the company handbook by keywords. Use it for rules and facts of the company."
        if own
        else rng.choice(("Searches the house rules by keywords.", "Full-text search in our documents.",
                         "Find a passage in the notes. Use it for rules and facts.", "Search texts by keywords."))
    )  # fmt: skip
    style = rng.choice((0, 0, 0, 1, 2))

    def told(rule) -> tuple[str, str]:
        """The value and the sentence of one rule."""
        value = str(rng.randint(int(rule[5]), int(rule[6]))) if rule[6] != "0" else (
            HOLDERS[rule[4]](rng) if rule[4] in HOLDERS else rng.choice(rule[4].split(",")))  # fmt: skip
        return value, rule[3].replace("{n}", value)

    def passage(rule, house: str, sentence: str) -> str:
        texts = [sentence]
        for _ in range(rng.choice((0, 1, 1, 2))):  # sometimes with a second figure close by
            texts.append(told(rng.choice(TOPICS))[1] if rng.random() < 0.5 else rng.choice(FILLERS).replace("{o}", house))
        rng.shuffle(texts)
        file = rng.choice(("rules", "guide", "house", "info", "members", "staff", "visit", rule[0].split()[0]))
        heading = rule[0].capitalize()
        return (f"[{file}.md > {heading}] ", f"{heading}: ", f"({file}) ")[style] + " ".join(map(sentence_case, texts))

    def draw(rng, entity=None) -> Part:
        topic, question, query, _, unit, _, high, *others = rule = rng.choice(TOPICS)
        house = rng.choice(pools.HOUSES)
        value, fact = told(rule)
        found = [passage(rule, house, fact)]
        if rng.random() < 0.5:
            other = rng.choice(TOPICS)
            if other[0] != topic:
                found.append(passage(other, house, told(other)[1]))
        if rng.random() < 0.15:
            found.reverse()
        if others and rng.random() < 0.65:
            question = rng.choice(others)
        asked = question.replace("{o}", rng.choice((house, house, "our house", "the company", "our company")))
        if rng.random() < 0.75:
            query = keywords(question.replace("{o}", "")) or query
        number = value if high != "0" else ""
        return Part(asked, f"the passage on {query}", name, {parameter: query}, "\n".join(found),
                    f"{value} {unit}" if number else value, lowered(fact.rstrip(".")), house, number, unit if number else "",
                    thought=rng.choice((f"I search for {query}.", f"I look for {query} with {name}.")))  # fmt: skip

    def draw_fact(rng, entity=None) -> Part:
        if rng.random() < 0.65:
            return draw(rng)
        row = rng.choice(ATTRIBUTES)
        entity = pools.thing(row[0], rng)
        if len(row) == 8:
            number = one_of(rng, *row[5:8])
            value, unit, more = f"{number} {row[4]}".strip(), row[4], row[3]
        else:
            value = HOLDERS[row[3]](rng) if row[3] in HOLDERS else rng.choice(row[3].split(","))
            number = unit = more = ""
        noun = f"the {row[1]} of {entity}"
        bare = pools.asked_as(entity, row[0])
        told = [rng.choice((f"The {row[1]} is {value}.", f"Its {row[1]}: {value}.", f"{bare} has this {row[1]}: {value}.",
                            f"{row[1].capitalize()} {value}.", f"As {row[1]} the list gives {value}."))]  # fmt: skip
        for other in rng.sample(ATTRIBUTES, 60):  # other facts about the same thing
            if other[0] == row[0] and other[1] != row[1] and len(other) >= 8 and len(told) < 3:
                told.append(f"The {other[1]} is {one_of(rng, *other[5:8])} {other[4]}.".replace(" .", "."))
        if rng.random() < 0.4:
            told.append(rng.choice(FILLERS).replace("{o}", "The house"))
        rng.shuffle(told)
        found = f"[{row[0].replace(' ', '-')}s.md > {sentence_case(bare)}] " + " ".join(map(sentence_case, told))
        return Part(worded_as(rng, row[0], row[1], row[2]).replace("{e}", entity), noun, name, {parameter: f"{row[1]} {bare}"},
                    found, value, f"{noun} is {value}", entity, number, unit, more)  # fmt: skip

    example = {parameter: rng.choice(("opening hours", "free shipping", "key deposit", "late fee"))}
    return Kit(make_tool(rng, name, description, [parameter], example), draw_fact, "search")


def compute(rng: random.Random) -> Kit:
    """The lab's calculator, or the same under another name."""
    own = rng.random() < 0.7
    name = "calculator" if own else odd_name(rng, ["calc", "compute", "math", "evaluate", "arithmetic"])
    parameter = "expression" if own else rng.choice(("formula", "expr", "term", "calculation"))
    description = (
        "Evaluate an arithmetic expression. Use it for any calculation." if own
        else rng.choice(("Does arithmetic.", "Computes a formula exactly.", "Pocket calculator for + - * / and powers.",
                         "Works out a calculation. Use it for every sum, product or percentage."))
    )  # fmt: skip

    def draw_list(rng) -> Part:
        before, behind, says = rng.choice(LISTS)
        digits = rng.choice((0, 0, 0, 1, 2))
        numbers = [f"{rng.uniform(1, 10 ** rng.randint(1, 3)):.{digits}f}" for _ in range(rng.randint(2, 7))]
        joined = rng.choice((", ".join(numbers[:-1]) + " and " + numbers[-1], ", ".join(numbers), " and ".join(numbers)))
        term, unit = "+".join(numbers), behind.split()[0] if behind[:1].islower() and len(behind.split()) > 2 else ""
        result = calculator(term)
        said = f"{says} {result} {unit if unit not in ('make', 'in', 'together.') else ''}".strip()
        return Part(f"{before} {joined} {behind}".replace(" .", ".").strip(), "the calculation", name, {parameter: term}, result, result,
                    said, "", result, thought=f"I add the {len(numbers)} numbers.")  # fmt: skip

    def draw(rng, entity=None) -> Part:
        if rng.random() < 0.15:
            return draw_list(rng)
        question, expression, thought, says = rng.choice(SUMS)
        slots = {
            "a": rng.randint(2, 10 ** rng.randint(1, 3)), "b": rng.randint(2, 99), "c": rng.randint(2, 30),
            "A": rng.randint(100, 10 ** rng.randint(3, 4)), "B": rng.randint(100, 5000),
            "d": f"{rng.uniform(1, 90):.2f}", "e": f"{rng.uniform(1, 40):.2f}", "p": rng.randint(2, 95),
            "P": rng.choice(pools.FIRST), "R": rng.choice(pools.PRODUCT_B),
        }  # fmt: skip
        for slot in "bc":  # mostly divisions without a remainder: long fractions are rare in life
            if "{A}" in expression and f"/{{{slot}}}" in expression and rng.random() < 0.8:
                slots["A"] = slots[slot] * rng.randint(5, 200)

        def filled(text: str) -> str:
            for slot, value in slots.items():
                text = text.replace("{" + slot + "}", str(value))
            return text

        expression = filled(expression)
        result = calculator(expression)
        noun = f"{expression}" if len(expression) < 12 else "the calculation"
        return Part(filled(question), noun, name, {parameter: expression}, result, result,
                    filled(says).replace("{v}", result).rstrip("."), "", result, thought=filled(thought))  # fmt: skip

    return Kit(make_tool(rng, name, description, [parameter], {parameter: "(3+5)*2"}), draw, "compute")


NUMBERS, WORDS, PAIRS, TOPICS, SUMS, CHAT, QUALIFIERS, LISTS = map(
    pools.rows,
    (pools.NUMBERS, pools.WORDS, pools.PAIRS, pools.RULES, pools.SUMS, pools.CHAT, pools.QUALIFIERS, pools.LISTS),
)
PHRASES = {(row[0], row[1]): row[2:] for name in ("numbers", "words") for row in pools.phrases(name)}
for row in pools.phrases("more_numbers"):
    NUMBERS.append(row[:8])
    PHRASES[row[0], row[1]] = row[8:]
for row in pools.phrases("more_words"):
    WORDS.append(row[:4])
    PHRASES[row[0], row[1]] = row[4:]
more = {row[0]: row[1:] for row in pools.phrases("pairs")}
PAIRS = [row + more.get(row[0], []) for row in PAIRS] + pools.phrases("more_pairs")
more = {row[0]: row[1:] for row in pools.phrases("rules")}
TOPICS = [row + more.get(row[0], []) for row in TOPICS] + pools.phrases("more_rules")
SUMS += pools.phrases("more_sums")
CHAT += pools.phrases("more_chat")
WEATHER, CLOCK = {}, {}
for table, name in ((WEATHER, "weather"), (CLOCK, "clock")):
    for what, question in pools.phrases(name):
        table.setdefault(what, []).append(question)
ATTRIBUTES = NUMBERS + WORDS
OPENERS |= {
    text.split()[0].strip(",.?:")
    for texts in [*PHRASES.values(), *WEATHER.values(), *CLOCK.values(), *TOPICS, *PAIRS, *[row[:1] for row in SUMS]]
    for text in texts
    if text and text[0].isupper() and "{" not in text.split()[0] and not text.startswith(("I ", "I'"))
} - {"PERSON", "PLACE", "DAY", "MONTH"}
FILLERS, BEFORE, BEHIND = (
    [text for line in pools.rows(table) for text in line]
    for table in (pools.FILLER, pools.BEFORE, pools.BEHIND)
)


# -------------------------------------------------------------------------------- scenarios


@dataclass
class World:
    """What one system prompt offers, and the dice."""

    rng: random.Random
    kits: list[Kit]

    def kit(self, *kinds: str, test=lambda kit: True) -> Kit | None:
        fit = [k for k in self.kits if (not kinds or k.kind in kinds) and test(k)]
        return self.rng.choice(fit) if fit else None

    def part(self, *kinds: str, test=lambda part: True) -> Part | None:
        """A Part from a random tool that passes the test, or None after some tries."""
        for _ in range(8):
            kit = self.kit(*kinds)
            part = kit and kit.draw(self.rng)
            if part and test(part):
                return part
        return None

    def say(self, *choices: str) -> str:
        return self.rng.choice(choices)


FACTS = ("lookup", "record", "pair", "qualified", "weather", "clock", "search")


def asking(world: World, part: Part) -> str:
    """One of many ways to ask for a Part."""
    rng, question, noun = world.rng, part.question, part.noun
    small = lowered(question)
    if part.tool and part.noun.startswith(("this:", "the calculation")) or noun[0].isdigit() or noun[0] == "(":
        return question_mark(rng, question)
    if noun.startswith("the passage on"):
        query = next(iter(part.arguments.values()))
        return rng.choice((question_mark(rng, question), f"What do the rules say about {query}?", f"Do you know this: {small}?", question_mark(rng, question),
                           f"{question_mark(rng, question)} Please look it up.", f"I wonder: {small}?"))  # fmt: skip
    if rng.random() < 0.6:
        return question_mark(rng, question if rng.random() < 0.85 else small)
    return rng.choice((
        f"What is {noun}?", f"Tell me {noun}.", f"{noun[0].upper()}{noun[1:]}?", f"I need {noun}.",
        f"Please look up {noun}.", f"Can you tell me {noun}?", f"Find out {noun}, please.",
        f"Do you know {noun}?", f"I would like to know {noun}.", f"Give me {noun}", f"I wonder: {small}?",
        small,
    ))  # fmt: skip


def question_mark(rng: random.Random, text: str) -> str:
    if text[-1] in ".!?":
        return text
    opens = text.split()[0].lower()
    plain = opens in ("compute", "calculate", "please", "find", "raise", "take", "multiply", "double", "add", "sum", "turn")
    return text + (rng.choice((".", "", ".")) if plain else rng.choice(("?", "?", "?", "?", "")))


def need(world: World, part: Part) -> str:
    """The thought before a single call."""
    if part.thought:
        return part.thought
    return world.say(f"I need {part.noun}.", f"I need {part.noun}. I use {part.tool}.", f"{part.tool} tells {part.noun}.")


def one(world: World) -> Script | None:
    part = world.part(*FACTS) if world.rng.random() < 0.75 else world.part("compute")
    if not part:
        return None
    return Script(asking(world, part)).part(need(world, part), part).answer("I know the answer.", part.says)


def two(world: World) -> Script | None:
    rng = world.rng
    first = world.part(*FACTS, "compute")
    if not first:
        return None
    if rng.random() < 0.5:
        return several(world, 2)
    second = world.part(*FACTS, "compute")
    if rng.random() < 0.3 and first.entity:  # two tools for one thing
        kit = world.kit("weather", "clock", test=lambda k: k.tool.name != first.tool)
        takes = next((k.takes for k in world.kits if k.tool.name == first.tool), "")
        if kit and takes == "town":
            second = kit.draw(rng, first.entity)
    if not second or (second.tool, second.arguments) == (first.tool, first.arguments):
        return None
    a, b = first.question, second.question
    small = lowered(b)
    asks = [f"{a}, and {small}?", f"{a}? And {small}?", f"{a} and {small}?", f"{a}? Also, {small}?", f"Two things: {a}? {b}?"]
    if all(not p.noun.startswith(("this:", "the passage", "the calc")) and p.noun[0] == "t" for p in (first, second)):
        asks += [f"I need {first.noun} and {second.noun}.", f"Tell me {first.noun} and {second.noun}.",
                 f"{first.noun[0].upper()}{first.noun[1:]} and {second.noun}, please.", f"{a}, and what is {second.noun}?",
                 f"What is {first.noun} and what is {second.noun}?"]  # fmt: skip
    if second.entity and second.entity == first.entity:  # "the time and the temperature in Kelby"
        place = f" in {first.entity}"
        if first.noun.endswith(place) and second.noun.endswith(place):
            both = f"{first.noun.removesuffix(place)} and {second.noun}"
            asks += [f"Tell me {both}.", f"What are {both}?", f"I need {both}, please.", f"{both[0].upper()}{both[1:]}?"]
    return tell_all(world, rng.choice(asks), [first, second])


def several(world: World, count: int) -> Script | None:
    """One tool, two or three things."""
    rng = world.rng
    kit = world.kit("lookup", "weather", "clock", "pair", "qualified", "compute", "record")
    if not kit:
        return None
    first = kit.draw(rng)
    parts = [first]
    while len(parts) < count:
        more = kit.draw(rng)
        if more.arguments in [p.arguments for p in parts]:
            return None
        if first.entity and kit.kind != "pair" and _shape(more) != _shape(first):
            continue
        parts.append(more)
    if kit.kind in ("pair", "compute"):
        small = lowered(parts[1].question)
        ask = world.say(f"{first.question}, and {small}?", f"{first.question} and {small}?",
                        f"{first.question}? And {small}?")  # fmt: skip
        return tell_all(world, ask, parts[:2])
    names = [p.entity for p in parts]
    head = first.noun.replace(first.entity, "").strip()
    plain = ", ".join(names[:-1]) + " and " + names[-1]
    link = " in " if head.endswith(" in") else " of "
    joined = plain if rng.random() < 0.6 else ", ".join(names[:-1]) + " and" + link + names[-1]
    body = first.question.replace(first.entity, plain)
    asks = [f"{body}?", f"What is {head} {joined}?", f"Tell me {head} {joined}.", f"{head[0].upper()}{head[1:]} {joined}, please.",
            f"{first.question}, and what about {' and '.join(names[1:])}?", f"{first.question}? And {' and '.join(names[1:])}?",
            f"I want to know {head} {joined}."]  # fmt: skip
    return tell_all(world, rng.choice(asks), parts)


def three(world: World) -> Script | None:
    return several(world, 3)


def _shape(part: Part) -> str:
    return part.noun.replace(part.entity, "@")


def tell_all(world: World, question: str, parts: list[Part]) -> Script:
    """Ask for each part in turn, then say all of them."""
    script = Script(question)
    for place, part in enumerate(parts):
        noun = part.noun
        if place == 0:
            thought = f"I need {len(parts)} things. First {noun}."
        else:
            thought = f"Now {noun}."
        script.part(thought, part)
    says = [parts[0].says] + [lowered(p.says) for p in parts[1:]]
    answer = says[0] + "".join((", " if len(says) > 2 and n < len(says) - 1 else ", and " if len(says) > 2 else " and ") + s
                               for n, s in enumerate(says[1:], 1))  # fmt: skip
    if any(s.startswith(("Yes", "No")) or s.endswith(".") for s in says):
        answer = " ".join(sentence(s) for s in says)
    return script.answer("I know both parts." if len(parts) == 2 else "I know all parts.", answer)


def _two_numbers(world: World) -> tuple[Part, Part] | None:
    """Two Parts of one tool, with numbers that can be compared."""
    first = world.part("lookup", "record", "qualified", "weather", "search", test=lambda p: p.number and p.more)
    if not first:
        return None
    kit = next(k for k in world.kits if k.tool.name == first.tool)
    for _ in range(20):
        second = kit.draw(world.rng)
        if second.number and _shape(second) == _shape(first) and second.number != first.number and second.entity != first.entity:
            return first, second
    return None


def compare(world: World) -> Script | None:
    found = _two_numbers(world)
    if not found:
        return None
    a, b = found
    rng = world.rng
    bigger, smaller = (a, b) if float(a.number) > float(b.number) else (b, a)
    joiner = world.say(" or ", " or ", " or rather ")
    form = rng.random()
    head = a.noun.replace(a.entity, "").strip().removesuffix(" of").removesuffix(" in").removeprefix("the ")
    if form < 0.45:
        ask = world.say(f"Which is {a.more}, {a.entity}{joiner}{b.entity}?", f"What is {a.more}: {a.entity} or {b.entity}?",
                        f"{a.entity.capitalize() if a.entity.startswith('the') else a.entity} or {b.entity}, which one is {a.more}?",
                        f"Which of the two is {a.more}, {a.entity} or {b.entity}?")  # fmt: skip
        answer = f"{bigger.entity} is {a.more}, with {bigger.value}"
        best = bigger
    elif form < 0.75:
        ask = world.say(f"Which has the higher {head}, {a.entity} or {b.entity}?",
                        f"Where is the {head} higher, {a.entity} or {b.entity}?",
                        f"Who or what has more {head}: {a.entity} or {b.entity}?")  # fmt: skip
        answer, best = f"{bigger.entity} has the higher {head}, with {bigger.value}", bigger
    elif form < 0.9:
        ask = world.say(f"Is {a.entity} {a.more} than {b.entity}?", f"Would you say {a.entity} is {a.more} than {b.entity}?")
        answer = (f"Yes, {a.entity} is {a.more}" if bigger is a else f"No, {b.entity} is {a.more}")
        best = bigger
    else:
        ask = world.say(f"Which has the lower {head}, {a.entity} or {b.entity}?", f"Where is the {head} lower, {a.entity} or {b.entity}?")
        answer, best = f"{smaller.entity} has the lower {head}, with {smaller.value}", smaller
    script = Script(ask)
    script.part(f"I compare two. First {a.noun}.", a).part(f"Now {b.noun}.", b)
    other = a if best is b else b
    sign = "more" if float(best.number) > float(other.number) else "less"
    return script.answer(f"{best.number} is {sign} than {other.number}, so it is {best.entity}.", answer)


def difference(world: World) -> Script | None:
    found, math = _two_numbers(world), world.kit("compute")
    if not found or not math:
        return None
    a, b = found
    big, small = (a, b) if float(a.number) > float(b.number) else (b, a)
    head = a.noun.replace(a.entity, "").strip().removesuffix(" of").removesuffix(" in").removeprefix("the ")
    ask = world.say(f"What is the difference in {head} between {a.entity} and {b.entity}?",
                    f"How much {a.more} is {big.entity} than {small.entity}?",
                    f"By how many {a.unit or 'units'} do {a.entity} and {b.entity} differ in {head}?")  # fmt: skip
    term = f"{big.number}-{small.number}" if not small.number.startswith("-") else f"{big.number}-({small.number})"
    result = calculator(term)
    script = Script(ask).part(f"First I need {a.noun}.", a).part(f"Now {b.noun}.", b)
    script.call(f"Now {big.number} minus {small.number}.", math.tool.name, {_only(math): term}, result)
    return script.answer("I know the difference.", f"the difference is {result} {a.unit}")


def total(world: World) -> Script | None:
    found, math = _two_numbers(world), world.kit("compute")
    if not found or not math or found[0].number.startswith("-"):
        return None
    parts = list(found)
    kit = next(k for k in world.kits if k.tool.name == parts[0].tool)
    if world.rng.random() < 0.4:
        third = kit.draw(world.rng)
        if third.number and _shape(third) == _shape(parts[0]):
            parts.append(third)
    head = parts[0].noun.replace(parts[0].entity, "").strip().removesuffix(" of").removesuffix(" in").removeprefix("the ")
    names = ", ".join(p.entity for p in parts[:-1]) + " and " + parts[-1].entity
    mean = world.rng.random() < 0.2
    term = "+".join(p.number if p.number[0] != "-" else f"({p.number})" for p in parts)
    term = f"({term})/{len(parts)}" if mean else term
    result = calculator(term)
    word = "mean" if mean else world.say("total", "sum", "combined")
    ask = world.say(f"What is the {word} {head} of {names}?", f"I need the {word} {head} of {names}.",
                    f"{word.capitalize()} {head} of {names}?")  # fmt: skip
    script = Script(ask)
    for place, part in enumerate(parts):
        script.part(f"First I need {part.noun}." if place == 0 else f"Now {part.noun}.", part)
    script.call("Now I compute the mean." if mean else "Now I add them.", math.tool.name, {_only(math): term}, result)
    return script.answer("I know the result.", f"the {word} {head} is {result} {parts[0].unit}")


def _only(kit: Kit) -> str:
    return next(iter(kit.tool.parameters["properties"]))


def chain_math(world: World) -> Script | None:
    """A looked-up number goes into a calculation."""
    rng, math = world.rng, world.kit("compute")
    part = world.part("lookup", "record", "pair", "qualified", "weather", "search", "search", "search", test=lambda p: p.number)
    if not part or not math:
        return None
    n, k = part.number, rng.randint(2, 40)
    noun, ask_first = part.noun.removeprefix("this: "), part.question
    finer = FINER.get(part.unit)
    odd = noun.startswith("the passage") or part.noun.startswith("this:")
    form = rng.random()
    if finer and form < 0.4:
        fine, factor = finer
        term = f"{n}*{factor}"
        ask = world.say(f"{ask_first}, and how many {fine} is that?", f"{ask_first} in {fine}?", f"{ask_first}? I need it in {fine}.",
                        f"{ask_first}, and what is that in {fine}?")  # fmt: skip
        if part.unit in ask_first and rng.random() < 0.6:
            ask = ask_first.replace(part.unit, fine.split()[0]) + "?"
        thought = f"{n} times {factor}."
        answer = f"it is {n} {part.unit}, and that is {{v}} {fine}"
    elif part.unit in ("euros", "dollars", "cents") and form < 0.8:
        what = part.entity.removeprefix("the ") if part.entity else "that"
        if odd:
            ask = world.say(f"{ask_first}, and what is it for {k} of them?", f"{ask_first}? What do {k} cost?",
                            f"We need it {k} times. {ask_first}, and what do we pay in all?",
                            f"There are {k} of us. {ask_first}, and what must all of us pay?",
                            f"{ask_first}, if we are {k} and want to know the sum?")  # fmt: skip
        else:
            ask = world.say(f"What do I pay for {k} times {what}?", f"We are {k}. What is it in all if each pays {noun}?",
                            f"{ask_first}, and what is {k} times that?", f"How much is {noun} times {k}?",
                            f"I want {k} of {what}. What is the price together?",
                            f"What do {k} {what}s cost together?", f"How much are {k} {what}s?")  # fmt: skip
        term, answer = f"{n}*{k}", f"{k} times {n} {part.unit} is {{v}} {part.unit}"
        thought = f"{k} times {n}."
        if rng.random() < 0.3:
            purse = int(float(n)) + rng.randint(5, 400)
            ask = world.say(f"I have {purse} {part.unit}. How much is left after paying {noun if not odd else 'for it'}? {ask_first if odd else ''}".strip() + ("?" if odd else ""),
                            f"{ask_first}, and how much of {purse} {part.unit} is left then?")  # fmt: skip
            term, thought = f"{purse}-{n}", f"{purse} minus {n}."
            answer = f"{purse} minus {n} leaves {{v}} {part.unit}"
    elif part.unit and form > 0.85 and float(n) > 3:
        spent = rng.randint(1, int(float(n)))
        ask = world.say(f"{ask_first}? If I have used {spent}, how much is left?", f"I have used {spent} {part.unit} of {noun}. What is left?",
                        f"{spent} {part.unit} are gone already. {ask_first}, and how many are left then?")  # fmt: skip
        if odd:
            ask = f"{spent} {part.unit} are gone already. {ask_first}, and how many are left then?"
        term, thought, answer = f"{n}-{spent}", f"{n} minus {spent}.", f"{n} minus {spent} leaves {{v}} {part.unit}"
    else:
        word, sign = rng.choice((("times", "*"), ("plus", "+"), ("minus", "-"), ("divided by", "/"), ("times", "*")))
        if sign == "/" and float(n) % k:
            k = next((d for d in (5, 4, 3, 2, 8, 10) if float(n) % d == 0), 2)
        term = f"{n}{sign}{k}"
        thought, answer = f"{n} {word} {k}.", f"{n} {word} {k} is {{v}}"
        if sign == "-" and rng.random() < 0.5:
            term, answer, thought = f"{n}-{k}", f"{k} less than {n} is {{v}}", f"{n} minus {k}."
        if odd:
            ask = world.say(f"{ask_first}, and what is that {word} {k}?", f"{ask_first}? Then take it {word} {k}.")
        else:
            ask = world.say(f"What is {noun} {word} {k}?", f"{ask_first}, and what is that {word} {k}?", f"Compute {noun} {word} {k}.",
                            f"If you take {noun} {word} {k}, what do you get?")  # fmt: skip
            if sign == "*" and rng.random() < 0.4:
                ask = world.say(f"What is {noun} for {k} of them together?", f"There are {k} like it. What is {noun} in all?",
                                f"How much do {k} such things make, taking {noun}?")  # fmt: skip
        if sign == "+" and rng.random() < 0.5 and not odd:
            ask = world.say(f"If {noun} goes up by {k}, what is it then?", f"What will {noun} be when it rises by {k}?")
        if sign == "-" and rng.random() < 0.5 and not odd:
            ask = world.say(f"If {noun} falls by {k}, what is it then?", f"What is left of {noun} when {k} are taken away?")
    try:
        result = calculator(term)
    except ValueError:
        return None
    script = Script(ask).part(world.say(f"First I need {noun}.", f"First I look up {noun}."), part)
    script.call(f"Now {thought}", math.tool.name, {_only(math): term}, result)
    return script.answer("I know the result.", answer.replace("{v}", result))


def span(world: World) -> Script | None:
    """Two figures of one record, and their difference or product."""
    rng, math = world.rng, world.kit("compute")
    kit = world.kit("record")
    if not kit or not math:
        return None
    name = pools.thing(kit.takes, rng)
    asked = pools.asked_as(name, kit.takes)
    one, two, unit = rng.choice((("now", "before", "kg"), ("high", "low", "m"), ("this year", "last year", "euros"),
                                 ("today", "yesterday", "pieces"), ("end", "start", "hours"), ("best", "worst", "points")))  # fmt: skip
    low = rng.randint(2, 400) + (rng.random() < 0.5) * rng.randint(1, 9) / 10
    high = round(low + rng.randint(1, 90) + (low != int(low)) * rng.randint(0, 9) / 10, 1)
    seen = world.say(f"{asked}: {one} {high:g} {unit}, {two} {low:g} {unit}", f"{asked}: {two} {low:g}, {one} {high:g} ({unit})",
                     f"{one} {high:g} {unit}; {two} {low:g} {unit}")  # fmt: skip
    ask = world.say(f"By how many {unit} do {one} and {two} differ for {name}?", f"What is the difference between {one} and {two} of {name}?",
                    f"How many {unit} more does {name} have {one} than {two}?")  # fmt: skip
    term = f"{high:g}-{low:g}"
    script = Script(ask).call(f"First I need the data of {name}.", kit.tool.name, {_only(kit): asked}, seen)
    script.call(f"Now {high:g} minus {low:g}.", math.tool.name, {_only(math): term}, calculator(term))
    return script.answer("I know the difference.", f"the difference is {calculator(term)} {unit}")


def chain_lookup(world: World) -> Script | None:
    """The first tool names a person or a place; the second tells about that."""
    rng = world.rng
    first = world.kit("lookup", test=lambda k: k.holds)
    if not first:
        return None
    wanted = ("person",) if first.holds == "PERSON" else ("town", "village")
    second = world.kit("lookup", "weather", "clock", test=lambda k: k.takes in wanted and k is not first)
    if not second:
        return None
    a = first.draw(rng)
    b = second.draw(rng, a.value)
    small = b.noun.replace(b.entity, "").strip()
    middle = a.noun
    ask = world.say(f"What is {small} {middle}?", f"Tell me {small} {middle}.", f"{a.question}, and what is {small} {'that person' if wanted[0] == 'person' else 'that place'}?",
                    f"I need {small} {middle}.")  # fmt: skip
    script = Script(ask).part(f"First I need {a.noun}.", a)
    script.part(f"It is {a.value}. Now {b.noun}.", b)
    return script.answer("I know the answer.", f"{a.says}. {sentence(b.says)}")


def threshold(world: World) -> Script | None:
    part = world.part("lookup", "record", "weather", test=lambda p: p.number and p.more)
    if not part:
        return None
    number = float(part.number)
    limit = round(number * world.rng.choice((0.5, 0.8, 1.3, 2))) + world.rng.randint(-3, 3)
    if limit == number or limit <= 0:
        return None
    yes = number > limit
    ask = world.say(f"Is {part.noun} above {limit}?", f"Is {part.noun} more than {limit} {part.unit}?", f"Does {part.noun} exceed {limit}?")
    script = Script(ask).part(need(world, part), part)
    thought = f"{part.number} is {'more' if yes else 'not more'} than {limit}."
    return script.answer(thought, f"{'Yes' if yes else 'No'}, {part.says}")


def chat(world: World) -> Script:
    said, reply = world.rng.choice(CHAT)
    if world.rng.random() < 0.25:
        said = said.rstrip("?.!").lower() if world.rng.random() < 0.5 else world.say("Please: ", "Hey, ", "One moment: ") + said
    return Script(said).answer("No tool is needed.", reply)


def unfit(world: World) -> Script | None:
    """Nothing in the list can help."""
    kit = lookup(world.rng)
    if any(k.takes == kit.takes or k.kind == "search" for k in world.kits):
        return None
    part = kit.draw(world.rng)
    return Script(asking(world, part)).answer(f"No tool tells {part.noun}.", f"I cannot find {part.noun} with my tools")


def missing(world: World) -> Script | None:
    """The tool has nothing: say so."""
    rng = world.rng
    part = world.part("search", "search", "lookup", "record", "weather", "clock", "pair", test=lambda p: True)
    if not part:
        return None
    kit = next(k for k in world.kits if k.tool.name == part.tool)
    noun = part.noun.removeprefix("this: ")
    if noun.startswith("the passage on"):
        noun = "anything about " + noun.removeprefix("the passage on ")
    name = next(iter(part.arguments.values()))
    script = Script(asking(world, part))
    if kit.kind == "search":
        other = rng.choice([rule for rule in TOPICS if rule[6] != "0"])
        wrong = (f"[{other[0].split()[0]}.md > {other[0].capitalize()}] "
                 + sentence_case(other[3].replace("{n}", str(rng.randint(int(other[5]), int(other[6]))))))  # fmt: skip
        if other[0] in noun:
            return None
        nothing = f"No passage found for {name!r}. Try other words."
        result = nothing if rng.random() < 0.55 else wrong
        script.call(need(world, part), part.tool, part.arguments, result)
        if rng.random() < 0.5:
            again = {next(iter(part.arguments)): " ".join(str(name).split()[:1] + [rng.choice(("rule", "info", "list", "data"))])}
            if again == part.arguments:
                return None
            found = rng.random() < 0.4
            script.call("Nothing fits. I try other words.", part.tool, again,
                        part.seen if found else f"No passage found for {again[next(iter(again))]!r}. Try other words.")  # fmt: skip
            if found:
                return script.answer("I know the answer.", part.says)
        return script.answer("The passages do not say it.", f"I could not find {noun}")
    reason = rng.choice((
        f"There is no {kit.takes or 'entry'} named {name!r}.", f"Unknown name: {name}.", f"{name!r} is not in the table.",
        f"There is no {noun.split()[1] if noun.startswith('the ') else 'result'} for {name!r}. Check the name. If it was right, say that it is not known.",
        f"Nothing is known about {name!r}. Write a full name, such as the one in the example.",
    ))  # fmt: skip
    result = ValueError(reason) if rng.random() < 0.7 else rng.choice(("not found", "No entry.", f"{name}: no data", "[]", "null"))
    script.call(need(world, part), part.tool, part.arguments, result)
    return script.answer("It is not known.", rng.choice((f"I could not find {noun}", f"{noun} is not known")))


def undefined(world: World) -> Script | None:
    """A calculation that has no result."""
    rng, math = world.rng, world.kit("compute")
    if not math:
        return None
    a = rng.randint(2, 900)
    ask, term = rng.choice(((f"Divide {a} by zero.", f"{a}/0"), (f"How much is {a} over 0?", f"{a}/0"), (f"The square root of -{a}?", f"sqrt(-{a})"),
                            (f"{a} modulo 0?", f"{a}%0")))  # fmt: skip
    try:
        calculator(term)
    except ValueError as error:
        script = Script(ask).call("This is a calculation.", math.tool.name, {_only(math): term}, error)
        return script.answer("It has no result.", f"{term} is not possible. {error}")
    return None


FAULTS = (
    TimeoutError("the service did not answer in time"), ConnectionError("connection reset"),
    TimeoutError("timed out after 10 s"), OSError("503 service unavailable"), RuntimeError("temporarily busy, try again"),
    ConnectionError("connection refused"), RuntimeError("rate limit reached, try again later"),
)  # fmt: skip


def flaky(world: World) -> Script | None:
    """The tool fails once: try again. Twice: give up, honestly."""
    rng = world.rng
    part = world.part(*FACTS, "compute", test=lambda p: p.tool)
    if not part:
        return None
    fault = rng.choice(FAULTS)
    noun = part.noun.removeprefix("this: ").replace("the passage on", "anything about")
    if not part.entity:
        noun = "the result"
    script = Script(asking(world, part)).call(need(world, part), part.tool, part.arguments, fault)
    again = world.say("It failed. I try once more.", "An error. I try it once more.")
    if rng.random() < 0.75:
        return script.call(again, part.tool, part.arguments, part.seen).answer("I know the answer.", part.says)
    script.call(again, part.tool, part.arguments, rng.choice((fault, rng.choice(FAULTS))))
    return script.answer("It failed twice, so I give up.", f"I could not find {noun}, because the tool failed twice")


def flaky_two(world: World) -> Script | None:
    """Two parts, the first of which fails once."""
    script = two(world) or several(world, 2)
    if not script:
        return None
    thought, tool, arguments = script.replies[0][0]
    script.results[(tool, _key(arguments))].insert(0, world.rng.choice(FAULTS))
    script.replies.insert(1, (("It failed. I try once more.", tool, arguments), True))
    return script


def mended(world: World) -> Script | None:
    """A mistake that the lab answers with a message, then the right step. Mistakes are not trained."""
    rng = world.rng
    part = world.part(*FACTS, "compute")
    if not part:
        return None
    script = Script(asking(world, part))
    form = rng.random()
    name, arguments = part.tool, json.dumps(part.arguments, ensure_ascii=False)
    if form < 0.3:
        wrong = rng.choice((name + "_tool", "search_web", "get_" + name, name.split("_")[-1] + "s", "lookup", "google", "ask_user", "none"))
        if wrong in [k.tool.name for k in world.kits]:
            return None
        script.call(need(world, part), wrong, part.arguments, train=False)
        script.part(f"The right tool is {name}.", part)
    elif form < 0.55:
        key = next(iter(part.arguments))
        wrong = {key: " ".join(reversed(part.arguments.values()))} if len(part.arguments) == 2 and rng.random() < 0.6 else {rng.choice(("value", "argument", "data", "param", key + "1")): part.arguments[key]}
        script.call(need(world, part), name, wrong, train=False)
        script.part(f"The input must be {', '.join(part.arguments)}.", part)
    else:
        script.raw(rng.choice((
            f"I should use {name} for this.", f"{name}({arguments})", f"Let me look that up with {name}.", "Sure, I can help with that!",
            f"Thought: I need {part.noun}.", f"Thought: {need(world, part)}\nAction: {name}\nAction Input: {arguments[:-3]}",
            f"Thought: I use the tool.\nAction: {name}\nAction Input: {{'{next(iter(part.arguments))}': }}", "Thought: I know it.\nFinal Answer:",
            f"Use {name} with input {arguments}", f"{part.noun} is", "...",
        )))  # fmt: skip
        script.part(need(world, part), part)
    return script.answer("I know the answer.", part.says)


def astray(world: World) -> Script | None:
    """The wrong tool was asked and does not know: take the right one. The mistake is not trained."""
    rng = world.rng
    part = world.part(*FACTS, "compute")
    wrong = world.kit(test=lambda k: part and k.tool.name != part.tool and k.kind not in ("compute", "search"))
    if not part or not wrong:
        return None
    parameters = list(wrong.tool.parameters["properties"])
    about = part.entity or part.question.split()[-1]
    bad = dict.fromkeys(parameters, pools.asked_as(about, ""))
    error = ValueError(rng.choice((f"Nothing called {about!r} is known.", f"There is no {wrong.takes or 'entry'} named {about!r}.",
                                   f"{about!r} is not known. Write another name.")))  # fmt: skip
    script = Script(asking(world, part))
    script.call(f"I need {part.noun}. I use {wrong.tool.name}.", wrong.tool.name, bad, error, train=False)
    return script.part(f"That was the wrong tool. I use {part.tool}.", part).answer("I know the answer.", part.says)


def repeated(world: World) -> Script | None:
    """The same call three times; the lab warns; then the answer."""
    part = world.part(*FACTS, "compute")
    if not part:
        return None
    script = Script(asking(world, part))
    for _ in range(3):
        script.call(need(world, part), part.tool, part.arguments, part.seen, train=False)
    return script.answer("I know the answer already.", part.says)


def cut(world: World) -> Script | None:
    """A long result: the answer stands in what was kept, or a narrower call brings it."""
    rng = world.rng
    part = world.part("search", "search", "lookup", test=lambda p: "\n" not in p.seen)
    if not part:
        return None
    filler = " ".join(rng.choice(FILLERS).replace("{o}", "The house") for _ in range(rng.randint(8, 14)))
    script = Script(asking(world, part))
    if rng.random() < 0.5:
        script.call(need(world, part), part.tool, part.arguments, (part.seen + " " + filler, 250))
        return script.answer("I know the answer.", part.says)
    key, name = next(iter(part.arguments)), str(next(iter(part.arguments.values())))
    broad = {key: name.split()[0]}
    if broad == part.arguments:
        return None
    script.call(need(world, part), part.tool, broad, (filler + " " + part.seen, 200), train=False)
    return script.part("The result was cut. I ask for less.", part).answer("I know the answer.", part.says)


def last_call(world: World) -> Script | None:
    """The limit is reached: answer from what is known."""
    rng = world.rng
    script = two(world)
    if not script or len(script.replies) != 3:
        return None
    first = next((k for k in world.kits if k.tool.name == script.replies[0][0][1]), None)
    part = first.draw(rng)
    if rng.random() < 0.5:
        script = Script(asking(world, part)).part(need(world, part), part)
        script.steps = 1
        return script.answer("I must answer now.", part.says)
    other = world.part(*FACTS)
    if not other or other.tool == part.tool or part.noun.startswith("this") or other.noun.startswith(("this", "the passage")):
        return None
    script = Script(f"{part.question}, and what is {other.noun}?").part(f"First I need {part.noun}.", part)
    script.steps = 1
    return script.answer("I must answer now.", sentence(part.says) + f" I could not find {other.noun}")


def refused(world: World) -> Script | None:
    """A person did not allow the call."""
    part = world.part("lookup", "record", "pair")
    if not part:
        return None
    note = world.say("", "It is private.", "Not now.", "Ask the owner first.", "Too expensive.")
    script = Script(asking(world, part)).call(need(world, part), part.tool, part.arguments, ("refused", note))
    return script.answer("The call was not allowed.", "I could not look this up, because the call was not allowed")


SCENARIOS = {
    one: 30, two: 26, three: 4, compare: 14, difference: 6, total: 6, chain_math: 26, span: 14, chain_lookup: 25, threshold: 3,
    chat: 10, unfit: 4, missing: 10, undefined: 1, flaky: 6, flaky_two: 2, mended: 5, astray: 8, repeated: 2, cut: 2, last_call: 2, refused: 1,
}  # fmt: skip


# ---------------------------------------------------------------------------------- playing


def play(script: Script, registry: Registry, system: str) -> list[dict] | None:
    """Run a script through the real loop; returns its messages, or None if it went otherwise."""
    from react_lab.prompt import message
    from react_lab.registry import Observation

    texts = [text if isinstance(text, str) else written(*text) for text, _ in script.replies]
    results = {key: list(values) for key, values in script.results.items()}

    class Played(Registry):
        """Tools that answer from the script. A short limit plays a long result cheaply."""

        def call(self, name, arguments):
            queue = results.get((name, _key(arguments)))
            if name not in self or queue is None:
                return super().call(name, arguments)
            result = queue.pop(0) if len(queue) > 1 else queue[0]
            if isinstance(result, Exception):
                return Observation(f"{type(result).__name__}: {result}", "tool error")
            if isinstance(result, tuple) and result[0] == "refused":
                return Observation(message("refusal", tool=name, note=result[1]).strip())
            if isinstance(result, tuple):
                text, limit = result
                return Observation(text[:limit], truncated=max(0, len(text) - limit))
            return Observation(result)

    run = Agent(ScriptedModel(texts), Played(tuple(registry)), system=system, stops=(StepLimit(script.steps),)).run(script.question)
    last = run.last_word or run.steps[-1]
    if run.stop not in ("answered", "step limit") or len(run.replies) != len(texts) or run.answer is None:
        return None
    messages = [dict(m) for m in last.sent[1:]] + [{"role": "assistant", "content": texts[-1]}]
    trained = iter(flag for _, flag in script.replies)
    for entry in messages:
        if entry["role"] == "assistant":
            entry["train"] = next(trained)
    return messages


def written(thought: str, tool: str | None, content) -> str:
    """A reply in the text format."""
    if tool is None:
        return f"Thought: {thought}\nFinal Answer: {content}"
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {json.dumps(content, ensure_ascii=False)}"


def without_thoughts(messages: list[dict]) -> list[dict]:
    """The "act only" form of an episode."""
    return [
        {**m, "content": m["content"].split("\n", 1)[1]}
        if m["role"] == "assistant" and m["content"].startswith("Thought: ") and "\n" in m["content"]
        else m
        for m in messages
    ]


def native(script: Script) -> list[dict] | None:
    """The native form of an episode: calls in <tool_call>, results in <tool_response>."""
    messages = [{"role": "user", "content": script.question}]
    results = {key: list(values) for key, values in script.results.items()}
    for content, trained in script.replies:
        if isinstance(content, str) or not trained or script.steps == 1:
            return None
        _, tool, value = content
        if tool is None:
            messages.append({"role": "assistant", "content": value, "train": True})
            continue
        call = json.dumps({"name": tool, "arguments": value}, ensure_ascii=False)
        messages.append({"role": "assistant", "content": f"<tool_call>{call}</tool_call>", "train": True})
        result = results[(tool, _key(value))].pop(0)
        if isinstance(result, tuple):
            return None
        if isinstance(result, Exception):
            result = f"Error: {type(result).__name__}: {result}"
        messages.append({"role": "user", "content": f"<tool_response>{result}</tool_response>"})
    return messages


def world(rng: random.Random) -> World:
    """Tools drawn for one system prompt: one to twelve, in any order."""
    kits = [draw(rng) for draw, chance in ((compute, 0.75), (weather, 0.55), (clock, 0.55), (search, 0.65)) if rng.random() < chance]
    for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8))):
        kits.append(rng.choice((lookup, lookup, lookup, lookup, record, record, pair, qualified))(rng))
    if rng.random() < 0.25:  # a second tool for persons or towns, so that one result leads to the next
        chained = [k for k in kits if k.holds] or [lookup(rng)]
        for _ in range(60):
            kit = lookup(rng)
            if kit.takes == ("person" if chained[0].holds == "PERSON" else "town") and chained[0].holds:
                kits += [kit] + ([] if chained[0] in kits else [chained[0]])
                break
    rng.shuffle(kits)
    names = set()
    kits = [k for k in kits if not (k.tool.name in names or names.add(k.tool.name))][:12]
    return World(rng, kits or [compute(rng)])


def worded(rng: random.Random, tools: list[Tool], examples: list[str]) -> str:
    """The lab's system prompt; every fourth time with other rules or another first line."""
    rules = None
    if rng.random() < 0.25:
        rules = list(RULES["en"].values())
        rng.shuffle(rules)
        rules = rules[: rng.randint(0, len(rules))]
    text = system_prompt(tools, rules=rules, examples=examples)
    if rng.random() < 0.15:
        first = rng.choice(("You are a helpful assistant with tools.", "Answer the question. Use the tools below.",
                            "You solve tasks step by step with tools.", "You are an agent."))  # fmt: skip
        text = text.replace("You answer questions by using tools.", first, 1)
    return text


def transcript(messages: list[dict]) -> str:
    """An episode as one text, to stand in a prompt as a worked example."""
    return "\n".join(m["content"] for m in messages)


def group(rng: random.Random) -> dict:
    """One system prompt and the episodes behind it."""
    place = world(rng)
    registry = Registry(tuple(kit.tool for kit in place.kits))
    form = rng.random()
    plain = system_prompt(registry)
    scenarios, weights = zip(*SCENARIOS.items())
    wanted = 1 if form < 0.05 else 2 if form < 0.08 else 0
    examples, episodes = [], []
    while len(episodes) < EPISODES:
        script = rng.choices(scenarios, weights)[0](place)
        if script and rng.random() < 0.1:
            script.question = f"{rng.choice(BEFORE)} {script.question}"
        elif script and rng.random() < 0.05 and script.question[-1] in ".?!":
            script.question = f"{script.question} {rng.choice(BEHIND)}"
        messages = script and (native(script) if form > 0.97 else play(script, registry, plain))
        if not messages:
            continue
        if 0.94 < form <= 0.97:
            messages = without_thoughts(messages)
        if len(examples) < wanted and len(messages) > 3 and all(m.get("train", True) for m in messages):
            examples.append(transcript(messages))
        else:
            episodes.append(messages)
    if form > 0.97:
        system = native_prompt(registry)
    elif form > 0.94:
        system = system_prompt(registry, thoughts=False)
    else:
        system = worded(rng, list(registry), examples)
    return {"system": system, "episodes": episodes}


def groups(seed: int) -> Iterator[dict]:
    """Groups of episodes for ever; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        yield group(rng)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print some training episodes.")
    parser.add_argument("--show", type=int, default=2, help="how many groups")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for _, drawn in zip(range(options.show), groups(options.seed)):
        print("=" * 100, drawn["system"], sep="\n")
        for episode in drawn["episodes"]:
            print("-" * 60)
            for entry in episode:
                mark = "" if entry.get("train", True) else "   (not trained)"
                print(f"{entry['role']}:{mark}\n{entry['content']}")


if __name__ == "__main__":
    main()
