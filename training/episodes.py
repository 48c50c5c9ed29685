"""Episodes: what the embedded model learns from. Invented tools, real loop, drawn facts.

Every episode is a script of replies that is played through the lab's own loop, with tools that
answer from drawn data or compute for real. So each message is exactly one that the model will
meet later. `groups(seed)` yields them for ever, six behind each system prompt.

    python -m training.episodes --show 3     # look at some
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.prompt import RULES, message, native_prompt, system_prompt
from react_lab.registry import Observation, Registry, Tool
from training import natural, whole
from training.kits import (
    BEFORE,
    BEHIND,
    clock,
    compute,
    lookup,
    pair,
    qualified,
    record,
    search,
    weather,
)
from training.lab import LAB
from training.parts import call_key
from training.scenarios import SCENARIOS, Script, World
from training.words import PLAN, SHORT, use

EPISODES = 8  # behind one system prompt


def play(script: Script, registry: Registry, system: str) -> list[dict] | None:
    """Run a script through the real loop; returns its messages, or None if it went otherwise."""
    texts = [text if isinstance(text, str) else written(*text) for text, _ in script.replies]
    results = {key: list(values) for key, values in script.results.items()}

    class Played(Registry):
        """Tools that answer from the script. A short limit plays a long result cheaply."""

        def call(self, name, arguments):
            queue = results.get((name, call_key(arguments)))
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

    run = Agent(
        ScriptedModel(texts),
        Played(tuple(registry)),
        system=system,
        max_steps=script.steps,
        without=("repeats", "failures", "format faults"),
    ).run(script.question)
    last = run.last_word or run.steps[-1]
    if (
        run.stop not in ("answered", "step limit")
        or len(run.replies) != len(texts)
        or run.answer is None
    ):
        return None
    messages = [dict(m) for m in last.sent[1:]] + [{"role": "assistant", "content": texts[-1]}]
    trained = iter(flag for _, flag in script.replies)
    for entry in messages:
        if entry["role"] == "assistant":
            entry["train"] = next(trained)
    return messages


NUMBER = re.compile(r"\d+")


def grounded(messages: list[dict]) -> bool:
    """Whether every number of the answer stands in the question or in an observation."""
    known = " ".join(m["content"] for m in messages if m["role"] == "user")
    answer = messages[-1]["content"].rpartition("Final Answer: ")[2]
    if not any(m["content"].startswith(("Observation: ", "<tool_resp")) for m in messages):
        return True
    return set(NUMBER.findall(answer)) - {"0", "2"} <= set(NUMBER.findall(known))


def written(thought: str, tool: str | None, content) -> str:
    """A reply in the text format."""
    if tool is None:
        return f"Thought: {thought}\nFinal Answer: {content}"
    arguments = json.dumps(content, ensure_ascii=False)
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {arguments}"


def without_thoughts(messages: list[dict]) -> list[dict]:
    """The "act only" form of an episode."""
    return [
        {**m, "content": m["content"].split("\n", 1)[1]}
        if m["role"] == "assistant"
        and m["content"].startswith("Thought: ")
        and "\n" in m["content"]
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
        messages.append(
            {"role": "assistant", "content": f"<tool_call>{call}</tool_call>", "train": True}
        )
        result = results[(tool, call_key(value))].pop(0)
        if isinstance(result, tuple):
            return None
        if isinstance(result, Exception):
            result = f"Error: {type(result).__name__}: {result}"
        messages.append({"role": "user", "content": f"<tool_response>{result}</tool_response>"})
    return messages


def world(rng: random.Random) -> World:
    """Tools drawn for one system prompt: one to twelve, in any order."""
    lab = ((compute, 0.9), (weather, 0.65), (clock, 0.65), (search, 0.7))
    kits = [draw(rng, 0.9) for draw, chance in lab if rng.random() < chance]
    for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))):
        draw = rng.choice((natural.tool,) * 16 + (lookup, lookup, record, pair, qualified))
        kits.append(draw(rng))
        if draw is natural.tool and rng.random() < 0.45:  # one that is easily taken for it
            kits.append(natural.tool(rng, kits[-1]))
    if rng.random() < 0.12:  # a second tool for persons or towns: one result leads to the next
        first = next((k for k in kits if k.holds), None) or lookup(rng)
        wanted = "person" if first.holds == "PERSON" else "town"
        for _ in range(60):
            kit = lookup(rng)
            if kit.takes == wanted and first.holds:
                kits += [kit] + ([] if first in kits else [first])
                break
    rng.shuffle(kits)
    names = set()
    kits = [k for k in kits if not (k.tool.name in names or names.add(k.tool.name))][:12]
    return World(rng, kits or [compute(rng)], plan=rng.random() < 0.9)


def masked(rng: random.Random, tools: tuple[Tool, ...]) -> tuple[tuple[Tool, ...], dict, dict]:
    """The tools under names that say nothing, so that their descriptions have to be read.

    Returns the tools, {name: new name} and {(name, parameter): new parameter}.
    """
    names, keys, found = {}, {}, []
    for tool in tools:
        while (new := rng.choice(MASKS)(rng)) in names.values():
            pass
        names[tool.name] = new
        if rng.random() < 0.5:
            for place, key in enumerate(tool.parameters["properties"]):
                keys[tool.name, key] = f"{rng.choice(('p', 'arg', 'x', 'in', 'v'))}{place + 1}"

        def renamed(entries, name=tool.name) -> dict:
            return {keys.get((name, key), key): value for key, value in entries.items()}

        schema = tool.parameters | {
            "properties": renamed(tool.parameters["properties"]),
            "required": [keys.get((tool.name, key), key) for key in tool.parameters["required"]],
        }
        example = tool.example and renamed(tool.example)
        found.append(replace(tool, name=new, parameters=schema, example=example))
    return tuple(found), names, keys


def _letters(rng: random.Random) -> str:
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 6)))


MASKS = (
    lambda rng: f"{rng.choice(('tool', 'fn', 'op', 'svc', 'api', 'f', 't'))}_{rng.randint(1, 99)}",
    lambda rng: f"{_letters(rng)}_{rng.randint(0, 9)}",
    _letters,
    lambda rng: f"{rng.choice('abcdefghkmpqrtx')}{rng.randint(100, 999)}",
)


def rename(script: Script, names: dict, keys: dict) -> Script:
    """The script with tools and parameters under their new names, in thoughts too."""
    words = re.compile("|".join(rf"(?<!\w){re.escape(n)}(?!\w)" for n in names)) if names else None

    def text(old: str) -> str:
        return words.sub(lambda match: names[match[0]], old)

    def arguments(tool: str, old: dict) -> dict:
        return {keys.get((tool, key), key): value for key, value in old.items()}

    new = Script(script.question, steps=script.steps)
    for content, trained in script.replies:
        if isinstance(content, str):
            new.replies.append((text(content), trained))
        elif content[1] is None:
            new.replies.append(((text(content[0]), None, content[2]), trained))
        else:
            thought, tool, given = content
            done = names.get(tool, tool), arguments(tool, given)
            new.replies.append(((text(thought), *done), trained))
    for (tool, key), results in script.results.items():
        given = call_key(arguments(tool, json.loads(key)))
        new.results[names.get(tool, tool), given] = results
    return new


def worded(rng: random.Random, tools: list[Tool], examples: list[str]) -> str:
    """The lab's system prompt; every sixth time with other rules or another first line."""
    rules = None
    if rng.random() < 0.17:
        rules = list(RULES["en"].values())
        rng.shuffle(rules)
        rules = rules[: rng.randint(0, len(rules))]
    text = system_prompt(tools, rules=rules, examples=examples)
    if rng.random() < 0.15:
        first = rng.choice(
            (
                "You are a helpful assistant with tools.",
                "Answer the question. Use the tools below.",
                "You solve tasks step by step with tools.",
                "You are an agent.",
            )
        )
        text = text.replace("You answer questions by using tools.", first, 1)
    return text


def transcript(messages: list[dict]) -> str:
    """An episode as one text, to stand in a prompt as a worked example."""
    return "\n".join(m["content"] for m in messages)


def group(rng: random.Random) -> dict:
    """One system prompt and the episodes behind it."""
    place = world(rng)
    tools, row = tuple(kit.tool for kit in place.kits), None
    if whole.ROWS and rng.random() < 0.35:  # a hand-written episode brings its tools
        row = rng.choice(whole.ROWS)
        own = tuple(whole.tool_of(entry, None) for entry in row["tools"])
        taken = {tool.name for tool in own}
        tools = own + tuple(tool for tool in tools if tool.name not in taken)[: max(0, 9 - len(own))]
        listed = {tool.name: list(tool.parameters["properties"]) for tool in tools}
        place.kits = [
            kit
            for kit in place.kits
            if listed.get(kit.tool.name) == list(kit.tool.parameters["properties"])
        ]
    tools = tuple(rng.sample(tools, len(tools)))
    names, keys = {}, {}
    if rng.random() < 0.22:
        tools, names, keys = masked(rng, tools)
    registry = Registry(tools)
    form = rng.random()
    plain = system_prompt(registry)
    scenarios, weights = zip(*SCENARIOS.items(), *LAB.items())
    wanted = 1 if form < 0.03 else 2 if form < 0.04 else 0
    examples, episodes = [], []
    while len(episodes) < EPISODES:
        if row and (not place.kits or rng.random() < 0.5):
            made = whole.episode(rng, row, place.plan)
            script = made and made.script
        else:
            script = rng.choices(scenarios, weights)[0](place)
            if script and rng.random() < 0.1:
                script.question = f"{rng.choice(BEFORE)} {script.question}"
            elif script and rng.random() < 0.05 and script.question[-1] in ".?!":
                script.question = f"{script.question} {rng.choice(BEHIND)}"
        if script and names:
            script = rename(script, names, keys)
        messages = script and (native(script) if form > 0.97 else play(script, registry, plain))
        if not messages or not grounded(messages):
            continue
        if 0.94 < form <= 0.97:
            messages = without_thoughts(messages)
        if (
            len(examples) < wanted
            and len(messages) > 3
            and all(m.get("train", True) for m in messages)
        ):
            examples.append(transcript(messages))
        else:
            episodes.append(messages)
    if form > 0.97:
        system = native_prompt(registry)
    elif form > 0.94:
        system = system_prompt(registry, thoughts=False)
    else:
        system = worded(rng, list(registry), examples)
        if not place.plan:
            for field, words in SHORT.items():
                system = system.replace(f": {PLAN[field]}\n", f": {words}\n")
    return {"system": system, "episodes": episodes}


def groups(seed: int) -> Iterator[dict]:
    """Groups of episodes for ever; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        yield group(rng)


def main() -> None:
    ask = argparse.ArgumentParser(description="Print training episodes, or write them to a file.")
    ask.add_argument("--show", type=int, default=2, help="how many groups to print")
    ask.add_argument("--write", type=Path, help="a JSON Lines file to write instead")
    ask.add_argument("--groups", type=int, default=10_000, help="how many groups to write")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--words", default="next", help="of the prompt: shipped or next")
    given = ask.parse_args()
    use(given.words)
    if given.write:
        with open(given.write, "w", encoding="utf-8") as file:
            for drawn in islice(groups(given.seed), given.groups):
                file.write(json.dumps(drawn, ensure_ascii=False) + "\n")
        return
    for drawn in islice(groups(given.seed), given.show):
        print("=" * 100, drawn["system"], sep="\n")
        for episode in drawn["episodes"]:
            print("-" * 60)
            for entry in episode:
                mark = "" if entry.get("train", True) else "   (not trained)"
                print(f"{entry['role']}:{mark}\n{entry['content']}")


if __name__ == "__main__":
    main()
