"""A real JupyterLab in a real browser, for the tests that click and for the screenshots.

Playwright is no part of the lab: it is installed into a git-ignored folder of its own. The
browser is the system's Chromium, without a window.

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
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from react_lab.course import start

ROOT = Path(__file__).parents[1]
PACKAGES = ROOT / ".venv-browser" / f"python{sys.version_info.major}.{sys.version_info.minor}"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120_000  # milliseconds; a guard, no measure: a busy machine is slow

NO_CHROMIUM = """Chromium was not found. On Debian:
    apt-get install -y --no-install-recommends chromium fonts-dejavu-core
Or run the tests that need no browser: make test"""
NO_PLAYWRIGHT = """Playwright could not be installed; pip's own words are above. With a network:
    {}
Or run the tests that need no browser: make test"""


def playwright():
    """Playwright's module `sync_api`; the first call installs it. RuntimeError if it cannot."""
    (pin,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["browser"]
    if not (PACKAGES / f"{pin.replace('==', '-')}.dist-info").is_dir():
        shutil.rmtree(PACKAGES, ignore_errors=True)
        install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(PACKAGES), pin]
        online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # tests are offline
        if subprocess.run(install, env=online).returncode:
            raise RuntimeError(NO_PLAYWRIGHT.format(" ".join(install)))
    if str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))  # last: what the lab has of its own comes first
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
    """The lab as `make lab` starts it, serving a folder; yields its address, without the key.

    All it writes stays in the folder, its log as .lab/lab.log.
    """
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = ["--no-browser", "--expose-app-in-browser", f"--ServerApp.port={port}"]
    options += ["--ServerApp.port_retries=0", "--IdentityProvider.token=key"]
    settings = start.environment(folder)
    config = Path(settings["JUPYTER_CONFIG_DIR"])
    start.no_news(config)
    _draw_all_cells(config)
    with open(folder / ".lab" / "lab.log", "w") as log:
        command = start.command(folder, options)
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
    raise RuntimeError("JupyterLab ended before it answered; its folder has .lab/lab.log")


def open_notebook(page, address: str, name: str) -> None:
    """Open a notebook in a page, and wait until its kernel is ready."""
    page.goto(f"{address}/lab/tree/{name}?token=key&reset")
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
    page.evaluate("""() => {
        const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
        return kernel.requestExecute({ code: '', silent: true }).done.then(() => null);
    }""")  # a kernel answers in the order in which it was asked


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
