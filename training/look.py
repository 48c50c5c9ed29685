"""Look: one training episode, token by token, as notebook 12 shows it.

    python -m training.look                  # with the adapter that ships
    python -m training.look adapter.gguf     # with another one

Writes `react_lab/data/training/episode.json`: the episode, its tokens, how much each counts, and
the loss of each under the base weights and with the adapter. Copies the log beside it. Takes
about a minute on one core.
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from react_lab.models.weights import DATA
from training.episodes import groups
from training.export import read_adapter
from training.network import Network, base_path, new_lora
from training.tokens import encode_messages, pack, tokenizer

SEED, PLACE = 101, 0  # no training used this seed; the first episode of its first group
FOLDER = DATA / "training"


@torch.no_grad()
def losses(net: Network, lora: dict, batch) -> tuple[float, list[float]]:
    """The loss as the training counts it, a mean; and of each token that counts, in nats."""
    mean = net.loss(lora, batch) / batch.weights.sum()
    logits = net.logits(net.hidden(lora, batch)[batch.at])
    each = F.cross_entropy(logits, batch.labels, reduction="none")
    return round(mean.item(), 4), [round(loss, 4) for loss in each.tolist()]


def look(adapter: Path) -> dict:
    """All that the notebook shows of the episode, as plain values.

    tokens: in order, the system prompt left out; text, weight, and where that is not 0, the loss
    under the two arms. system_tokens: how many the system prompt has.
    """
    group = next(groups(SEED))
    system, messages = group["system"], group["episodes"][PLACE]
    encode = tokenizer(base_path())
    net = Network(base_path(), torch.float32)
    batch = pack([{"system": system, "episodes": [messages]}], encode)
    arms = {"base": new_lora(net), "adapter": read_adapter(adapter)}
    found = {name: losses(net, lora, batch) for name, lora in arms.items()}
    ids, weights = encode_messages(messages, encode)
    tokens, place = [], 0
    for one, weight in zip(ids, weights, strict=True):
        tokens.append({"text": encode.decode([one], skip_special_tokens=False), "weight": weight})
        if weight:
            tokens[-1] |= {name: each[place] for name, (_, each) in found.items()}
            place += 1
    return {
        "seed": SEED,
        "place": PLACE,
        "adapter": hashlib.sha256(adapter.read_bytes()).hexdigest(),
        "loss": {name: mean for name, (mean, _) in found.items()},
        "system": system,
        "system_tokens": len(encode_messages([{"role": "system", "content": system}], encode)[0]),
        "messages": messages,
        "tokens": tokens,
    }


def main() -> None:
    torch.set_num_threads(1)
    found = look(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "react.gguf")
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(found, indent=1) + "\n"
    (FOLDER / "episode.json").write_text(text, encoding="utf-8", newline="\n")
    shutil.copyfile(Path(__file__).parent / "final_log.jsonl", FOLDER / "log.jsonl")
    counted = sum(token["weight"] > 0 for token in found["tokens"])
    print(f"{counted} of {len(found['tokens'])} tokens count; mean loss {found['loss']}")


if __name__ == "__main__":
    main()
