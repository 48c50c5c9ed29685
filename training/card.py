"""Card: install an exported adapter as the lab's own, and write down what it was trained on.

    python -m training.card training/runs/final adapter.gguf

Copies the adapter to `react_lab/data/react.gguf` and writes `react_lab/data/adapter.json`: its
checksum, the hash of the prompt and messages it learnt, and the size of the training. The words
for people stand beside it, in `MODEL_CARD.md`.
"""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

from react_lab import prompt
from react_lab.models.weights import DATA
from react_lab.parser import LABELS
from react_lab.toolkit import lab_tools


def prompt_sha256() -> str:
    """The hash of every English word that the program says to the model.

    Covers labels, frame, rules, messages, and the text and native prompts as they are put
    together for the lab's tools. The lab's own tool descriptions are part of that.
    """
    tools = lab_tools()
    words = {
        "labels": LABELS["en"],
        "frame": prompt.FRAME["en"],
        "rules": prompt.RULES["en"],
        "messages": prompt.MESSAGES["en"],
        "text": prompt.system_prompt(tools),
        "act only": prompt.system_prompt(tools, thoughts=False),
        "native": prompt.native_prompt(tools),
    }
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("run", type=Path, help="folder of the training run")
    ask.add_argument("adapter", type=Path, help="the exported GGUF")
    given = ask.parse_args()
    log = [json.loads(line) for line in (given.run / "log.jsonl").read_text("utf-8").splitlines()]
    target = DATA / "react.gguf"
    shutil.copyfile(given.adapter, target)
    card = {
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
        "prompt_sha256": prompt_sha256(),
        **{key: log[-1][key] for key in ("step", "episodes", "tokens", "minutes", "loss")},
    }
    (DATA / "adapter.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card, indent=1))


if __name__ == "__main__":
    main()
