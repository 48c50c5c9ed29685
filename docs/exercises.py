"""Make notebooks/13_exercises.ipynb from react_lab/data/exercises.ipynb: python docs/exercises.py

Change the exercises there, in the instructors' form. The new notebook has not run yet:

    python docs/exercises.py && python -m react_lab.models.recording 13
"""

import json
from pathlib import Path

from react_lab.course import exercise_notebook

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "13_exercises.ipynb"


def write(path: Path = NOTEBOOK) -> None:
    """Write the learners' notebook to a path."""
    text = json.dumps(exercise_notebook.learners(), indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
