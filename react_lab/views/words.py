"""Words of the views, in the language of the run that they show: English, or Chinese.

>>> Say("zh")("Step {number}", number=2), Say("en")("Step {number}", number=2)
('第 2 步', 'Step 2')
"""

from dataclasses import dataclass

from react_lab.chinese import is_chinese
from react_lab.trace import Run, Step

CHINESE = {
    # fields and roles
    "question": "问题",
    "thought": "思考",
    "action": "行动",
    "action input": "行动输入",
    "observation": "观察",
    "final answer": "最终答案",
    "✗ unreadable": "✗ 无法读取",
    "reasoning": "推理",
    "native call": "结构化调用",
    "text": "文本",
    "system": "系统",
    "user": "用户",
    "assistant": "模型",
    "tool": "工具",
    "call": "调用",
    "result": "结果",
    "invented": "编造",
    "not believed": "不采信",
    "Question:": "问题：",
    # errors of an observation
    "bad arguments": "输入有误",
    "unknown tool": "没有这个工具",
    "tool error": "工具出错",
    "unreadable": "无法读取",
    "unusable": "无法使用",
    "refused": "被拒绝",
    "interrupted": "已中断",
    "reviewed": "被审阅",
    "not repeated": "没有重复执行",
    # steps
    "Step {number}": "第 {number} 步",
    "step {number}": "第 {number} 步",
    "Step {number}: {rest}": "第 {number} 步：{rest}",
    "Step {number}: model writes": "第 {number} 步：模型正在写",
    "Step {number} of {total}": "第 {number} 步，共 {total} 步",
    "Last word": "最后一问",
    "last word": "最后一问",
    "after the last: the last word": "之后：最后一问",
    "No step yet": "还没有开始",
    "Open step {number}": "打开第 {number} 步",
    "The run can continue.": "可以继续运行。",
    "The run can go on.": "可以继续运行。",
    "You edited the observation of step {number}.": "您修改了第 {number} 步的观察。",
    "You edited this observation.": "您修改了这条观察。",
    ", edited by you": "，您修改过",
    ", {count:,} characters cut": "，截断了 {count:,} 个字符",
    "({count:,} characters)": "（{count:,} 个字符）",
    "Note: {text}": "说明：{text}",
    "Repaired or dropped: {text}": "已修复或舍弃：{text}",
    "✗ Unreadable: {text}": "✗ 无法读取：{text}",
    "The reply ended with: {text}": "回复的结束原因：{text}",
    "✓ Final Answer": "✓ 最终答案",
    "waits for you": "等待您",
    "not run": "没有执行",
    "Not run.": "没有执行。",
    "recorded": "录制",
    "live": "实时",
    "{count:,} tokens": "{count:,} 个词元",
    "{seconds:.1f} s": "{seconds:.1f} 秒",
    # time and tokens
    "model": "模型",
    "tools": "工具",
    "prompt": "提示",
    "history": "历史",
    "new": "新增",
    "tokens": "词元",
    "characters": "字符",
    "steps": "步数",
    "seconds": "秒数",
    "{total:,} {unit}, {new:,} new": "共 {total:,} 个{unit}，新增 {new:,}",
    "{name} {amount} of {limit:,}": "{name} {amount}，上限 {limit:,}",
    "Sent: {messages} messages, {characters:,} characters": (
        "发送：{messages} 条消息，{characters:,} 个字符"
    ),
    "as before, {count:,} characters": "与之前相同，{count:,} 个字符",
    "Not whole": "未完整发送",
    "observation of step {number} ({count:,} characters)": (
        "第 {number} 步的观察（{count:,} 个字符）"
    ),
    "reply of step {number} ({count:,} characters)": "第 {number} 步的回复（{count:,} 个字符）",
    "({count:,} cached)": "（缓存 {count:,}）",
    "Tokens: {sent}, {received}.": "词元：{sent}，{received}。",
    "{count:,} in": "输入 {count:,}",
    "{count:,} out": "输出 {count:,}",
    "in not told": "输入未知",
    "out not told": "输出未知",
    "Seconds: {model:.1f} model, {tools:.1f} tools.": "秒：模型 {model:.1f}，工具 {tools:.1f}。",
    # three columns
    "1 · Model reads": "1 · 模型读到",
    "2 · Model writes": "2 · 模型写出",
    "3 · Program runs": "3 · 程序执行",
    "{messages} messages, {count:,} {unit}": "{messages} 条消息，{count:,} 个{unit}",
    "{role}, new": "{role}，新",
    "{role} (new)": "{role}（新）",
    "{role} (as before)": "{role}（与之前相同）",
    "{count} messages as before": "{count} 条消息与之前相同",
    "Not sent whole: {text}": "未完整发送：{text}",
    "as it came": "原文",
    "(nothing)": "（无）",
    "(empty)": "（空）",
    "✓ Nothing to run: this is the answer.": "✓ 无需执行：这就是答案。",
    "? It waits for your yes or no.": "? 等待您同意或拒绝。",
    "It waits for you.": "等待您的决定。",
    "✗ error": "✗ 出错",
    "ok": "成功",
    "A run of an agent": "智能体的一次运行",
    # pages of the stepper
    "Question": "问题",
    "Cost": "用量",
    "End": "结束",
    "Reply": "回复",
    "Read": "读取",
    "Call and result": "调用与结果",
    "Sent: {messages} messages": "发送：{messages} 条消息",
    "Everything was sent whole.": "全部完整发送。",
    "invented observation: dropped": "编造的观察：已舍弃",
    ": dropped, behind an invented observation": "：在编造的观察之后，已舍弃",
    "Read as: {text}": "读作：{text}",
    "a call": "一次调用",
    "the final answer": "最终答案",
    "unreadable: {text}": "无法读取：{text}",
    "result: {text}": "结果：{text}",
    # controls
    "Back": "上一步",
    "Next": "下一步",
    "To the end": "到结尾",
    "Stop": "停止",
    "Again": "重新开始",
    "Allow": "同意",
    "Deny": "拒绝",
    "✓ Allow": "✓ 同意",
    "✗ Deny": "✗ 拒绝",
    "Reason": "理由",
    "Observation": "观察",
    "✎ Continue from this observation": "✎ 从这条观察继续",
    "Go on from this observation": "从这条观察继续",
    "? Waits for you:": "? 等待您的决定：",
    "Waits for you: {text}": "等待您的决定：{text}",
    "No call waits.": "没有等待的调用。",
    "Running": "运行中",
    "Press Next for one step.": "点击“下一步”运行一步。",
    "This is the first step": "这是第一步",
    "This is the end": "已到结尾",
    "It stops after this step": "这一步之后停止",
    "Nothing runs": "没有在运行",
    "Begun again": "已重新开始",
    "This step has no observation to continue from": "这一步没有可以继续的观察",
    "This step has no observation to go on from": "这一步没有可以继续的观察",
    "The second of two quick clicks was not taken as an answer": "连续点击的第二次不算作回答",
    "No call waits for an answer": "没有等待回答的调用",
    "Stopped by you; the run is kept": "您已停止运行，之前的步骤都保留",
    "{count:,} tokens so far": "已写 {count:,} 个词元",
    # how a reply ended
    "stop": "正常结束",
    "length": "达到长度上限",
    "tool_calls": "调用工具",
}


def language_of(run: Run) -> str:
    """Return the language of a run, "en" or "zh": that of its first message."""
    first = run.steps[0].sent[:1] if run.steps else ()
    return "zh" if is_chinese(str(first[0]["content"] if first else run.question)) else "en"


@dataclass(frozen=True)
class Say:
    """The words of a view in one language."""

    language: str = "en"

    def __call__(self, english: str, **values: object) -> str:
        """Return words with their values. Words that CHINESE lacks, such as a name, stay."""
        words = CHINESE.get(english, english) if self.language == "zh" else english
        return words.format(**values) if values else words

    @property
    def comma(self) -> str:
        """What separates two items."""
        return "，" if self.language == "zh" else ", "

    @property
    def colon(self) -> str:
        """What comes between a name and its text."""
        return "：" if self.language == "zh" else ": "

    def repairs(self, names: tuple[str, ...]) -> list[str]:
        """Return the repairs of a move as lines of text; in Chinese their number."""
        if self.language == "zh":
            return [f"已修复或舍弃：{len(names)} 处"] if names else []
        return [f"Repaired or dropped: {name}" for name in names]


def say_for(run: Run | Step) -> Say:
    """Return the words for a run or a step."""
    return Say(language_of(run if isinstance(run, Run) else Run("", (run,))))
