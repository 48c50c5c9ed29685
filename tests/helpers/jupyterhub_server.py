"""The real JupyterHub on loopback, with its proxy, real accounts and a model for all.

JupyterHub is no part of the lab: it is installed into a git-ignored environment of its own. What
learners must read is laid out in a folder that every account may enter, since this clone may lie
where they may not. All of it needs root.

    with room() as folder, accounts(3) as (group, passwords), running(folder, group) as hub:
        ada, page = hub.log_in(*passwords.popitem())
        ada.open_server()
        print(ada.kernel("00_start_here.ipynb").run("print(1 + 1)"))
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import websocket

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "jupyterhub"
PAGE = (DEPLOY / "README.md").read_text("utf-8")
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
VENV = ROOT / ".venv-jupyterhub" / PYTHON
SITE = Path("lib", PYTHON, "site-packages")
PINS = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["jupyterhub"]
(PROXY,) = set(re.findall(r"configurable-http-proxy@[\d.]+", PAGE))
(USERADD,) = re.findall(r"^useradd .*", PAGE, re.M)
(OPENSSL,) = re.findall(r"^openssl .*", PAGE, re.M)
BACK = ("__editable__*", "lab.pth")  # of an environment: what leads back into this clone
IDLE = ("include", "svgs")  # thousands of files that nobody reads
PATIENCE = 180  # seconds; a guard, no measure: a busy machine is slow

NOT_INSTALLED = """JupyterHub could not be installed; the words of the command are above. With a
network:
    {}
Or run the tests that do not need it: make test"""


def install() -> None:
    """JupyterHub and its proxy in VENV; what is half made is made anew. RuntimeError if not."""
    stamp, wanted = VENV / "installed", "\n".join([*PINS, PROXY])
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    _command(sys.executable, "-m", "venv", "--without-pip", VENV)
    # pip then installs only what the lab does not have, and keeps to the versions that it has
    (VENV / SITE / "lab.pth").write_text(str(Path(sys.prefix) / SITE))
    _command(VENV / "bin" / "python", "-m", "pip", "install", "-q", *PINS)
    proxy = ["install", "--global", "--silent", "--prefix", VENV, PROXY]
    _command(VENV / "bin" / "npm", *proxy)
    stamp.write_text(wanted)


def _command(*words) -> None:
    """Run a command that needs the network. RuntimeError that names it if it fails."""
    words = [str(word) for word in words]
    online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # tests are offline
    if subprocess.run(words, env=online).returncode:
        raise RuntimeError(NOT_INSTALLED.format(" ".join(words)))


# The room: what /opt/react_lab is in README.md ---------------------------------------------------


@contextmanager
def room() -> Iterator[Path]:
    """A folder with the lab, its environment and JupyterHub, which every account may read."""
    install()
    folder = Path(tempfile.mkdtemp(prefix="a room "))
    folder.chmod(0o755)
    caches = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", ".lab", "lab_data")
    try:
        for part in ("react_lab", "notebooks", "deploy", "tests/offline"):
            shutil.copytree(ROOT / part, folder / part, ignore=caches)
        venv = [_python(folder), "-m", "venv", "--without-pip", folder / ".venv"]
        subprocess.run(venv, env=_environment(folder), check=True)
        for source in (VENV, Path(sys.prefix)):
            for part in ("etc", "lib", "share"):
                if (source / part).is_dir():
                    _lay(source / part, folder / ".venv" / part, *BACK, *IDLE)
        (folder / ".venv" / SITE / "react_lab.pth").write_text(str(folder))
        yield folder
    finally:
        shutil.rmtree(folder)


def _lay(source: Path, target: Path, *without: str) -> None:
    """Copy a folder without copying its files, where the disk can do that."""

    def link(file, place):
        if not os.path.lexists(place):
            try:
                os.link(file, place)
            except OSError:  # another disk
                shutil.copy2(file, place)

    skip = shutil.ignore_patterns(*without)
    shutil.copytree(source, target, True, skip, link, dirs_exist_ok=True)


def _python(folder: Path) -> Path:
    """This Python, if every account may start it; else a copy in the folder."""
    base = Path(sys.base_prefix)
    with suppress(PermissionError, subprocess.CalledProcessError):
        subprocess.run([base / "bin" / PYTHON, "-c", ""], user="nobody", cwd="/", check=True)
        return base / "bin" / PYTHON
    for place in ("bin", "lib"):
        (folder / "python" / place).mkdir(parents=True)
    shutil.copy(base / "bin" / PYTHON, folder / "python" / "bin")
    for library in (base / "lib").glob("libpython*"):
        shutil.copy(library, folder / "python" / "lib")
    _lay(base / "lib" / PYTHON, folder / "python" / "lib" / PYTHON, "site-packages", "test")
    return folder / "python" / "bin" / PYTHON


def _environment(folder: Path) -> dict[str, str]:
    """Nobody's settings, and the guard that keeps every Python of the room offline."""
    return {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(folder / "tests" / "offline"),
        "LD_LIBRARY_PATH": str(folder / "python" / "lib"),
    }


# Accounts ----------------------------------------------------------------------------------------


@contextmanager
def accounts(count: int) -> Iterator[tuple[str, dict[str, str]]]:
    """A new group, and the passwords of so many new accounts in it by their names.

    They are made by the command of README.md, and removed at the end with all they own.
    """
    group = f"lab{secrets.token_hex(3)}"
    passwords = {f"{group}{n}": secrets.token_urlsafe(12) for n in range(1, count + 1)}
    subprocess.run(["groupadd", group], check=True)
    try:
        for name, password in passwords.items():
            words = USERADD.replace(" learners ", f" {group} ").split()
            subprocess.run([*words[:-1], name], check=True)
            subprocess.run(["chpasswd"], input=f"{name}:{password}", text=True, check=True)
        yield group, passwords
    finally:
        for name in passwords:
            _remove(name)
        subprocess.run(["groupdel", group], check=True)


def _remove(name: str) -> None:
    """End what an account runs, and remove it with its home."""
    for process in psutil.process_iter(["username"]):
        if process.info["username"] == name:
            with suppress(psutil.Error):
                process.kill()
                process.wait(30)
    removed = subprocess.run(["userdel", "--remove", name], capture_output=True, text=True)
    if removed.returncode:
        raise RuntimeError(removed.stderr)


# The hub -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hub:
    """A JupyterHub that runs: its process, its address, its certificate, the model's port."""

    process: psutil.Process
    address: str
    certificate: Path
    model_port: int

    def everything(self) -> list[psutil.Process]:
        """Its process, the proxy, the model, the servers and their kernels."""
        return [self.process, *self.process.children(recursive=True)]

    def stop(self) -> list[psutil.Process]:
        """What Ctrl-C does; returns the processes that are left, and ends them."""
        everything = self.everything()
        self.process.send_signal(signal.SIGINT)
        _, left = psutil.wait_procs(everything, PATIENCE)
        for one in left:
            one.kill()
        return left

    def log_in(self, name: str, password: str) -> tuple["Browser", httpx.Response]:
        """Fill in the form; returns the browser and the page that it then shows."""
        client = httpx.Client(
            base_url=self.address,
            follow_redirects=True,
            timeout=PATIENCE,
            trust_env=False,
            verify=ssl.create_default_context(cafile=self.certificate),
        )
        xsrf = re.search(r'name="_xsrf" value="([^"]+)"', client.get("/hub/login").text)[1]
        fields = {"_xsrf": xsrf, "username": name, "password": password}
        return Browser(name, client, self.certificate), client.post("/hub/login", data=fields)


@dataclass(frozen=True)
class Browser:
    """What somebody does in a browser: with cookies, and without a token."""

    name: str
    client: httpx.Client
    certificate: Path

    @property
    def path(self) -> str:
        """Where their server is: /user/ada/"""
        return f"/user/{self.name}/"

    def open_server(self) -> httpx.URL:
        """Wait until their server has started; the address on which JupyterHub sends them there."""
        for _ in range(PATIENCE):
            address = self.client.get(f"/hub/spawn-pending/{self.name}").url
            if address.path.startswith(self.path):
                return address
            time.sleep(1)
        raise RuntimeError(f"The server of {self.name} did not start.")

    def cells(self, notebook: str) -> list[str]:
        """The code cells of a notebook in their folder."""
        content = self.client.get(f"{self.path}api/contents/{notebook}").json()["content"]
        return [cell["source"] for cell in content["cells"] if cell["cell_type"] == "code"]

    def cookies(self) -> dict[str, str]:
        """Those that go to their server, by name."""
        jar = self.client.cookies.jar
        return {one.name: one.value for one in jar if self.path.startswith(one.path)}

    def kernel(self, notebook: str) -> "Kernel":
        """A kernel for a notebook of theirs, as JupyterLab starts it."""
        asked = {"path": notebook, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        xsrf = {"X-XSRFToken": self.cookies()["_xsrf"]}
        session = self.client.post(f"{self.path}api/sessions", json=asked, headers=xsrf).json()
        return Kernel(self, f"{self.path}api/kernels/{session['kernel']['id']}/channels")


@dataclass(frozen=True)
class Kernel:
    """A kernel of somebody, and the path of the websocket before it."""

    browser: Browser
    channels: str

    def run(self, code: str) -> str:
        """What code prints. AssertionError with the traceback if it raises."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "version": "5.3"}
        header |= {"username": "", "session": number, "date": ""}
        message = {"header": header, "parent_header": {}, "metadata": {}, "channel": "shell"}
        message["content"] = {"code": code, "silent": False}
        stream = websocket.create_connection(
            str(self.browser.client.base_url.join(self.channels)).replace("http", "ws", 1),
            cookie="; ".join("=".join(pair) for pair in self.browser.cookies().items()),
            timeout=PATIENCE,
            sslopt={"ca_certs": str(self.browser.certificate)},
        )
        with closing(stream):
            stream.send(json.dumps(message))
            return _printed(stream, number)


def _printed(stream: websocket.WebSocket, number: str) -> str:
    """What the kernel prints for the message of this number, until it is idle again."""
    printed = ""
    while True:
        message = json.loads(stream.recv())
        kind, content = message["msg_type"], message["content"]
        if message["parent_header"].get("msg_id") != number:
            continue
        assert kind != "error", "\n".join(content["traceback"])
        if kind == "stream":
            printed += content["text"]
        if kind == "status" and content["execution_state"] == "idle":
            return printed


@contextmanager
def running(folder: Path, group: str) -> Iterator[Hub]:
    """JupyterHub as README.md starts it, for the accounts of a group. It ends with the block."""
    ports = _free_ports(4)
    config = folder / "deploy" / "jupyterhub" / "jupyterhub_config.py"
    address = f"https://127.0.0.1:{ports[0]}"
    with tempfile.TemporaryDirectory() as state:
        subprocess.run(OPENSSL.split(), cwd=state, check=True, capture_output=True)
        certificate, log = Path(state, "lab.crt"), Path(state, "hub.log")
        config.write_text(_changed(group, address, certificate, ports), encoding="utf-8")
        child = start(folder, config, log)
        it = Hub(psutil.Process(child.pid), address, certificate, ports[3])
        try:
            _wait_for(child, ports)
            yield it
        finally:
            if child.poll() is None:
                it.stop()
            print(log.read_text("utf-8", "replace"))  # pytest shows it when a test fails


def start(folder: Path, config: Path, log: Path) -> subprocess.Popen:
    """The command of README.md, in the folder of its log."""
    command = [folder / ".venv" / "bin" / "python", "-m", "jupyterhub", "-f", config]
    with log.open("w") as out:
        return subprocess.Popen(
            command, cwd=log.parent, env=_environment(folder), stdout=out, stderr=out
        )


def _changed(group: str, address: str, certificate: Path, ports: list[int]) -> str:
    """The configuration with the lines changed that are a teacher's to change, and free ports."""
    text = (DEPLOY / "jupyterhub_config.py").read_text("utf-8")
    lines = {
        "GROUP": repr(group),
        "ADDRESS": repr(address),
        "CERTIFICATE, ITS_KEY": repr((str(certificate), str(certificate.with_suffix(".key")))),
        "SLOTS": "1",
        "MODEL_PORT": str(ports[3]),
    }
    for name, value in lines.items():
        text, found = re.subn(rf"^{name} = [^#\n]+", f"{name} = {value}  ", text, flags=re.M)
        assert found == 1, name
    return text.replace(":8081", f":{ports[1]}").replace(":8001", f":{ports[2]}")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as probes:
        found = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        return [probes.enter_context(one).getsockname()[1] for one in found]


def _wait_for(child: subprocess.Popen, ports: list[int]) -> None:
    """Until something listens at all ports. RuntimeError if the child ends before."""
    for port in ports:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            if child.poll() is not None:
                raise RuntimeError("JupyterHub ended before it answered; its log is printed.")
            time.sleep(0.2)
