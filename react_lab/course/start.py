"""Start: JupyterLab open on the first notebook of the working copy."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FIRST = "00_start_here.ipynb"
STYLE = resources.files("react_lab") / "data" / "custom.css"
NEWS = '{"fetchNews": "false", "checkForUpdates": false}\n'


def busy_port(options: list[str]) -> int | None:
    """Return the port that the options ask for if another program uses it, else None."""
    for option, following in zip(options, [*options, ""][1:], strict=True):
        name, _, value = option.partition("=")
        if name in ("--port", "--ServerApp.port") and (value or following).isdigit():
            port = int(value or following)
            with socket.socket() as probe:
                if os.name != "nt":  # on Windows it would let two programs share a port
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    return port
    return None


def command(folder: Path, options: list[str]) -> list[str]:
    """Return the command that opens JupyterLab; your options come last and take precedence."""
    lab = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    lab.append(f"--LabApp.default_url=/lab/tree/{FIRST}")
    lab.append("--LabApp.custom_css=True")
    lab.append("--LanguageServerManager.autodetect=False")  # it would start npm to look for some
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        lab.append("--allow-root")
    return lab + options


def environment(folder: Path) -> dict[str, str]:
    """Return the environment for JupyterLab: its files and matplotlib's go to .lab in the folder.

    `python` in its terminals is the lab's Python, unless a login script puts another one first.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    own = {
        "JUPYTER_CONFIG_DIR": folder / ".lab/config",
        "JUPYTER_DATA_DIR": folder / ".lab/data",
        "JUPYTER_RUNTIME_DIR": folder / ".lab/runtime",
        "IPYTHONDIR": folder / ".lab/ipython",
        "MPLCONFIGDIR": folder / ".lab/matplotlib",
    }
    try:
        Path.home()
    except RuntimeError:  # in a container, a user without a name
        own["HOME"] = folder / ".lab"
    return {**{name: str(place) for name, place in own.items()}, **os.environ, "PATH": path}


def no_news(config: Path) -> None:
    """Keep JupyterLab from asking whether it may fetch its news, unless you decided already."""
    settings = config / "lab/user-settings/@jupyterlab/apputils-extension"
    file = settings / "notification.jupyterlab-settings"
    if not file.exists():
        settings.mkdir(parents=True, exist_ok=True)
        file.write_text(NEWS, encoding="utf-8")


def course_look(config: Path) -> None:
    """Give JupyterLab the course's style, unless you have put your own style there."""
    file, style = config / "custom/custom.css", STYLE.read_text("utf-8")
    ours = style.partition("\n")[0]
    if not file.exists() or file.read_text("utf-8", errors="replace").startswith(ours):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(style, encoding="utf-8")


def trust(notebooks: Iterable[Path], data: Path) -> None:
    """Mark notebooks as trusted, so that JupyterLab shows their stored outputs with their colours.

    JupyterLab removes styles from outputs of notebooks that are not signed. Only sign copies that
    have just been made from the course: a notebook with the learner's edits is signed by
    JupyterLab itself when it is saved.

    Args:
        notebooks: the copies; files that are not notebooks are left alone.
        data: Jupyter's data folder (`JUPYTER_DATA_DIR`), which holds the signatures.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    copies = [path for path in notebooks if path.suffix == ".ipynb"]
    if not copies:
        return
    data.mkdir(parents=True, exist_ok=True)
    with NotebookNotary(data_dir=str(data)) as notary:  # type: ignore[no-untyped-call]
        for path in copies:
            notary.sign(nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]


def open_lab(folder: Path, options: list[str]) -> int:
    """Run JupyterLab until it ends, and return its exit code."""
    lab = subprocess.Popen(command(folder, options), env=environment(folder))
    # Ctrl-C reaches JupyterLab by itself, and it asks before it stops.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: lab.terminate())
    return lab.wait()
