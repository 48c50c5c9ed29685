"""Chat messages to token ids, exactly as the llama.cpp engine makes them, and packing.

    encode = tokenizer(base_path())
    batch = pack([group], encode)
"""

import re

import gguf
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from training.network import Batch

LITTLE = 0.2  # the weight of a word that could as well be another


def tokenizer(path) -> Tokenizer:
    """Return the byte-level BPE tokenizer stored in a GGUF file (pre-tokenizer "smollm")."""
    field = gguf.GGUFReader(path).fields
    tokens = field["tokenizer.ggml.tokens"].contents()
    kinds = field["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in field["tokenizer.ggml.merges"].contents()]
    made = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{N}"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    made.decoder = decoders.ByteLevel()
    control = [t for t, kind in zip(tokens, kinds, strict=True) if kind == 3]
    made.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in control])
    return made


def turn(message: dict) -> tuple[str, str]:
    """Return the head and the body of one ChatML turn; an assistant's body is what it writes."""
    return f"<|im_start|>{message['role']}\n", f"{message['content']}<|im_end|>"


def weigh(text: str, known: str, encode) -> tuple[list, list]:
    """The token ids of one reply, and how much each counts in the loss.

    What has to be right counts fully: labels, tool, input, how the thought begins, numbers, and
    words that stand in what was asked or observed (known, in lower case). Other words could as
    well be others, so they count little.
    """
    encoded = encode.encode(text, add_special_tokens=False)
    free = []  # the parts in which words may vary
    for label in ("Thought: ", "Final Answer: "):
        if (begin := text.find(label)) >= 0:
            begin += len(label)
            begin = min(begin + 8, len(text)) if label == "Thought: " else begin
            ends = [text.find("\n", begin), text.find("<|im_end|>")]
            free.append((begin, min(end for end in ends if end >= 0)))
    words = {}
    for word in re.finditer(r"[^\W\d_]+", text):
        if any(begin <= word.start() < end for begin, end in free):
            said = re.search(rf"(?<!\w){re.escape(word[0].lower())}(?!\w)", known)
            if not said:
                words.update(dict.fromkeys(range(*word.span()), LITTLE))
    return encoded.ids, [words.get(end - 1, 1.0) for _, end in encoded.offsets]


def encode_messages(messages: list, encode) -> tuple[list, list]:
    """Return token ids, and for each its weight in the loss (assistant, "train": true) or 0."""
    ids, weights, known = [], [], ""
    for message in messages:
        head, body = turn(message)
        for text in (head, body, "\n"):
            if text is body and message.get("train"):
                new, heavy = weigh(body, known, encode)
            else:
                new = encode.encode(text, add_special_tokens=False).ids
                heavy = [0.0] * len(new)
            ids += new
            weights += heavy
        if message["role"] != "assistant":
            known += message["content"].lower() + "\n"
    return ids, weights


def pack(groups: list, encode) -> Batch:
    """Put groups in one sequence: each system prompt once, its episodes behind it.

    Positions restart after the prefix, and attention spans keep the episodes apart.
    """
    ids, positions, spans, at, labels, weights, episodes = [], [], [], [], [], [], 0
    for group in groups:
        prefix, _ = encode_messages([{"role": "system", "content": group["system"]}], encode)
        before = slice(len(ids), len(ids) + len(prefix))
        ids += prefix
        positions += range(len(prefix))
        spans.append((slice(before.start, before.start), before))
        for episode in group["episodes"]:
            new, heavy = encode_messages(episode, encode)
            start = len(ids)
            for i, weight in enumerate(heavy):
                if weight:
                    at.append(start + i - 1)
                    labels.append(new[i])
                    weights.append(weight)
            ids += new
            positions += range(len(prefix), len(prefix) + len(new))
            spans.append((before, slice(start, len(ids))))
            episodes += 1
    as_tensor = torch.tensor
    return Batch(
        as_tensor(ids), as_tensor(positions), spans,
        as_tensor(at), as_tensor(labels), as_tensor(weights), episodes,
    )  # fmt: skip
