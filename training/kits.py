"""Kits: invented tools, and the Parts that can be found out with them.

A Kit draws Parts; a Part is one call with all the words that are needed to talk about it. The
tables come from `pools.py` and the files in `phrases/`; `natural.py` has more.
"""

import calendar
import json
import random
from datetime import datetime, timedelta

from react_lab.toolkit import calculator
from training import natural, pools
from training.parts import HOLDERS, OPENERS, Kit, Part, keywords, lowered, make_tool, sentence_case

# unit: (finer unit, how many of it)
FINER = {
    "m": ("centimetres", 100), "km": ("metres", 1000), "minutes": ("seconds", 60),
    "hours": ("minutes", 60), "days": ("hours", 24), "weeks": ("days", 7),
    "years": ("months", 12), "kg": ("grams", 1000), "litres": ("millilitres", 1000),
    "GB": ("megabytes", 1000), "euros": ("cents", 100), "dollars": ("cents", 100),
}  # fmt: skip


def odd_name(rng: random.Random, names: list[str]) -> str:
    """Mostly a telling tool name; sometimes one where only the description helps."""
    if rng.random() < 0.12:
        return rng.choice(("tool_{}", "q{}", "fn{}", "svc_{}", "op_{}", "f{}x", "api{}")).format(
            rng.choice(("a", "b", "z", "x")) if rng.random() < 0.3 else rng.randint(1, 99)
        )
    return rng.choice(names)


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


def record(rng: random.Random, bare: float = 0.4) -> Kit:
    """A tool that tells several attributes at once, of which one or two are asked for."""
    kind = rng.choice(sorted({row[0] for row in NUMBERS if sum(r[0] == row[0] for r in ATTRIBUTES) > 1}))
    fields = [row for row in ATTRIBUTES if row[0] == kind]
    fields = rng.sample(fields, min(len(fields), rng.randint(2, 4)))
    listed = ", ".join(row[1] for row in fields)
    names = [f"get_{kind}", f"{kind}_record", f"{kind}_data", f"{kind}_card", f"show_{kind}", f"{kind}_details"]
    name = odd_name(rng, [n.replace(" ", "_") for n in names])
    parameter = rng.choice(("name", kind.replace(" ", "_"), "id", "query"))
    joint = rng.choice((", ", "; ", " | ", "\n"))
    unnamed = rng.random() < bare  # values without their names

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
        told = [v[0] if unnamed else f"{k} {v[0]}" for k, v in drawn.items()]
        seen = f"{asked}: " + joint.join(told)
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


def weather(rng: random.Random, own: float = 0.6) -> Kit:
    """The lab's weather tool, or another like it."""
    own = rng.random() < own
    name = "get_weather" if own else odd_name(rng, ["weather", "forecast", "sky_now", "weather_at", "meteo"])
    parameter = "city" if own else rng.choice(("place", "town", "location", "where"))
    description = (
        "Weather in a city: temperature, rain and wind." if own
        else rng.choice(("Current weather of a place.", "Temperature, sky and wind at a place.",
                         "Tells the weather at a location. Use it for rain, wind or heat."))
    )  # fmt: skip
    style = 0 if own else rng.randrange(1, 4)

    def shown(rng, place: str) -> tuple[str, dict]:
        """What the tool says about a place, and the figures in it."""
        degrees, sky = rng.randint(-18, 39), rng.choice(pools.SKIES)
        wind, rain = rng.randint(0, 26), rng.randint(1, 60) if any(w in sky for w in pools.WET) else 0
        seen = (
            f"{place}: {degrees} °C, {sky}, rain {rain} mm, wind {wind} m/s "
            f"(made-up lab figures for {rng.randint(2020, 2029)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}).",
            f"{place}: {degrees} °C, {sky}, wind {wind} m/s, rain {rain} mm",
            f"{sky}, {degrees} °C, wind {wind} m/s, rain {rain} mm",
            f"Weather in {place}: {sky}, {degrees} °C. Wind {wind} m/s. Rain {rain} mm.",
        )[style]
        return seen, {"temp": degrees, "sky": sky, "rain": rain, "wind": wind}

    def draw(rng, entity=None) -> Part:
        place = entity or pools.place(rng)
        seen, told = shown(rng, place)
        degrees, sky, rain, wind = told.values()
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
               takes="town", source=shown)  # fmt: skip


def clock(rng: random.Random, own: float = 0.6) -> Kit:
    """The lab's clock, or another like it."""
    own = rng.random() < own
    name = "get_current_time" if own else odd_name(rng, ["time_in", "world_clock", "local_time", "now_at", "clock"])
    parameter = "city" if own else rng.choice(("place", "town", "location", "zone"))
    description = (
        "Current date and time in a city. Use it for time, date or weekday." if own
        else rng.choice(("Local time and date of a place.", "What the clock says at a place.",
                         "World clock: time, day and date."))
    )  # fmt: skip
    style = 0 if own else rng.randrange(1, 3)

    def shown(rng, place: str, utc: datetime | None = None) -> tuple[str, dict]:
        """What the tool says about a place, and the figures in it. utc: the moment, else any."""
        utc = utc or datetime(2019, 1, 1) + timedelta(minutes=rng.randrange(12 * 365 * 24 * 60))
        ahead = rng.randint(-11, 12) * 60 + rng.choice((0, 0, 0, 30, 45))
        now = utc + timedelta(minutes=ahead)
        offset = f"{'-' if ahead < 0 else '+'}{abs(ahead) // 60:02}:{abs(ahead) % 60:02}"
        region = rng.choice(("Europe", "Asia", "America", "Africa", "Pacific"))
        day, date, time = now.strftime("%A"), f"{now:%Y-%m-%d}", f"{now:%H:%M}"
        unix, zone = calendar.timegm(utc.timetuple()), f"{region}/{place.replace(' ', '_')}"
        seen = (
            f"{place}: {time}:{utc:%S} on {day} {date}, {zone} (UTC{offset}), Unix time {unix}, "
            f"""read from {rng.choice(("a clock fixed for the lesson", "this computer's clock"))}.""",
            f"{place}: {day} {date}, {time}",
            f"It is {time} on {day}, {date}, in {place}.",
        )[style]
        told = {"time": time, "date": date, "weekday": day, "zone": zone, "offset": offset, "unix": unix, "utc": ahead / 60,
                "year": now.year, "month": now.month, "day": now.day, "hour": now.hour, "minute": now.minute, "full": style == 0}  # fmt: skip
        return seen, told

    def draw(rng, entity=None) -> Part:
        place = entity or pools.place(rng)
        seen, told = shown(rng, place)
        time, date, day = told["time"], told["date"], told["weekday"]
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
               takes="town", source=shown)  # fmt: skip


def search(rng: random.Random, own: float = 0.6) -> Kit:
    """The lab's document search, or another like it."""
    own = rng.random() < own
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
        kind = rng.random()
        if kind < 0.6:
            return told_in_passage(rng)
        if kind < 0.85:
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

    def told_in_passage(rng) -> Part:
        page = natural.passage(rng)
        entry, question = page.fact(rng)
        pages = [page] if rng.random() < 0.5 else [page, natural.passage(rng)]
        if rng.random() < 0.15:
            pages.reverse()
        return page.part(rng, name, parameter, entry, question, natural.as_found(rng, style, *pages))

    example = {parameter: rng.choice(("opening hours", "free shipping", "key deposit", "late fee"))}
    return Kit(make_tool(rng, name, description, [parameter], example), draw_fact, "search", source=style)


def compute(rng: random.Random, own: float = 0.7) -> Kit:
    """The lab's calculator, or the same under another name."""
    own = rng.random() < own
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
        return Part(f"{before} {joined} {behind}".replace(" .", ".").strip(), term, name, {parameter: term}, result, result,
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
        return Part(filled(question), expression, name, {parameter: expression}, result, result,
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
_others = {row[0]: row[1:] for row in pools.phrases("pairs")}
PAIRS = [row + _others.get(row[0], []) for row in PAIRS] + pools.phrases("more_pairs")
_others = {row[0]: row[1:] for row in pools.phrases("rules")}
TOPICS = [row + _others.get(row[0], []) for row in TOPICS] + pools.phrases("more_rules")
SUMS += pools.phrases("more_sums")
CHAT += pools.phrases("more_chat")
WEATHER, CLOCK = {}, {}
for table, name in ((WEATHER, "weather"), (CLOCK, "clock")):
    for what, question in pools.phrases(name):
        table.setdefault(what, []).append(question)
ATTRIBUTES = NUMBERS + WORDS
OPENERS.update(
    text.split()[0].strip(",.?:")
    for texts in [*PHRASES.values(), *WEATHER.values(), *CLOCK.values(), *TOPICS, *PAIRS, *[(row[0], row[3]) for row in SUMS], *[row[2:] for row in LISTS]]
    for text in texts
    if text and text[0].isupper() and "{" not in text.split()[0] and not text.startswith(("I ", "I'"))
)
OPENERS -= {"PERSON", "PLACE", "DAY", "MONTH"}
FILLERS, BEFORE, BEHIND = (
    [text for line in pools.rows(table) for text in line]
    for table in (pools.FILLER, pools.BEFORE, pools.BEHIND)
)
