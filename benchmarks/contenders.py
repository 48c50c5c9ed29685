"""The loops that are compared. Each is made once for a run's length, then asked many times.

`make(url, steps)` gives a function without arguments that asks QUESTION and returns the answer.
Clients and agents are made here, outside the clock; so is every import.
"""

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec

from benchmarks import floor as bare
from react_lab.loop import Agent
from react_lab.models import ChatModel
from react_lab.prompt import system_prompt
from react_lab.toolkit import calculator, lab_tools

QUESTION = "What are the first multiples of 12?"
MODEL, KEY = "benchmark", "none"
TOOLS = lab_tools().subset(["calculator"])
DESCRIPTION = TOOLS["calculator"].description

Ask = Callable[[], str | None]


def floor(url: str, steps: int) -> Ask:
    """The bare loop of floor.py, with the lab's system prompt."""
    import openai

    client = openai.OpenAI(base_url=url, api_key=KEY, max_retries=0)
    system, functions = system_prompt(TOOLS), {"calculator": calculator}
    return lambda: bare.loop(client, MODEL, system, functions, QUESTION, steps)


def react_lab(url: str, steps: int) -> Ask:
    """This lab's text loop, with all its brakes."""
    agent = Agent(ChatModel(MODEL, base_url=url, api_key=KEY), TOOLS, max_steps=steps)
    return lambda: agent.run(QUESTION).answer


# The peers, each as its own pages show it -------------------------------------------------

# The variables are LangChain's; the words are ours, as it has no prompt of its own any more.
LANGCHAIN_PROMPT = """You answer questions by using tools.
Tools:
{tools}

Reply with one step at a time:
Thought: what you need next
Action: one of [{tool_names}]
Action Input: one line of JSON
The system answers with an Observation. When you know the answer:
Thought: why you can answer
Final Answer: the answer

Question: {input}
{agent_scratchpad}"""


def langchain(url: str, steps: int) -> Ask:
    """create_react_agent and AgentExecutor: the text format in one user message."""
    from langchain_classic.agents import AgentExecutor, create_react_agent
    from langchain_core.prompts import PromptTemplate
    from langchain_core.tools import Tool
    from langchain_openai import ChatOpenAI

    def read(text: str) -> str:  # it hands the input on as text
        return calculator(**json.loads(text))

    tools = [Tool(name="calculator", func=read, description=DESCRIPTION)]
    model = ChatOpenAI(model=MODEL, base_url=url, api_key=KEY, max_retries=0)
    agent = create_react_agent(model, tools, PromptTemplate.from_template(LANGCHAIN_PROMPT))
    executor = AgentExecutor(agent=agent, tools=tools, max_iterations=steps, stream_runnable=False)
    return lambda: executor.invoke({"input": QUESTION})["output"]


def llama_index(url: str, steps: int) -> Ask:
    """ReActAgent of llama-index-core: the text format."""
    from llama_index.core.agent.workflow import ReActAgent
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    model = OpenAILike(model=MODEL, api_base=url, api_key=KEY, is_chat_model=True, max_retries=0)
    tool = FunctionTool.from_defaults(calculator, description=DESCRIPTION)
    agent = ReActAgent(tools=[tool], llm=model, streaming=False)
    turn = asyncio.new_event_loop()  # one for all runs: the client keeps to its loop

    async def ask():
        return str(await agent.run(QUESTION, max_iterations=steps + 1))

    return lambda: turn.run_until_complete(ask())


def smolagents(url: str, steps: int) -> Ask:
    """ToolCallingAgent: native calls, the answer too."""
    from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

    class Calculator(Tool):
        name, description, output_type = "calculator", DESCRIPTION, "string"
        inputs = {"expression": {"type": "string", "description": "The expression."}}

        def forward(self, expression):
            return calculator(expression)

    model = OpenAIModel(MODEL, api_base=url, api_key=KEY)
    agent = ToolCallingAgent(
        tools=[Calculator()], model=model, max_steps=steps, verbosity_level=LogLevel.OFF
    )
    return lambda: agent.run(QUESTION)


def pydantic_ai(url: str, steps: int) -> Ask:
    """Agent.run_sync: native calls, the answer as text. Its own limit is 50 requests."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key=KEY))
    agent = Agent(model)

    @agent.tool_plain(name="calculator")
    def calculate(expression: str) -> str:
        """Work out an arithmetic expression."""
        return calculator(expression)

    return lambda: agent.run_sync(QUESTION).output


OURS = {"floor": floor, "react_lab": react_lab}
PEERS = {  # name on the package index: what makes it, and the modules that it needs
    "langchain-classic": (langchain, ("langchain_classic", "langchain_openai")),
    "llama-index-core": (llama_index, ("llama_index.core", "llama_index.llms.openai_like")),
    "smolagents": (smolagents, ("smolagents", "openai")),
    "pydantic-ai": (pydantic_ai, ("pydantic_ai", "openai")),
}


def installed(modules: tuple[str, ...]) -> bool:
    """Whether all modules can be imported here. Imports none of them, but their parents."""
    try:
        return all(find_spec(module) for module in modules)
    except ModuleNotFoundError:  # the parent is missing
        return False


def contenders() -> dict[str, Callable[[str, int], Ask]]:
    """Floor, react_lab, and each peer that is installed, by name."""
    return OURS | {name: make for name, (make, needs) in PEERS.items() if installed(needs)}
