"""A real JupyterLab in a real browser, for the tests that click.

Or Notebook 7 in its place. Playwright and Notebook 7 are no part of the lab: they are installed
into git-ignored folders of their own. The browser is the system's Chromium, without a window.

    with jupyterlab(folder) as address, chromium() as browser:
        page = browser.new_page()
        open_notebook(page, address, "00_start_here.ipynb")
        run_all(page)
        cell = run_cell(page, "1 + 1")
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers.extra_packages import beside
from react_lab.course import start

ROOT = Path(__file__).parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120_000  # milliseconds; a guard, no measure: a busy machine is slow

NO_CHROMIUM = """Chromium was not found. On Debian:
    apt-get install -y --no-install-recommends chromium fonts-dejavu-core
Or run the tests that need no browser: make test"""


def playwright():
    """Playwright's module `sync_api`. RuntimeError if it is not there and cannot be installed."""
    packages = str(beside("browser"))
    if packages not in sys.path:
        sys.path.append(packages)  # last: what the lab has of its own comes first
    from playwright import sync_api

    return sync_api


def expect(locator):
    """Playwright's assertions about a Locator, which wait until they hold."""
    return playwright().expect(locator)


def chromium_path() -> str:
    """The browser of this system. RuntimeError that says how to get one if there is none."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not found:
        raise RuntimeError(NO_CHROMIUM)
    return found


@contextmanager
def chromium() -> Iterator:
    """A Playwright BrowserContext of 1280 by 900 pixels; it is closed at the end."""
    path = chromium_path()
    quiet = ["--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--disable-sync"]
    quiet += ["--disable-background-networking", "--disable-component-update"]
    with playwright().sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=quiet)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE)
        playwright().expect.set_options(timeout=PATIENCE)
        yield context
        browser.close()


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The lab as `make lab` starts it, serving a folder; yields where its notebooks open.

    All it writes stays in the folder, its log as .lab/lab.log.
    """
    with _serving(folder, start.command(folder, []), start.environment(folder)) as address:
        yield f"{address}/lab/tree"


@contextmanager
def notebook7(folder: Path) -> Iterator[str]:
    """Notebook 7 with the lab's Python, kernel and settings, as `jupyterlab` does it."""
    packages = beside("notebook7", "--no-deps")  # a test sees that the lab has what it needs
    schemas = folder / ".lab/schemas"  # a usual installation has them all in one place
    for share in (Path(sys.prefix), packages):
        shutil.copytree(share / "share/jupyter/lab/schemas", schemas, dirs_exist_ok=True)
    settings = start.environment(folder)
    paths = [str(packages), settings.get("PYTHONPATH", "")]
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    settings["JUPYTER_PATH"] = str(packages / "share/jupyter")
    command = [sys.executable, "-m", "notebook", *start.command(folder, [])[3:]]
    command.append(f"--LabServerApp.schemas_dir={schemas}")
    with _serving(folder, command, settings) as address:
        yield f"{address}/notebooks"


@contextmanager
def _serving(folder: Path, command: list[str], settings: dict[str, str]) -> Iterator[str]:
    """A Jupyter server on a free port while the block runs; yields its address, without the key."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = ["--no-browser", "--expose-app-in-browser", f"--ServerApp.port={port}"]
    options += ["--ServerApp.port_retries=0", "--IdentityProvider.token=key"]
    config = Path(settings["JUPYTER_CONFIG_DIR"])
    start.no_news(config)
    start.course_look(config)
    _draw_all_cells(config)
    with open(folder / ".lab" / "lab.log", "w") as log:
        command = [*command, *options]
        lab = subprocess.Popen(command, env=settings, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(port, lab)
            yield f"http://127.0.0.1:{port}"
        finally:
            lab.terminate()
            lab.wait(timeout=60)


def _draw_all_cells(config: Path) -> None:
    """Keep JupyterLab from leaving cells below the window undrawn until it has time."""
    settings = config / "lab/user-settings/@jupyterlab/notebook-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')


def _wait_for(port: int, lab: subprocess.Popen) -> None:
    """Until something listens there, or the lab has ended."""
    while lab.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("Jupyter ended before it answered; its folder has .lab/lab.log")


def open_notebook(page, address: str, name: str) -> None:
    """Open a notebook in a page, and wait until its kernel is ready. address: of the notebooks."""
    page.goto(f"{address}/{name}?token=key&reset")
    page.locator(".jp-NotebookPanel").wait_for()
    page.evaluate("""async () => {
        const panel = window.jupyterapp.shell.currentWidget;
        await panel.context.ready;
        await panel.sessionContext.ready;
        await panel.sessionContext.session.kernel.info;
    }""")


def command(page, name: str, **arguments) -> None:
    """Run a command of JupyterLab, and wait until it is done."""
    page.evaluate("([name, given]) => window.jupyterapp.commands.execute(name, given)",
                  [name, arguments])  # fmt: skip


def set_theme(page, theme: str) -> None:
    """Switch JupyterLab to a theme, such as "JupyterLab Dark", and wait until it shows."""
    command(page, "apputils:change-theme", theme=theme)
    expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)


def run_all(page) -> None:
    """Run all cells of the notebook, and wait for the last one.

    JupyterLab itself waits only until a cell fails, also where the cell is meant to.
    """
    command(page, "notebook:run-all-cells")
    run_aside(page, "")  # a kernel answers in the order in which it was asked


def run_aside(page, code: str) -> None:
    """Run code without a cell, and wait until it is done. The focus stays where it is."""
    page.evaluate(
        """(code) => {
            const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
            return kernel.requestExecute({ code, silent: true }).done.then(() => null);
        }""",
        code,
    )


def run_above(page, words: str) -> None:
    """Run the cells above the one that holds these words, and wait for the last of them."""
    page.evaluate(
        """([words]) => {
            const { content } = window.jupyterapp.shell.currentWidget;
            const sources = content.widgets.map((cell) => cell.model.sharedModel.getSource());
            content.activeCellIndex = sources.findIndex((source) => source.includes(words));
        }""",
        [words],
    )
    command(page, "notebook:run-all-above")


def run_cell(page, code: str):
    """Add a cell with this code at the end, run it, and return it: a Locator."""
    number = page.evaluate(
        """async (code) => {
            const { content } = window.jupyterapp.shell.currentWidget;
            content.activeCellIndex = content.widgets.length - 1;
            const { commands } = window.jupyterapp;
            await commands.execute('notebook:insert-cell-below');
            content.activeCell.model.sharedModel.setSource(code);
            content.activeCell.node.dataset.added = content.activeCellIndex;
            await commands.execute('notebook:run-cell');
            return content.activeCellIndex;
        }""",
        code,
    )
    return page.locator(f'[data-added="{number}"]')


def code_cells(page) -> list[dict]:
    """The code cells as JupyterLab holds them, in the form of a notebook file."""
    whole = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON()")
    return [cell for cell in whole["cells"] if cell["cell_type"] == "code"]
