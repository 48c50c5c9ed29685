"""Notes in Chinese: translate what the lab reports about an endpoint, for Chinese agents.

A server's own words stay unchanged.

>>> in_chinese("waited 3 s: the endpoint was busy")
'接口繁忙，等待了 3 秒'
"""

import re

# Patterns of react_lab.models and of the loop, and what to write for them.
_CHINESE = (
    # what was learnt about an endpoint
    (r"(\S+) is sent as (\S+): the endpoint refuses it", r"接口不接受 \1，改为发送 \2"),
    (r"(\S+) is not sent: the endpoint refuses it", r"接口不接受 \1，因此不再发送"),
    (
        r"a system message after the first is sent inside the message before it",
        "第一条之后的系统消息并入它前面的消息发送",
    ),
    (
        r"the system message is sent inside the first user message",
        "系统消息并入第一条用户消息发送",
    ),
    (r"the blank content beside a call is sent as (\S+)", r"调用旁边的空内容以 \1 发送"),
    (r"the model's own reasoning is sent back", "模型自己的推理内容会发回"),
    (
        r"base_url is used with its other ending: with or without /v1",
        "base_url 改用另一种结尾（带或不带 /v1）",
    ),
    (r"waited (\S+) s: the endpoint was busy", r"接口繁忙，等待了 \1 秒"),
    (r"the connection broke, so the request was sent again", "连接中断，请求已重新发送"),
    (r"the connection broke", "连接中断"),
    (r"the endpoint could not read the reply", "接口无法读取这条回复"),
    (
        r"The messages were too long for this model, so fewer of them were sent\.",
        "消息对这个模型来说太长，因此少发送了一些。",
    ),
    (
        r"The endpoint read (\d+) tokens, after (\d+) for a shorter history: it has cut the "
        r"messages\. Give it a longer context, or send fewer of them\.",
        r"接口只读取了 \1 个词元，而更短的历史曾读取 \2 个：它截断了消息。"
        r"请增大上下文长度，或少发送一些消息。",
    ),
    # how a reply ended
    (
        r"The reply is empty\. Run again; if it stays empty, ask another model\.",
        "回复是空的。请再运行一次；如果仍然为空，请换一个模型。",
    ),
    (
        r"The reply was cut off at the length limit\. Give a larger max_tokens\.",
        "回复因长度上限被截断。请增大 max_tokens。",
    ),
    (
        r"The whole length limit was spent on reasoning, before any answer\. Give a larger "
        r"max_tokens, or ask for less reasoning\.",
        "长度上限全部用于推理，没有得到答案。请增大 max_tokens，或减少推理。",
    ),
    (
        r"A content filter stopped (?:the reply|it)\. Put the question, or what a tool returned, "
        r"in other words\.",
        "内容过滤器拦截了请求或回复。请换一种说法提问，或改写工具的结果。",
    ),
    (
        r"The endpoint sent a reply without any choice\. Ask it again\.",
        "接口的回复里没有内容。请再试一次。",
    ),
    # why a request failed
    (
        r"The account has no credit left\. Look at its billing, or use another key\.",
        "账户余额不足。请充值，或换一个密钥。",
    ),
    (r"Too many requests\. Wait, then run again\.", "请求过于频繁。请稍后再试。"),
    (
        r"The key was refused\. Check LLM_API_KEY, and what it may use\.",
        "密钥被拒绝。请检查 LLM_API_KEY 及其权限。",
    ),
    (
        r"The messages are too long for this model\. Send fewer of them, let the tools return "
        r"less, give a smaller max_tokens, or take a model with a longer context\.",
        "消息超出了这个模型的上下文长度。请少发送一些消息，让工具返回更短的结果，"
        "减小 max_tokens，或换用上下文更长的模型。",
    ),
    (
        r"It takes no native calls\. Use the text loop instead\.",
        "它不支持结构化调用。请改用文本循环。",
    ),
    (
        r"The order of the messages was refused, by the model's chat template or by the server\.",
        "模型的对话模板或服务器不接受这样的消息顺序。",
    ),
    (
        r"Not found\. Check LLM_MODEL and LLM_BASE_URL\.",
        "没有找到。请检查 LLM_MODEL 和 LLM_BASE_URL。",
    ),
    (r"The endpoint refused the request\.", "接口拒绝了请求。"),
    (
        r"The endpoint failed\. Run again, or look into the server's own log\.",
        "接口出错。请再运行一次，或查看服务器的日志。",
    ),
    (
        r"It streams its replies, although nobody asked it to\. Switch that off at the server\.",
        "它未经要求就以流式返回。请在服务器上关闭流式输出。",
    ),
    (
        r"This is no chat completion\. Check base_url \(LLM_BASE_URL\): it usually ends in /v1\.",
        "这不是对话补全的回复。请检查 base_url（LLM_BASE_URL）：通常以 /v1 结尾。",
    ),
    (
        r" ?On Azure LLM_MODEL is the name of your deployment, not of the model\.",
        "在 Azure 上，LLM_MODEL 是部署的名称，不是模型的名称。",
    ),
    (r" ?It asks to wait (\S+) s\.", r"接口要求等待 \1 秒。"),
    (r" ?It was asked at (\S+)\.$", r"请求地址：\1。"),
    (
        r"No reply in (\S+) s\. Run again, or set a longer timeout\.",
        r"\1 秒内没有回复。请再运行一次，或增大 timeout。",
    ),
    (
        r"No reply from (\S+) \((.*)\)\. Is the server running\? Check LLM_BASE_URL\.",
        r"\1 没有回复（\2）。服务器在运行吗？请检查 LLM_BASE_URL。",
    ),
    (
        r" ?It went through the proxy of (\S+)\. For a server near you set (\S+)",
        r"请求经过了代理 \1。如果服务器就在附近，请设置 \2",
    ),
    (r"The request cannot be sent \((.*)\)\.", r"无法发送请求（\1）。"),
    (r" ?Before that: ", "此前："),
    (
        r"The script has (\d+) replies; add one for this step\.",
        r"脚本只有 \1 条回复；请为这一步再加一条。",
    ),
)


def in_chinese(text: str) -> str:
    """Translate a note or an error of a model; text that is not the lab's own stays unchanged."""
    for pattern, chinese in _CHINESE:
        text = re.sub(pattern, chinese, text)
    return text
