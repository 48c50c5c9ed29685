"""The agent in pydantic-ai: the loop is inside `Agent.run_sync`.

LLM_BASE_URL=... python -m benchmarks.frameworks.pydantic_ai_agent

It needs the packages of requirements.txt.
"""

from collections.abc import Callable

from pydantic_ai import Agent, ModelRetry, UsageLimitExceeded, capture_run_messages
from pydantic_ai import Tool as TheirTool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from benchmarks.frameworks.task import (
    QUESTION,
    ROUNDS,
    SYSTEM,
    TOOLS,
    settings,
    show,
    show_packages,
)
from react_lab.registry import Tool


def guarded(function: Callable) -> Callable:
    """The function; its errors go back to the model. Any other exception would end the run."""

    def run(**arguments: object) -> str:
        try:
            return function(**arguments)
        except Exception as error:
            raise ModelRetry(str(error)) from None

    return run


def as_tool(tool: Tool) -> TheirTool:
    """A tool of the lab as one of pydantic-ai's."""
    return TheirTool.from_schema(
        guarded(tool.function),
        name=tool.name,
        description=tool.description,
        json_schema=tool.parameters,
    )


def main() -> None:
    """Ask once, and print what happened."""
    address, key, name = settings()
    model = OpenAIChatModel(name, provider=OpenAIProvider(base_url=address, api_key=key))
    agent = Agent(model, instructions=SYSTEM, tools=[as_tool(tool) for tool in TOOLS], retries=3)
    end = ""
    with capture_run_messages() as messages:  # kept one by one: at the limit it raises
        try:
            agent.run_sync(QUESTION, usage_limits=UsageLimits(request_limit=ROUNDS))
        except UsageLimitExceeded as error:
            end = f"{type(error).__name__}: {error}"
    parts = [part for message in messages for part in message.parts]
    results = {one.tool_call_id: one.content for one in parts if isinstance(one, ToolReturnPart)}
    calls = [
        (one.tool_name, one.args_as_dict(), results.get(one.tool_call_id, "not run"))
        for one in parts
        if isinstance(one, ToolCallPart)
    ]
    answer = parts[-1].content if parts and isinstance(parts[-1], TextPart) else None
    said = [message for message in messages if isinstance(message, ModelResponse)]
    show(calls, answer, len(said), end)
    show_packages("pydantic-ai-slim[openai]")


if __name__ == "__main__":
    main()
