"""Clean: keep the training apart from the questions, and free of doubles.

    python -m training.clean

Removes from `phrases/` the rows that share a name or a tool with a question set, rows that are
there twice, and whole episodes that never work out. Only programs compare: what is shared with
a question is counted here, not shown.
"""

import json
import re

from training.natural import HERE
from training.questions import UNSEEN, entities
from training.whole import works


def shared(texts: list[str]) -> list[bool]:
    """For each text, whether it holds a name of any question set."""
    names = sorted(set().union(*map(entities, UNSEEN)), key=len, reverse=True)
    words = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.I)
    return [bool(words.search(text)) for text in texts]


def main() -> None:
    for file in sorted(HERE.glob("*.jsonl")):
        lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
        seen, kept = set(), []
        for line, named in zip(lines, shared(lines), strict=True):
            row = json.loads(line)
            key = row.get("question") or json.dumps(row.get("ask") or row.get("name") or row)
            if not named and key not in seen and ("steps" not in row or works(row)):
                kept.append(line)
            seen.add(key)
        if len(kept) < len(lines):
            file.write_text("\n".join(kept) + "\n", encoding="utf-8")
            print(f"{file.name}: {len(lines) - len(kept)} of {len(lines)} rows removed")


if __name__ == "__main__":
    main()
