"""The agent by hand: the lab's loop with native calls.

LLM_BASE_URL=... python -m benchmarks.frameworks.react_lab_agent
"""

from benchmarks.frameworks.task import QUESTION, ROUNDS, SYSTEM, TOOLS, settings, show
from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models import ChatModel
from react_lab.parser import Action
from react_lab.registry import Registry


def main() -> None:
    """Ask once, and print what happened."""
    address, key, name = settings()
    agent = Agent(
        ChatModel(name, base_url=address, api_key=key),
        Registry(tuple(TOOLS)),
        system=SYSTEM,
        max_steps=ROUNDS,
        protocol=native_step,
    )
    run = agent.run(QUESTION)
    pairs = [pair for step in run.steps for pair in step.moves]
    calls = [(m.tool, m.arguments, seen.text) for m, seen in pairs if isinstance(m, Action)]
    show(calls, run.answer, len(run.replies), run.note)


if __name__ == "__main__":
    main()
