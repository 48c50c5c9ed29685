"""Scenarios: what can happen in a run, each as a script of replies and tool results.

A scenario takes a World (the tools of one system prompt, and the dice) and returns a Script, or
None when these tools do not lend themselves to it.
"""

import json
import random
from dataclasses import dataclass, field

from react_lab.toolkit import calculator
from training import pools
from training.kits import (
    CHAT,
    FILLERS,
    FINER,
    TOPICS,
    lookup,
)
from training.natural import as_found, filled, passage, passage_chain
from training.parts import Kit, Part, call_key, keywords, lowered, sentence, sentence_case


@dataclass
class Script:
    """The replies of one episode, and what the tools will answer."""

    question: str
    replies: list = field(default_factory=list)  # (text or (thought, tool, arguments), trained)
    results: dict = field(default_factory=dict)
    steps: int = 8
    tools: list = field(default_factory=list)  # tools of its own, where a row brings them

    def call(self, thought: str, tool: str, arguments: dict, *results, train: bool = True):
        self.replies.append(((thought, tool, arguments), train))
        if results:
            self.results.setdefault((tool, call_key(arguments)), []).extend(results)
        return self

    def part(self, thought: str, part: Part):
        return self.call(thought, part.tool, part.arguments, part.seen)

    def raw(self, text: str):
        self.replies.append((text, False))
        return self

    def answer(self, thought: str, text: str):
        self.replies.append(((thought, None, sentence(text)), True))
        return self


SHARE = {"natural": 3, "search": 3, "weather": 2, "clock": 2}  # the others 1


@dataclass
class World:
    """What one system prompt offers, and the dice."""

    rng: random.Random
    kits: list[Kit]
    plan: bool = True  # thoughts keep what is open in view; else they say the next need only

    def known(self, *values: str, short: str = "I know the answer.") -> str:
        """The thought before an answer: all that was learnt, and that nothing is open."""
        return f"{'; '.join(dict.fromkeys(values))}. Nothing is open." if self.plan else short

    def kit(self, *kinds: str, test=lambda kit: True) -> Kit | None:
        fit = [k for k in self.kits if (not kinds or k.kind in kinds) and test(k)]
        return self.rng.choices(fit, [SHARE.get(k.kind, 1) for k in fit])[0] if fit else None

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


FACTS = ("natural", "lookup", "record", "pair", "qualified", "weather", "clock", "search")


def asking(world: World, part: Part) -> str:
    """One of many ways to ask for a Part."""
    rng, question, noun = world.rng, part.question, part.noun
    small = lowered(question)
    if noun.startswith("this:") or noun in part.arguments.values():
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
    plain = opens.strip(",:") in (
        "compute", "calculate", "please", "find", "raise", "take", "multiply", "double", "add", "sum", "turn", "tell",
        "give", "check", "show", "look", "let", "name", "list", "i",
    )  # fmt: skip
    return text + (rng.choice((".", "", ".")) if plain else rng.choice(("?", "?", "?", "?", "")))


def need(world: World, part: Part) -> str:
    """The thought before a single call."""
    return part.thought or f"I need {part.noun}."


def one(world: World) -> Script | None:
    part = world.part(*FACTS) if world.rng.random() < 0.75 else world.part("compute")
    if not part:
        return None
    return Script(asking(world, part)).part(need(world, part), part).answer(world.known(part.value or part.says), part.says)


def two(world: World) -> Script | None:
    rng = world.rng
    first = world.part(*FACTS, "compute")
    if not first:
        return None
    if rng.random() < 0.5:
        return several(world, 2)
    second = world.part(*FACTS, "compute")
    if rng.random() < 0.4 and first.entity:  # two tools for one thing
        kit = world.kit("weather", "clock", test=lambda k: k.tool.name != first.tool)
        takes = next((k.takes for k in world.kits if k.tool.name == first.tool), "")
        if kit and takes == "town":
            second = kit.draw(rng, first.entity)
    if not second or (second.tool, second.arguments) == (first.tool, first.arguments):
        return None
    a, b = first.question.rstrip("?."), second.question.rstrip("?.")
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
            if rng.random() < 0.4:
                both = f"{first.noun.removesuffix(place)} and {second.noun.removesuffix(place)} {rng.choice(('for', 'at', 'over in'))} {first.entity}"
            asks += [f"Tell me {both}.", f"What are {both}?", f"I need {both}, please.", f"{both[0].upper()}{both[1:]}?"]
    return tell_all(world, rng.choice(asks), [first, second])


def several(world: World, count: int) -> Script | None:
    """One tool, two or three things."""
    rng = world.rng
    kit = world.kit("natural", "lookup", "weather", "clock", "pair", "qualified", "compute", "record")
    if not kit:
        return None
    first = kit.draw(rng)
    parts = [first]
    while len(parts) < count:
        more = kit.source.like(rng, first) if kit.kind == "natural" else kit.draw(rng)
        if more.arguments in [p.arguments for p in parts]:
            return None
        if kit.kind != "natural" and first.entity and kit.kind != "pair" and _shape(more) != _shape(first):
            continue
        parts.append(more)
    if kit.kind in ("pair", "compute"):
        asked, small = first.question.rstrip("?."), lowered(parts[1].question.rstrip("?."))
        ask = world.say(f"{asked}, and {small}?", f"{asked} and {small}?",
                        f"{asked}? And {small}?")  # fmt: skip
        return tell_all(world, ask, parts[:2])
    names = [p.entity for p in parts]
    if kit.kind == "natural":
        plain = ", ".join(names[:-1]) + " and " + names[-1]
        body, noun = (text.replace(first.entity, plain) for text in (first.question, first.noun))
        asks = [body, body, f"What is {noun}", f"Tell me {noun}", f"{first.question}, and what about {' and '.join(names[1:])}",
                f"{first.question}? And {' and '.join(names[1:])}", f"I want to know {noun}"]  # fmt: skip
        return tell_all(world, question_mark(rng, rng.choice(asks)), parts)
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
    asked_for(world, script, parts)
    says = [parts[0].says] + [lowered(p.says) for p in parts[1:]]
    answer = says[0] + "".join((", " if len(says) > 2 and n < len(says) - 1 else ", and " if len(says) > 2 else " and ") + s
                               for n, s in enumerate(says[1:], 1))  # fmt: skip
    if any(s.startswith(("Yes", "No")) or s.endswith(".") for s in says):
        answer = " ".join(sentence(s) for s in says)
    known = world.known(*(p.value for p in parts), short=f"I know {'both' if len(parts) == 2 else 'all'} parts.")
    return script.answer(known, answer)


COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}


def goal(part: Part) -> str:
    """What a Part is about, as a thought names it."""
    return part.noun.removeprefix("this: ")


def asked_for(world: World, script: Script, parts: list[Part], after: str = "") -> None:
    """One call for each part; the thoughts name the parts first, then what came and is open.

    after: what comes behind the last part, such as a calculation.
    """
    goals = [goal(part) for part in parts]
    listed = f"{', '.join(goals[:-1])} and {goals[-1]}"
    for place, part in enumerate(parts):
        still = "; ".join(goals[place:] + ([after] if after else []))
        if not world.plan:
            thought = f"I need {listed}." if place == 0 else f"Now {goals[place]}."
        elif place:
            thought = f"{parts[place - 1].value}. Still open: {still}."
        elif after:
            thought = f"First {'; '.join(goals)}. Then {after}."
        else:
            thought = f"{COUNTS[len(parts)]} parts: {still}."
        script.part(thought, part)


def then(world: World, part: Part, text: str) -> str:
    """The thought before the last step: what came, and what is open."""
    return f"{part.value}. Still open: {text}." if world.plan else f"Now {text}."


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


LESS = {"warmer": "colder", "windier": "calmer", "wetter": "drier"}


def compare(world: World) -> Script | None:
    found = _two_numbers(world)
    if not found:
        return None
    a, b = found
    rng = world.rng
    bigger, smaller = (a, b) if float(a.number) > float(b.number) else (b, a)
    joiner = world.say(" or ", " or ", " or rather ")
    less = LESS.get(a.more, "")
    form = 2 if less and rng.random() < 0.4 else rng.random()
    head = a.noun.replace(a.entity, "").strip().removesuffix(" of").removesuffix(" in").removeprefix("the ")
    if form == 2:
        ask = world.say(f"Which is {less}, {a.entity} or {b.entity}?", f"Is it {less} in {a.entity} or in {b.entity}?",
                        f"Where is it {less} today, {a.entity} or {b.entity}?")  # fmt: skip
        answer, best = f"{smaller.entity} is {less}, with {smaller.value}", smaller
    elif less and form < 0.4:
        ask = world.say(f"Is it {a.more} in {a.entity} or in {b.entity}?", f"Where is it {a.more}, {a.entity} or {b.entity}?",
                        f"Which place is {a.more} now, {a.entity} or {b.entity}?")  # fmt: skip
        answer, best = f"{bigger.entity} is {a.more}, with {bigger.value}", bigger
    elif form < 0.45:
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
    return _compared(world, script, a, b, best, answer)


def _compared(world: World, script: Script, a: Part, b: Part, best: Part, answer: str) -> Script:
    """Both values, then which is the larger or smaller one: by the calculator if there is one."""
    more = float(best.number) == max(float(a.number), float(b.number))
    math = world.kit("compute")
    asked_for(world, script, [a, b], f"the {'larger' if more else 'smaller'} one" if world.plan else "")
    if world.plan and (not math or world.rng.random() < 0.6):  # two numbers need no calculator
        sign = "more" if more else "less"
        other = b if best is a else a
        return script.answer(f"{a.entity} {a.number}, {b.entity} {b.number}: {best.number} is {sign} than {other.number}, so {best.entity}. Nothing is open.", answer)
    if not math:
        sign = "more" if more else "less"
        return script.answer(f"{a.entity} {a.number}, {b.entity} {b.number}: {best.number} is {sign}, so it is {best.entity}.", answer)
    term = f"{'max' if more else 'min'}({a.number}, {b.number})"
    script.call(then(world, b, f"the {'larger' if more else 'smaller'} of {a.number} and {b.number}"), math.tool.name, {_only(math): term}, calculator(term))
    return script.answer(world.known(f"{best.number} is {best.entity}", short=f"{best.number} is {best.entity}."), answer)


def natural_compare(world: World) -> Script | None:
    """A comparison in natural words."""
    kit = world.kit("natural", test=lambda k: k.source.row.get("compare"))
    found = kit and kit.source.compared(world.rng)
    if not found:
        return None
    ask, a, b, best, says = found
    script = Script(question_mark(world.rng, ask))
    if world.rng.random() < 0.4:
        says = f"{says}, with {best.value}"
    return _compared(world, script, a, b, best, says)


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
    script = Script(ask)
    asked_for(world, script, [a, b], "the difference" if world.plan else "")
    script.call(then(world, b, f"{big.number} minus {small.number}"), math.tool.name, {_only(math): term}, result)
    return script.answer(world.known(f"{result} {a.unit}".strip(), short="I know the difference."), f"the difference is {result} {a.unit}")


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
    asked_for(world, script, parts, f"the {word}" if world.plan else "")
    listed = ", ".join(p.number for p in parts[:-1]) + " and " + parts[-1].number
    thought = then(world, parts[-1], f"the {word} of {listed}") if world.plan else "Now I compute the mean." if mean else "Now I add them."
    script.call(thought, math.tool.name, {_only(math): term}, result)
    return script.answer(world.known(f"{result} {parts[0].unit}".strip(), short="I know the result."), f"the {word} {head} is {result} {parts[0].unit}")


def _only(kit: Kit) -> str:
    return next(iter(kit.tool.parameters["properties"]))


def chain_math(world: World) -> Script | None:
    """A looked-up number goes into a calculation. The answer says what was asked, not the way."""
    rng, math = world.rng, world.kit("compute")
    part = world.part("lookup", "record", "pair", "qualified", "weather", "search", "search", "search", test=lambda p: p.number)
    if not part or not math:
        return None
    n, k, unit, say = part.number, rng.randint(2, 40), part.unit, world.say
    noun, ask_first = part.noun.removeprefix("this: "), part.question
    odd = noun.startswith("the passage") or part.noun.startswith("this:")
    form, people = rng.random(), rng.random() < 0.5
    if unit == "degrees" and form < 0.7:
        word, sign = rng.choice((("warmer", "+"), ("colder", "-")))
        ask = say(f"If {part.entity} gets {k} degrees {word}, how warm is it there then?",
                  f"How warm is {part.entity} when it becomes {k} degrees {word}?",
                  f"Tomorrow {part.entity} will be {k} degrees {word}. How many degrees are that?")  # fmt: skip
        term, thought = f"{n}{sign}{k}", f"{n} {'plus' if sign == '+' else 'minus'} {k}"
        answer = f"it will be {{v}} degrees in {part.entity}"
    elif unit in FINER and form < 0.4:
        fine, factor = FINER[unit]
        term, thought = f"{n}*{factor}", f"{n} times {factor}"
        if rng.random() < 0.5:
            ask = say(f"{ask_first}, and how many {fine} is that?", f"{ask_first}, and what is that in {fine}?")
            answer = f"it is {n} {unit}, and that is {{v}} {fine}"
        else:
            ask = say(f"{ask_first} in {fine}?", f"{ask_first}? I need it in {fine}.", f"{ask_first}? Please tell me in {fine}.")
            if unit in ask_first and rng.random() < 0.6:
                ask = ask_first.replace(unit, fine.split()[0]) + "?"
            answer = f"it is {{v}} {fine}"
    elif unit in ("euros", "dollars", "cents") and form < 0.8:
        what = part.entity.removeprefix("the ") if part.entity else "that"
        term, thought, answer = f"{n}*{k}", f"{k} times {n}", f"it is {{v}} {unit} for {k}"
        if rng.random() < 0.3:
            purse = int(float(n)) + rng.randint(5, 400)
            ask = say(f"I have {purse} {unit}. How much is left after that? {ask_first}?" if odd else f"I have {purse} {unit}. How much is left after paying {noun}?",
                      f"{ask_first}, and how much of {purse} {unit} is left then?")  # fmt: skip
            term, thought, answer = f"{purse}-{n}", f"{purse} minus {n}", f"{{v}} {unit} are left"
        elif people:
            ask = say(f"We are {k} people. {ask_first} for all of us?", f"{k} of us go there. {ask_first} together?",
                      f"{ask_first} for {k} people?", f"{ask_first}? There are {k} of us.")  # fmt: skip
            answer = f"for {k} people it is {{v}} {unit}"
        elif odd:
            ask = say(f"{ask_first}, and what is it for {k} of them?", f"{ask_first}? What do {k} cost?",
                      f"We need it {k} times. {ask_first}, and what do we pay in all?")  # fmt: skip
        else:
            ask = say(f"What do I pay for {k} times {what}?", f"We are {k}. What is it in all if each pays {noun}?", f"How much is {noun} times {k}?",
                      f"I want {k} of {what}. What is the price together?", f"What do {k} {what}s cost together?", f"How much are {k} {what}s?")  # fmt: skip
    elif unit and unit not in ("euros", "dollars", "cents", "degrees", "percent") and float(n) > 3 and (odd or form > 0.85):
        spent = rng.randint(1, int(float(n)))
        ask = say(f"If I use {spent} {unit} now, how much is left? {ask_first}?", f"I have had {spent} {unit} so far. {ask_first}, and what remains?",
                  f"{ask_first}? I took {spent} already, so how many are left?", f"{spent} {unit} are gone already. {ask_first}, and how many are left then?")  # fmt: skip
        if not odd and rng.random() < 0.5:
            ask = f"I have used {spent} {unit} of {noun}. What is left?"
        term, thought, answer = f"{n}-{spent}", f"{n} minus {spent}", f"{{v}} {unit} are left"
    else:
        word, sign = rng.choice((("times", "*"), ("plus", "+"), ("minus", "-"), ("divided by", "/"), ("times", "*")))
        if sign == "/" and float(n) % k:
            k = next((d for d in (5, 4, 3, 2, 8, 10) if float(n) % d == 0), 2)
        term, thought = f"{n}{sign}{k}", f"{n} {word} {k}"
        if odd:
            ask = say(f"{ask_first}, and what is that {word} {k}?", f"{ask_first}? Then take it {word} {k}.")
            answer = f"it is {part.value}, and {word} {k} that is {{v}}"
        else:
            ask = say(f"What is {noun} {word} {k}?", f"Compute {noun} {word} {k}.", f"If you take {noun} {word} {k}, what do you get?")
            answer = f"{noun} {word} {k} is {{v}}"
        if sign in "+-" and rng.random() < 0.5 and not odd:
            rise = "goes up" if sign == "+" else "falls"
            ask = say(f"If {noun} {rise} by {k}, what is it then?", f"What will {noun} be when it {rise} by {k}?")
            answer = f"{noun} will be {{v}} {unit}".strip()
    return _computed(world, ask, part, term, thought, answer)


def _computed(world: World, ask: str, part: Part, term: str, thought: str, answer: str) -> Script | None:
    """One call, then a calculation, then the answer with its result for {v}."""
    math = world.kit("compute")
    try:
        result = calculator(term)
    except ValueError:
        return None
    noun = part.noun.removeprefix("this: ")
    planned = f"First {noun}, then {thought.replace(part.number, 'that', 1) if part.number else 'the calculation'}."
    script = Script(ask).part(planned if world.plan else f"First I need {noun}.", part)
    script.call(then(world, part, thought), math.tool.name, {_only(math): term}, result)
    return script.answer(world.known(result, short="I know the result."), answer.replace("{v}", result).replace("{r}", result))


def natural_chain(world: World) -> Script | None:
    """The same in natural words, with a tool or a passage first; or a second tool behind it."""
    rng = world.rng
    kit = world.kit("natural", "search", test=lambda k: k.kind == "search" or k.source.row.get("sums") or k.source.row.get("then"))
    chain = kit and (passage_chain(rng, kit) if kit.kind == "search" else kit.source.chain(rng))
    if not chain:
        return None
    ask = question_mark(rng, chain.question)
    if chain.term:
        return world.kit("compute") and _computed(world, ask, chain.part, chain.term, chain.thought, chain.says)
    second = world.kit(chain.then)
    if not second:
        return None
    place = chain.part.value
    wanted = {"weather": "the temperature in", "clock": "the time in"}[chain.then]
    for _ in range(30):
        part = second.draw(rng, place)
        if part.noun == f"{wanted} {place}":
            planned = f"First {chain.part.noun}, then {wanted} that place."
            script = Script(ask).part(planned if world.plan else f"First I need {chain.part.noun}.", chain.part)
            script.part(then(world, chain.part, part.noun) if world.plan else f"It is {place}. Now {part.noun}.", part)
            return script.answer(world.known(place, part.value), part.says)
    return None


def both(world: World) -> Script | None:
    """Two questions that one call answers."""
    kit = world.kit("natural")
    part = kit and kit.source.both(world.rng)
    if not part:
        return None
    return Script(question_mark(world.rng, part.question)).part(need(world, part), part).answer(world.known(part.says, short="I know both parts."), part.says)


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
    script = Script(ask).call(f"First the data of {name}, then the difference." if world.plan else f"First I need the data of {name}.", kit.tool.name, {_only(kit): asked}, seen)
    thought = f"{one} {high:g}, {two} {low:g}. Still open: the difference." if world.plan else f"Now {high:g} minus {low:g}."
    script.call(thought, math.tool.name, {_only(math): term}, calculator(term))
    return script.answer(world.known(f"{calculator(term)} {unit}", short="I know the difference."), f"the difference is {calculator(term)} {unit}")


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
    planned = f"First {a.noun}, then {small} {'that person' if wanted[0] == 'person' else 'that place'}."
    script = Script(ask).part(planned if world.plan else f"First I need {a.noun}.", a)
    script.part(then(world, a, b.noun) if world.plan else f"It is {a.value}. Now {b.noun}.", b)
    return script.answer(world.known(a.value, b.value), b.says if rng.random() < 0.6 else f"{a.says}. {sentence(b.says)}")


def threshold(world: World) -> Script | None:
    part = world.part("lookup", "record", "weather", test=lambda p: p.number and p.more)
    if not part:
        return None
    number = float(part.number)
    limit = round(number * world.rng.choice((0.5, 0.8, 1.3, 2))) + world.rng.randint(-3, 3)
    if limit == number or limit <= 0:
        return None
    yes = number > limit
    ask = world.say(f"Is {part.noun} above {limit}?", f"Is {part.noun} more than {f'{limit} {part.unit}'.strip()}?", f"Does {part.noun} exceed {limit}?")
    script = Script(ask).part(need(world, part), part)
    thought = f"{part.number} is {'more' if yes else 'not more'} than {limit}." + " Nothing is open." * world.plan
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
    search = world.kit("search")
    if search and rng.random() < 0.45:
        return not_told(world, search)
    part = world.part("natural", "search", "lookup", "record", "weather", "clock", "pair")
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
            words = str(name).split()
            again = {next(iter(part.arguments)): " ".join(words[1:] or words[:1] + ["rule"])}
            found = rng.random() < 0.4
            script.call("Nothing fits. I try other words.", part.tool, again,
                        part.seen if found else f"No passage found for {again[next(iter(again))]!r}. Try other words.")  # fmt: skip
            if found:
                return script.answer(world.known(part.value or part.says), part.says)
        return script.answer("The passages do not say it.", f"I could not find {noun}")
    reason = rng.choice(kit.source.row["none"]).replace("{e}", name) if kit.kind == "natural" else rng.choice((
        f"There is no {kit.takes or 'entry'} named {name!r}.", f"Unknown name: {name}.", f"{name!r} is not in the table.",
        f"There is no {noun.split()[1] if noun.startswith('the ') else 'result'} for {name!r}. Check the name. If it was right, say that it is not known.",
        f"Nothing is known about {name!r}. Write a full name, such as the one in the example.",
    ))  # fmt: skip
    result = ValueError(reason) if rng.random() < 0.7 else rng.choice(("not found", "No entry.", f"{name}: no data", "[]", "null"))
    script.call(need(world, part), part.tool, part.arguments, result)
    return script.answer("It is not known.", rng.choice((f"I could not find {noun}", f"{noun} is not known")))


def not_told(world: World, kit: Kit) -> Script:
    """A question that the passages found do not answer; sometimes another search does."""
    rng = world.rng
    page, other = passage(rng), passage(rng)
    key = _only(kit)
    shown = as_found(rng, kit.source, *rng.choice(((page,), (page, other), (other,))))
    if rng.random() < 0.35 and len(page.row["facts"]) > 1:  # other words find it
        entry, ask = page.fact(rng)
        part = page.part(rng, kit.tool.name, key, entry, ask, as_found(rng, kit.source, page))
        query = keywords(ask)
        if {key: query} == part.arguments:
            return None
        first = rng.choice((f"No passage found for {query!r}. Try other words.", as_found(rng, kit.source, other)))
        script = Script(question_mark(rng, ask)).call(f"I search for {query}.", kit.tool.name, {key: query}, first)
        return script.part("Nothing fits. I try other words.", part).answer(world.known(part.value or part.says), part.says)
    ask = filled(rng.choice(page.row["none"]), page.values)
    query = keywords(ask)
    nothing = f"No passage found for {query!r}. Try other words."
    script = Script(question_mark(rng, ask)).call(f"I search for {query}.", kit.tool.name, {key: query}, nothing if rng.random() < 0.25 else shown)
    if rng.random() < 0.3:
        again = " ".join(query.split()[1:]) or f"{query} rule"
        again_shown = f"No passage found for {again!r}. Try other words." if rng.random() < 0.6 else as_found(rng, kit.source, other)
        script.call("Nothing fits. I try other words.", kit.tool.name, {key: again}, again_shown)
    return script.answer("The passages do not say it.", f"I could not find anything about {query}")


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
        return script.call(again, part.tool, part.arguments, part.seen).answer(world.known(part.value or part.says), part.says)
    script.call(again, part.tool, part.arguments, rng.choice((fault, rng.choice(FAULTS))))
    return script.answer("It failed twice, so I give up.", f"I could not find {noun}, because the tool failed twice")


def flaky_two(world: World) -> Script | None:
    """Two parts, the first of which fails once."""
    script = two(world) or several(world, 2)
    if not script:
        return None
    thought, tool, arguments = script.replies[0][0]
    script.results[(tool, call_key(arguments))].insert(0, world.rng.choice(FAULTS))
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
    return script.answer(world.known(part.value or part.says), part.says)


def astray(world: World) -> Script | None:
    """The wrong tool was asked and does not know: take the right one. The mistake is not trained."""
    rng = world.rng
    part = world.part("natural", "natural", *FACTS, "compute")
    wrong = world.kit(test=lambda k: part and k.tool.name != part.tool and k.kind != "compute")
    if not part or not wrong:
        return None
    if wrong.kind == "search":
        query = keywords(part.noun) if part.number != part.value else keywords(part.question)
        nothing = f"No passage found for {query!r}. Try other words."
        shown = nothing if rng.random() < 0.5 else as_found(rng, wrong.source, *[passage(rng) for _ in range(rng.choice((1, 2)))])
        script = Script(asking(world, part)).call(f"I search for {query}.", wrong.tool.name, {_only(wrong): query}, shown, train=False)
        return script.part(f"That was the wrong tool. I use {part.tool}.", part).answer(world.known(part.value or part.says), part.says)
    parameters = list(wrong.tool.parameters["properties"])
    about = part.entity or part.question.split()[-1]
    bad = dict.fromkeys(parameters, pools.asked_as(about, ""))
    error = ValueError(rng.choice((f"Nothing called {about!r} is known.", f"There is no {wrong.takes or 'entry'} named {about!r}.",
                                   f"{about!r} is not known. Write another name.")))  # fmt: skip
    script = Script(asking(world, part))
    script.call(f"I need {part.noun}.", wrong.tool.name, bad, error, train=False)
    return script.part(f"That was the wrong tool. I use {part.tool}.", part).answer(world.known(part.value or part.says), part.says)


def repeated(world: World) -> Script | None:
    """The same call three times; the lab warns; then the answer."""
    part = world.part(*FACTS, "compute")
    if not part:
        return None
    script = Script(asking(world, part))
    for _ in range(3):
        script.call(need(world, part), part.tool, part.arguments, part.seen, train=False)
    return script.answer(world.known(part.value, short="I know the answer already."), part.says)


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
        return script.answer(world.known(part.value or part.says), part.says)
    key, name = next(iter(part.arguments)), str(next(iter(part.arguments.values())))
    broad = {key: name.split()[0]}
    if broad == part.arguments:
        return None
    script.call(need(world, part), part.tool, broad, (filler + " " + part.seen, 200), train=False)
    return script.part("The result was cut. I ask for less.", part).answer(world.known(part.value or part.says), part.says)


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
    script = Script(f"{part.question}, and what is {other.noun}?").part(f"Two parts: {goal(part)}; {other.noun}." if world.plan else f"First I need {part.noun}.", part)
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
    one: 32, both: 3, two: 26, three: 2, compare: 8, natural_compare: 12, difference: 3, total: 5, chain_math: 18, natural_chain: 34,
    span: 4, chain_lookup: 6, threshold: 3, chat: 8, unfit: 2, missing: 14, undefined: 2, flaky: 9, flaky_two: 3, mended: 4, astray: 10,
    repeated: 1, cut: 1, last_call: 2, refused: 1,
}  # fmt: skip
