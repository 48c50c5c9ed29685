"""What the training draws from, as text: no table of the lab may share a name or a template."""

from pathlib import Path

TRAINING = Path(__file__).parents[2] / "training"


def texts() -> list[str]:
    """The whole text of each phrase file and of each module of the training."""
    files = [*(TRAINING / "phrases").iterdir(), *TRAINING.glob("*.py")]
    assert len(files) > 10
    return [path.read_text("utf-8") for path in files]
