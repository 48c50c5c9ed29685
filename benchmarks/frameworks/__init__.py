"""One agent, three times: by hand (react_lab), in LangGraph and in pydantic-ai."""
