"""Check the network against the engine: same tokens, same loss when packed, same choices.

    python -m training.check                      # the base model
    python -m training.check react-adapter.gguf   # with an adapter

Needs the packages of requirements.txt, xllamacpp among them.
"""

import json
import sys
from urllib.request import Request, urlopen

import torch
import xllamacpp

from training.export import read_adapter
from training.network import Batch, Network, base_path, new_lora
from training.tokens import encode_messages, pack, tokenizer

SYSTEM = """You answer questions by using tools.
Tools:
- calculator: Evaluate an arithmetic expression. Input: {"expression": "(3+5)*2"}
Ünïcödé ½ ٣ 漢字 🙂  two  spaces,\ttab, 12345, don't I'LL"""
EPISODES = [
    [
        {"role": "user", "content": "Question: What is 365*24?"},
        {"role": "assistant", "content": "Thought: I use calculator.", "train": True},
        {"role": "user", "content": "Observation: 8760 \n\n"},
    ],
    [
        {"role": "user", "content": "Question: How warm is Oslo?"},
        {"role": "assistant", "content": "Final Answer: I cannot tell.", "train": True},
    ],
]


def engine(adapter: str | None):
    """Return the function post(path, body) of a llama.cpp server inside this process."""
    params = xllamacpp.CommonParams()
    params.model.path = str(base_path())
    params.n_ctx, params.n_parallel, params.n_gpu_layers, params.verbosity = 2048, 1, 0, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_prompt, params.cache_ram_mib = False, 0
    if adapter:
        info = xllamacpp.CommonAdapterLoraInfo()
        info.path, info.scale = adapter, 1.0
        params.lora_adapters = [info]
    server = xllamacpp.Server(params)

    def post(path: str, body: dict) -> dict:
        head = {"Content-Type": "application/json"}
        request = Request(server.listening_address + path, json.dumps(body).encode(), head)
        return json.load(urlopen(request))

    return post


@torch.no_grad()
def agreement(net: Network, lora: dict, prompt: list, new: list) -> float:
    """Return the share of the tokens `new` that the network too would choose, each in its turn."""
    ids = torch.tensor(prompt + new)
    span = [(slice(0, 0), slice(0, len(ids)))]
    batch = Batch(ids, torch.arange(len(ids)), span, ids[:0], ids[:0], ids[:0], 1)
    best = net.logits(net.hidden(lora, batch)[len(prompt) - 1 : -1]).argmax(-1)
    return (best == ids[len(prompt) :]).float().mean().item()


def main():
    torch.set_num_threads(1)
    adapter = sys.argv[1] if len(sys.argv) > 1 else None
    post, encode = engine(adapter), tokenizer(base_path())
    net = Network(base_path(), torch.float32)
    lora = read_adapter(adapter) if adapter else new_lora(net)
    system = {"role": "system", "content": SYSTEM}

    for episode in EPISODES:
        messages = [system, *episode]
        if messages[-1]["role"] == "assistant":
            messages.append({"role": "user", "content": "Thanks."})
        text = post("/apply-template", {"messages": messages})["prompt"]
        theirs = post("/tokenize", {"content": text, "parse_special": True})["tokens"]
        ours = encode_messages(messages, encode)[0]
        ours += encode.encode("<|im_start|>assistant\n").ids
        assert ours == theirs, "the tokens differ from the engine's"
    print("tokens: equal to the engine's")

    one = net.loss(lora, pack([{"system": SYSTEM, "episodes": EPISODES}], encode))
    each = [net.loss(lora, pack([{"system": SYSTEM, "episodes": [e]}], encode)) for e in EPISODES]
    assert torch.allclose(one, sum(each), rtol=1e-4), "packing changes the loss"
    print(f"packing: loss {one:.4f} together, {sum(each):.4f} apart")

    text = post("/apply-template", {"messages": [system, EPISODES[0][0]]})["prompt"]
    body = {"prompt": text, "n_predict": 40, "temperature": 0, "return_tokens": True}
    theirs = post("/completion", body)
    share = agreement(net, lora, encode.encode(text).ids, theirs["tokens"])
    print(f"engine: {theirs['content']!r}\nof these tokens torch chooses {share:.0%} too")
    assert share >= 0.85, "torch and the engine disagree by more than rounding"


if __name__ == "__main__":
    main()
