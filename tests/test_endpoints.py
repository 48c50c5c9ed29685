"""The field cases about requests and replies: a real client against a server that plays them.

Each case stands in tests/data/field_cases.jsonl with its source and its right behaviour.
"""

from endpoint import field_cases, messages_show

CASES = field_cases()


# The server itself --------------------------------------------------------------------------


def test_the_server_knows_every_condition_that_a_case_sets():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
    ]
    seen = set()

    def look(node):
        if isinstance(node, dict):
            if "messages" in node.get("if", {}):
                seen.add(node["if"]["messages"])
            node = list(node.values())
        if isinstance(node, list):
            for below in node:
                look(below)

    look(list(CASES.values()))
    faults = {c for c in seen if messages_show(c, history)}
    assert faults == {"any_system", "call_lacks:extra_content", "call_id_not_9_alnum"}
    assert messages_show("tool_call_unanswered", history[:3])
    assert messages_show("tool_without_call", [*history[:2], history[3]])
    assert messages_show("same_role_twice", [*history[:2], *history[:2]])
