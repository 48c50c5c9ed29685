"""Prompt: everything that the program writes to the model, in two languages, defined once.

The embedded model was trained on exactly these words (see `training/`). If you change the English
words, train it again.

>>> message("unknown_tool", name="weather", names="get_weather, calculator")
'There is no tool named weather. Use one of: get_weather, calculator.'
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from react_lab.parser.labels import LABELS
from react_lab.registry.registry import Tool

# Each rule prevents one fault; notebook 03 leaves them out one by one.
RULES = {
    "en": {
        "one step": "Write one Action, then stop.",
        "json": "Action Input is valid JSON on one line, without a code fence.",
        "observation": "Never write an Observation yourself.",
        "look up": "Look up what you do not know for certain.",
        "enough": "Answer as soon as you know every part of the answer.",
        "no tool": "If no tool is needed, give the Final Answer at once.",
        "retry": "After an error change the input and try once more.",
        "unable": "If no tool can help, say so in the Final Answer.",
    },
    "zh": {
        "one step": "每次只写一个行动，然后停下。",
        "json": "行动输入是一行合法的 JSON，不要用代码块。",
        "observation": "绝不要自己写观察。",
        "look up": "不确定的事实要用工具查。",
        "enough": "知道了答案的每一部分就立即回答。",
        "no tool": "不需要工具时直接给出最终答案。",
        "retry": "出错后修改输入，只再试一次。",
        "unable": "没有合适的工具时，在最终答案里说明。",
    },
}

FRAME = {
    "en": {
        "task": "You answer questions by using tools.",
        "tools": "Tools:",
        "tool": "- {name}: {description} Input: {example}",
        "step": "Reply with one step at a time:",
        "thought": "what you need next",
        "action": "one of [{names}]",
        "input": "one line of JSON",
        "then": "The system answers with an Observation. When you know the answer:",
        "ready": "why you can answer",
        "answer": "the answer",
        "rules": "Rules:",
        "example": "Example:",
    },
    "zh": {
        "task": "你使用工具来回答问题。",
        "tools": "工具：",
        "tool": "- {name}：{description} 输入：{example}",
        "step": "每次只回复一步：",
        "thought": "下一步需要什么",
        "action": "[{names}] 之一",
        "input": "一行 JSON",
        "then": "系统会给出观察。知道答案后：",
        "ready": "为什么可以回答",
        "answer": "答案",
        "rules": "规则：",
        "example": "示例：",
    },
}

MESSAGES = {
    "en": {
        "unreadable": "I could not read your reply: {reason}. Write Thought, Action and "
        "Action Input, or Thought and Final Answer.",
        "unknown_tool": "There is no tool named {name}. Use one of: {names}.",
        "bad_arguments": "Wrong input. {reason}",
        "tool_error": "Error: {reason}",
        "cut": "[cut: {missing} more characters. Ask for less to see the rest.]",
        "repeat": "You already called {tool} with this input and got the same result. "
        "Change the input or give the Final Answer.",
        "failures": "{tool} failed {count} times. Use another tool or give the Final Answer.",
        "refusal": "A person did not allow this call of {tool}. {note}",
        "rules": "Remember: {rules}",
        "last_call": "This was the last step. Give the Final Answer now, from what you know.",
    },
    "zh": {
        "unreadable": "无法读取你的回复：{reason}。请写思考、行动和行动输入，或思考和最终答案。",
        "unknown_tool": "没有名为 {name} 的工具。请使用其中之一：{names}。",
        "bad_arguments": "输入有误。{reason}",
        "tool_error": "错误：{reason}",
        "cut": "[已截断：还有 {missing} 个字符。请缩小范围再查。]",
        "repeat": "你已经用同样的输入调用过 {tool}，结果相同。请修改输入或给出最终答案。",
        "failures": "{tool} 已失败 {count} 次。请换一个工具或给出最终答案。",
        "refusal": "有人拒绝了对 {tool} 的这次调用。{note}",
        "rules": "请记住：{rules}",
        "last_call": "这是最后一步。请根据已知内容现在给出最终答案。",
    },
}

# Words that the embedded model was not trained on: of native calls, and of an interrupt.
NATIVE = {
    "en": {
        "thoughts": "Before each call, and before the answer, write your thought as text:",
        "ready": "When you know the answer:",
        "unusable": "I could not use your reply: {reason}. Call a tool, or write the answer.",
        "interrupted": "A person interrupted this call. It may have run in part.",
        "not begun": "A person interrupted the run. This call was not made.",
    },
    "zh": {
        "thoughts": "每次调用之前，以及给出答案之前，先用文字写下思考：",
        "ready": "知道答案后：",
        "unusable": "无法使用你的回复：{reason}。请调用工具，或写出答案。",
        "interrupted": "有人中断了这次调用。它可能只执行了一部分。",
        "not begun": "有人中断了运行。这次调用没有执行。",
    },
}

# Warnings that the embedded model was not trained on either.
WARNINGS = {
    "en": {
        "not_run": "You wrote an Action and a Final Answer in one reply. The Action did not run, "
        "so this answer does not count. Write only the Action, or only the Final Answer.",
        "near_repeat": "You asked {tool} for nearly the same {count} times and learnt nothing "
        "new. Change the input or give the Final Answer.",
        "same_tool": "You have called {tool} {count} times in a row. If it does not help, use "
        "another tool or give the Final Answer.",
        "not_repeated": "You already called {tool} with this input, so it was not run again. "
        "Change the input or give the Final Answer.",
    },
    "zh": {
        "not_run": "你在一次回复里同时写了行动和最终答案。行动没有执行，所以这个答案不算数。"
        "请只写行动，或只写最终答案。",
        "near_repeat": "你用几乎相同的输入问了 {tool} {count} 次，没有得到新的信息。"
        "请修改输入或给出最终答案。",
        "same_tool": "你已经连续 {count} 次调用 {tool}。如果没有帮助，请换一个工具或给出最终答案。",
        "not_repeated": "你已经用同样的输入调用过 {tool}，所以没有再次执行。"
        "请修改输入或给出最终答案。",
    },
}

# What the context policies and the memory write, in the language of the system message.
CONTEXT = {
    "en": {
        "summary": "[summary of history]",
        "conclusion": "Conclusion: {text}",
        "reply": "reply",
        "summarise": "Sum up in at most three sentences what these steps found out. Keep every "
        "name and number. Add nothing.",
        "notes": "Notes from earlier questions:",
        "note": "{question} {answer}",
    },
    "zh": {
        "summary": "[历史摘要]",
        "conclusion": "结论：{text}",
        "reply": "回复",
        "summarise": "请用最多三句话总结这些步骤得到的结果。保留所有名称和数字，不要添加任何内容。",
        "notes": "以前问题的笔记：",
        "note": "{question}{answer}",
    },
}

# What the patterns of react_lab.patterns say.
PATTERNS = {
    "en": {
        "plan": "Make a plan for the question below. These tools exist:\n{tools}\n"
        "Write numbered steps, one a line, at most {longest}. Each step is a question that one "
        "tool can answer. Where the next step depends on a result, write FORK as the last step.\n"
        "Question: {question}",
        "known": "{question}\nKnown already:\n{found}",
        "review": "Question: {question}\nWhat was looked up:\n{seen}\nAnswer: {answer}\n"
        "Does the answer say all that was asked, and only what was looked up? "
        "Write OK if so. Else write in one sentence what is wrong.",
        "reviewed": "A reviewer does not accept this answer yet: {review}\n"
        "Call a tool if something is missing. Else give the Final Answer again, mended.",
        "lesson": "Question: {question}\nOne try:\n{seen}\nAnswer: {answer}\n"
        "This was not right. Write in one sentence what to do differently next time.",
        "retry": "{question}\nLessons from earlier tries:\n{lessons}",
        "answer": "Question: {question}\nWhat was looked up:\n{seen}\n"
        "Answer the question in one sentence, from this only.",
        "difficulty": "Question: {question}\nHow many tool calls does it take to answer this? "
        "Write EASY for one at most, HARD for more.",
    },
    "zh": {
        "plan": "请为下面的问题制定计划。可以使用这些工具：\n{tools}\n"
        "请写带编号的步骤，每行一步，最多 {longest} 步。每一步是用一个工具就能回答的问题。"
        "如果下一步取决于前面的结果，最后一步写“分叉”。\n问题：{question}",
        "known": "{question}\n已经知道：\n{found}",
        "review": "问题：{question}\n查到的内容：\n{seen}\n答案：{answer}\n"
        "这个答案是否回答了问题的每一部分，而且只依据查到的内容？如果是，请写“通过”。"
        "否则用一句话写出哪里不对。",
        "reviewed": "审阅者还不接受这个答案：{review}\n"
        "如果缺少内容，请调用工具。否则改正后再给出最终答案。",
        "lesson": "问题：{question}\n一次尝试：\n{seen}\n答案：{answer}\n"
        "这不正确。请用一句话写出下次应该怎样做。",
        "retry": "{question}\n前几次尝试的教训：\n{lessons}",
        "answer": "问题：{question}\n查到的内容：\n{seen}\n请只根据以上内容，用一句话回答问题。",
        "difficulty": "问题：{question}\n回答它需要调用几次工具？"
        "最多一次请写“简单”，更多请写“困难”。",
    },
}
# Words that these patterns put into their texts.
PATTERN_WORDS = {
    "en": {"nothing": "- nothing", "failed": "failed ({reason})", "tool": "- {name}: {about}"},
    "zh": {"nothing": "- 无", "failed": "失败（{reason}）", "tool": "- {name}：{about}"},
}

# How a tool's parameters are listed where they have descriptions.
PARAMETERS = {
    "en": {"all": "Parameters: {all}.", "one": "{name} ({about})", "between": ", "},
    "zh": {"all": "参数：{all}。", "one": "{name}（{about}）", "between": "，"},
}

# What the program says around a run, to the model or to a person.
AROUND = {
    "en": {
        "empty reply": "(empty reply)",
        "waits": "{tool} waits for a yes or no: step(run, agent, approve=True).",
        "nobody": "Nobody could be asked ({reason}).",
        "no yes": "approve gave a {given}, not True or False",
        "interrupted run": "Interrupted.",
        "not finished": "Not finished: {reason}.",
        "no try passed": "No try of {tries} passed.",
        "no second answer": "The second model gave no whole answer; this is the first one's.",
        "no last word": "No last word: {error}",
        "only": "The embedded model reads and writes {known} only, so a run in {asked!r} will "
        "not finish. Set LLM_BASE_URL to another endpoint.",
    },
    "zh": {
        "empty reply": "（空回复）",
        "waits": "{tool} 等待您同意或拒绝：step(run, agent, approve=True)。",
        "nobody": "没有人可以询问（{reason}）。",
        "no yes": "approve 返回了 {given}，不是 True 或 False",
        "interrupted run": "已中断。",
        "not finished": "未完成：{reason}。",
        "no try passed": "{tries} 次尝试都没有通过。",
        "no second answer": "第二个模型没有给出完整的答案；这是第一个模型的答案。",
        "no last word": "没有得到最后的答案：{error}",
        "only": "内置模型只会英文（{known}），用中文（{asked}）运行得不到答案。"
        "请在环境变量或 .env 里设置 LLM_BASE_URL、LLM_API_KEY 和 LLM_MODEL，换用懂中文的接口，"
        '例如 DeepSeek、通义千问，或本机的 Ollama；也可以写 language="en"，用英文运行。',
    },
}
# Why a run stopped, in Chinese. `Run.stop` itself stays a code in English.
REASONS = {
    "answered": "已回答",
    "step limit": "达到步数上限",
    "token limit": "达到词元上限",
    "time limit": "达到时间上限",
    "repeats": "重复相同的调用",
    "failures": "同一工具连续失败",
    "format faults": "连续无法读取回复",
    "cut off": "答案连续被截断",
    "same tool": "连续使用同一工具",
    "model error": "模型出错",
    "needs approval": "等待批准",
    "check failed": "没有通过检查",
    "no answer": "没有完整的答案",
}

# What parser and registry say about a mistake, for agents that do not speak English.
TERMS = {
    "en": {},
    "zh": {
        "there is no Action and no Final Answer": "既没有行动，也没有最终答案",
        "the Final Answer is empty": "最终答案是空的",
        "the Action has no name": "行动没有名称",
        "Action Input is empty": "行动输入是空的",
        "Action Input is not valid JSON on one line": "行动输入不是一行合法的 JSON",
        "Action Input must be a JSON object with the parameter names": (
            "行动输入必须是带参数名的 JSON 对象"
        ),
        "it was cut off at the token limit, so write less": "回复因长度限制被截断，请写短一些",
        "missing: ": "缺少：",
        "unknown: ": "未知：",
        " takes: ": " 的参数：",
        "no input, write {}": "无，请写 {}",
        " must be ": " 必须是 ",
        "the arguments are not valid JSON": "参数不是合法的 JSON",
        "several JSON objects in one call; make one call for each": (
            "一次调用里有多个 JSON 对象；请分别调用"
        ),
        "you announced a call but made none": "你说要调用工具，但没有调用",
        "the call stands in the text and cannot be read": "调用写在文字里，无法读取",
        "the reply is empty": "回复是空的",
        "Action Input gives one parameter twice, with two values": (
            "行动输入里同一个参数有两个不同的值"
        ),
        "Action Input is in the markup of another format": "行动输入用了另一种格式的标记",
        "a backslash in the Action Input may be part of a path; write every backslash twice, "
        "for example": "行动输入里的反斜杠可能是路径的一部分；请把每个反斜杠写两次，例如",
        "the endpoint could not read the reply": "接口无法读取这条回复",
        "an action was left unrun": "有一个行动没有执行",
        "; 缺少：": "；缺少：",
        "; 未知：": "；未知：",
    },
}
# The same for sentences with values: patterns, and what to put in their place.
_PATTERNS = {
    "en": (),
    "zh": (
        (r"^Done\. The tool returned nothing\.$", "完成。工具没有返回内容。"),
        (r"^The tool returned an empty list\.$", "工具返回了空列表。"),
        (r"^The tool returned an empty text\.$", "工具返回了空文本。"),
        (r"\[only the first (\d+) items\]$", r"[只有前 \1 项]"),
        (r"\[only the first (\d+) rows of (\d+)\]$", r"[共 \2 行，只有前 \1 行]"),
        (r"^TimeoutError: (.+) ran out of time \(([\d.e+]+) s\)\.$", r"\1 超时（\2 秒）。"),
        # the kind of a Python error is left out where the error itself is Chinese
        (r"^[A-Za-z_.]*(?:Error|Exception): (?=.*[\u4e00-\u9fff])", ""),
        # what Python's json found
        (r"(参数不是合法的 JSON) \([A-Z][^：]*?\(char \d+\)\):", r"\1："),
        (
            r"The input must be a JSON object with the parameter names\.",
            "输入必须是带参数名的 JSON 对象。",
        ),
        # what pydantic found
        (r"Input should be a valid string", "应为文字"),
        (r"Input should be a valid integer(?:, unable to parse.*?as an integer)?", "应为整数"),
        (r"(应为整数), got a number with a fractional part", r"\1，不能有小数"),
        (r"Input should be a valid number(?:, unable to parse.*?as a number)?", "应为数字"),
        (r"true and false are no(?:t)? numbers", "true 和 false 不是数字"),
        (r"Input should be a valid boolean(?:, unable to interpret input)?", "应为 true 或 false"),
        (r"Input should be a valid (?:list|tuple|set)", "应为列表"),
        (r"Input should be a valid dictionary(?: or .*?)?(?=[.]|$)", "应为对象"),
        (r"Field required", "缺少这一项"),
        (r"Input should be greater than or equal to ", "应大于或等于 "),
        (r"Input should be less than or equal to ", "应小于或等于 "),
        (r"Input should be greater than ", "应大于 "),
        (r"Input should be less than ", "应小于 "),
        (r"Input should be (?='|\d|None)", "应为 "),
        (r"(?<=') or (?=')", " 或 "),
        # any other reason in English
        (r"( 必须是 [^:]*: ).*[A-Za-z]+ [A-Za-z]+ [A-Za-z]+.*$", r"\1类型或取值不合适。"),
    ),
}

EXAMPLES = {
    "en": (
        "Question: What is 12*12 and what is it divided by 9?\n"
        "Thought: First I need the product.\n"
        "Action: calculator\n"
        'Action Input: {"expression": "12*12"}\n'
        "Observation: 144\n"
        "Thought: Now I divide it.\n"
        "Action: calculator\n"
        'Action Input: {"expression": "144/9"}\n'
        "Observation: 16\n"
        "Thought: I know both parts.\n"
        "Final Answer: 12*12 is 144, and divided by 9 it is 16.",
        "Question: Do I need an umbrella in Bergen?\n"
        "Thought: I need the weather in Bergen.\n"
        "Action: get_weather\n"
        'Action Input: {"city": "Bergen"}\n'
        "Observation: Bergen: 9 °C, rain\n"
        "Thought: It rains there.\n"
        "Final Answer: Yes. It is raining in Bergen, at 9 °C.",
    ),
    "zh": (
        "问题：12*12 是多少，再除以 9 是多少？\n"
        "思考：先算乘积。\n"
        "行动：计算器\n"
        '行动输入：{"算式": "12*12"}\n'
        "观察：144\n"
        "思考：再除以 9。\n"
        "行动：计算器\n"
        '行动输入：{"算式": "144/9"}\n'
        "观察：16\n"
        "思考：两部分都知道了。\n"
        "最终答案：12*12 是 144，再除以 9 是 16。",
        "问题：去卑尔根要带伞吗？\n"
        "思考：需要卑尔根的天气。\n"
        "行动：查天气\n"
        '行动输入：{"城市": "卑尔根"}\n'
        "观察：卑尔根：9 °C，有雨\n"
        "思考：那里在下雨。\n"
        "最终答案：要带伞。卑尔根在下雨，9 °C。",
    ),
}


def system_prompt(
    tools: Iterable[Tool],
    language: str = "en",
    rules: Sequence[str] | None = None,
    examples: Sequence[str] = (),
    thoughts: bool = True,
) -> str:
    """Return the system message of the text format (Yao et al., "ReAct", 2022).

    Args:
        tools: what the model may call, in this order.
        language: "en" or "zh".
        rules: sentences to put under "Rules", None for all of RULES.
        examples: worked transcripts, such as those in EXAMPLES.
        thoughts: False leaves the Thought lines out (the "act only" form).

    Raises:
        TypeError: rules or examples is a single text.
    """
    if isinstance(rules, str) or isinstance(examples, str):
        raise TypeError("rules and examples are lists of texts: put [ ] around a single one.")
    frame, label, tools = FRAME[language], LABELS[language], list(tools)
    colon = "：" if language == "zh" else ": "
    names = ", ".join(tool.name for tool in tools)

    def lines(*fields: tuple[str, str]) -> list[str]:
        shown = [(kind, text) for kind, text in fields if thoughts or kind != "thought"]
        return [label[kind] + colon + text for kind, text in shown]

    parts = [frame["task"], frame["tools"], *(tool_line(tool, language) for tool in tools), ""]
    parts += [frame["step"]]
    parts += lines(
        ("thought", frame["thought"]),
        ("action", frame["action"].format(names=names)),
        ("input", frame["input"]),
    )
    parts += [frame["then"], *lines(("thought", frame["ready"]), ("answer", frame["answer"]))]
    rules = list(RULES[language].values()) if rules is None else rules
    if rules:
        parts += ["", frame["rules"], *(f"- {rule}" for rule in rules)]
    for example in examples:
        parts += ["", frame["example"], example]
    return "\n".join(parts)


def tool_line(tool: Tool, language: str = "en") -> str:
    """Write one tool as the prompt lists it: name, description, and an input to imitate.

    If a parameter has a description, all parameters are listed before the input:
    `Parameters: city (English name of the city), unit.`
    """
    properties = tool.parameters.get("properties", {})
    sketch = dict.fromkeys(properties, "...")
    example = json.dumps(sketch if tool.example is None else tool.example, ensure_ascii=False)
    texts = {name: str(one.get("description", "")) for name, one in properties.items()}
    description, words = tool.description, PARAMETERS[language]
    if any(texts.values()):
        about = {name: text.rstrip(".。 ") for name, text in texts.items()}
        shown = [words["one"].format(name=n, about=t) if t else n for n, t in about.items()]
        description += " " + words["all"].format(all=words["between"].join(shown))
    return FRAME[language]["tool"].format(name=tool.name, description=description, example=example)


def message(kind: str, language: str = "en", **values: object) -> str:
    """Write one message of the program to the model.

    Args:
        kind: a key of MESSAGES["en"], NATIVE["en"], WARNINGS["en"] or AROUND["en"].
        language: "en" or "zh".
        values: what the message is about.
    """
    words = {**AROUND[language], **NATIVE[language], **WARNINGS[language], **MESSAGES[language]}
    return words[kind].format(**values)


def in_language(reason: str, language: str) -> str:
    """Translate a reason of the parser or the registry, as far as the tables here contain it."""
    for english, other in TERMS[language].items():
        reason = reason.replace(english, other)
    for pattern, other in _PATTERNS[language]:
        reason = re.sub(pattern, other, reason)
    return reason


def why(reason: str, language: str) -> str:
    """Return why a run stopped, in words: a code of `Run.stop`, or its Chinese name."""
    return REASONS.get(reason, reason) if language == "zh" else reason


def labelled(kind: str, text: str, language: str = "en") -> str:
    """Put a text after one of the format's labels, such as `Observation: 42`."""
    return LABELS[language][kind] + ("：" if language == "zh" else ": ") + text


def native_system(language: str = "en", thoughts: bool = False) -> str:
    """Return the system message for tools that are sent beside the messages, not in them.

    Args:
        language: "en" or "zh".
        rules: sentences to put under "Rules", None for all of RULES.
        thoughts: whether to ask the model for its thoughts as text (the hybrid form).
    """
    frame, label = FRAME[language], LABELS[language]
    colon = "：" if language == "zh" else ": "
    asked = [
        NATIVE[language]["thoughts"],
        label["thought"] + colon + frame["thought"],
        NATIVE[language]["ready"],
        label["thought"] + colon + frame["ready"],
        label["answer"] + colon + frame["answer"],
    ]
    return "\n".join([frame["task"], *(asked if thoughts else ())])


@dataclass(frozen=True)
class Phrases:
    """Everything that the program writes to the model, in one language ("en" or "zh")."""

    language: str = "en"

    def system(self, tools: Iterable[Tool]) -> str:
        """Write the system message of the text format."""
        return system_prompt(tools, self.language)

    def native_system(self, thoughts: bool = False) -> str:
        """Write the system message for native calls. thoughts: ask for thoughts as text."""
        return native_system(self.language, thoughts)

    def message(self, kind: str, **values: object) -> str:
        """Write one message. kind: a key of MESSAGES["en"] or NATIVE["en"]."""
        return message(kind, self.language, **values)

    def result(self, text: str) -> str:
        """Translate what the registry writes in place of an empty or a cut result."""
        for pattern, other in _PATTERNS[self.language][:5]:
            text = re.sub(pattern, other, text)
        return text

    def why(self, reason: str) -> str:
        """Say why a run stopped. reason: a code of `Run.stop`."""
        return why(reason, self.language)

    def translated(self, reason: str) -> str:
        """Translate a reason of the parser or the registry, as far as TERMS contains it."""
        return in_language(reason, self.language)

    def labelled(self, kind: str, text: str) -> str:
        """Put a text after one of the format's labels, such as `Observation: 42`."""
        return labelled(kind, text, self.language)


def native_prompt(tools: Iterable[Tool]) -> str:
    """Return the system message for native calls, in the form that Hermes models learn.

    The model writes `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`; the result
    comes back in `<tool_response>`.
    """
    keys = ("name", "description", "parameters")
    lines = [json.dumps({key: getattr(t, key) for key in keys}, ensure_ascii=False) for t in tools]
    return "\n".join(
        [
            "You answer questions by using tools.",
            "<tools>",
            *lines,
            "</tools>",
            "To call a tool, write only:",
            '<tool_call>{"name": the name, "arguments": the arguments}</tool_call>',
        ]
    )
