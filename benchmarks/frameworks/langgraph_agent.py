"""The agent in LangGraph: a graph with a node for the model and a node for the tools.

LLM_BASE_URL=... python -m benchmarks.frameworks.langgraph_agent

It needs the packages of requirements.txt. `langchain.agents.create_agent` makes the same graph in
one call; here its parts are visible.
"""

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

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


def as_tool(tool: Tool) -> StructuredTool:
    """A tool of the lab as one of LangChain's."""
    return StructuredTool.from_function(
        tool.function,
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
    )


def graph(address: str, key: str, name: str):
    """The compiled graph: ask the model, run its calls, ask again, until it calls nothing."""
    tools = [as_tool(tool) for tool in TOOLS]
    model = ChatOpenAI(model=name, base_url=address, api_key=key).bind_tools(tools)

    def ask(state: MessagesState) -> dict:
        return {"messages": [model.invoke([SystemMessage(SYSTEM), *state["messages"]])]}

    builder = StateGraph(MessagesState)
    builder.add_node("ask", ask)
    builder.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    builder.add_edge(START, "ask")
    builder.add_conditional_edges("ask", tools_condition)
    builder.add_edge("tools", "ask")
    return builder.compile()


def main() -> None:
    """Ask once, and print what happened."""
    messages, end = [], ""
    limit = {"recursion_limit": 2 * ROUNDS}  # it counts nodes, not rounds
    agent = graph(*settings())
    try:
        start = {"messages": [HumanMessage(QUESTION)]}
        for state in agent.stream(start, limit, stream_mode="values"):
            messages = state["messages"]  # kept one by one: at the limit it raises
    except GraphRecursionError as error:
        end = f"{type(error).__name__}: {error}"
    results = {one.tool_call_id: one.content for one in messages if isinstance(one, ToolMessage)}
    said = [one for one in messages if isinstance(one, AIMessage)]
    calls = [
        (call["name"], call["args"], results.get(call["id"], "not run"))
        for one in said
        for call in one.tool_calls
    ]
    answer = said[-1].text if said and not said[-1].tool_calls else None
    show(calls, answer, len(said), end)
    show_packages("langgraph", "langchain-openai")


if __name__ == "__main__":
    main()
