"""Chat messages to token ids, exactly as the llama.cpp engine makes them, and packing.

    encode = tokenizer(base_path())
    batch = pack([group], encode)
"""

import gguf
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

from training.network import Batch


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


def encode_messages(messages: list, encode) -> tuple[list, list]:
    """Return token ids, and for each whether it carries loss (assistant, "train": true)."""
    ids, carries = [], []
    for message in messages:
        head, body = turn(message)
        train = bool(message.get("train"))
        for text, flag in ((head, False), (body, train), ("\n", False)):
            new = encode.encode(text, add_special_tokens=False).ids
            ids += new
            carries += [flag] * len(new)
    return ids, carries


def pack(groups: list, encode) -> Batch:
    """Put groups in one sequence: each system prompt once, its episodes behind it.

    Positions restart after the prefix, and attention spans keep the episodes apart.
    """
    ids, positions, spans, at, labels, episodes = [], [], [], [], [], 0
    for group in groups:
        prefix, _ = encode_messages([{"role": "system", "content": group["system"]}], encode)
        before = slice(len(ids), len(ids) + len(prefix))
        ids += prefix
        positions += range(len(prefix))
        spans.append((slice(before.start, before.start), before))
        for episode in group["episodes"]:
            new, carries = encode_messages(episode, encode)
            start = len(ids)
            for i, train in enumerate(carries):
                if train:
                    at.append(start + i - 1)
                    labels.append(new[i])
            ids += new
            positions += range(len(prefix), len(prefix) + len(new))
            spans.append((before, slice(start, len(ids))))
            episodes += 1
    as_tensor = torch.tensor
    return Batch(
        as_tensor(ids), as_tensor(positions), spans, as_tensor(at), as_tensor(labels), episodes
    )
