"""Take the picture in the README: the stepper of notebook 05, at its second step.

    python docs/screenshots.py docs/stepper.png

It needs what tests/views/test_browser.py needs: Chromium, and the network the first time.
"""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from helpers import browser  # noqa: E402  beside the tests, because it is theirs

NOTEBOOK = "05_loop.ipynb"
REPLIES = [
    'Thought: I need the temperature.\nAction: get_weather\nAction Input: {"city": "Berlin"}',
    "Thought: Fahrenheit is times 1.8, plus 32.\n"
    'Action: calculator\nAction Input: {"expression": "21*1.8+32"}',
]


def take(page, file: Path) -> None:
    """Play the model in the notebook's form, one reply a step, and photograph the last step."""
    page.set_viewport_size({"width": 1200, "height": 1400})
    browser.set_theme(page, "JupyterLab Light")
    browser.run_above(page, "print(by_you.text)")
    cell = page.locator(".jp-CodeCell", has=page.get_by_role("button", name="To the end"))
    for number, reply in enumerate(REPLIES, 1):
        cell.get_by_label("You write").fill(reply)
        cell.get_by_role("button", name="Next", exact=True).click()
        browser.expect(cell.get_by_role("status")).to_contain_text(f"Step {number} of {number}")
        browser.expect(cell.get_by_role("status")).not_to_contain_text("Running")
    cell.locator(".widget-vbox").screenshot(path=file)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(ROOT / "notebooks" / NOTEBOOK, name)
        with browser.jupyterlab(Path(name)) as address, browser.chromium() as chromium:
            page = chromium.new_page()
            browser.open_notebook(page, address, NOTEBOOK)
            take(page, Path(sys.argv[1]))
