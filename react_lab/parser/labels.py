"""Labels: the words that begin the parts of a reply, in the languages that the parser reads."""

# The labels of the format, by language. The lab writes these; the parser also reads ALSO.
LABELS = {
    "en": {
        "question": "Question",
        "thought": "Thought",
        "action": "Action",
        "input": "Action Input",
        "observation": "Observation",
        "answer": "Final Answer",
    },
    "zh": {
        "question": "问题",
        "thought": "思考",
        "action": "行动",
        "input": "行动输入",
        "observation": "观察",
        "answer": "最终答案",
    },
}
# Other words that models write as labels.
ALSO = {"行動": "action", "动作": "action", "行動輸入": "input", "动作输入": "input"}
ALSO |= {"觀察": "observation", "观察结果": "observation"}
ALSO |= {"最終答案": "answer", "最终回答": "answer"}
KINDS = ALSO | {
    label.replace(" ", "").lower(): kind
    for labels in LABELS.values()
    for kind, label in labels.items()
}
