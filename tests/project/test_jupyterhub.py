"""JupyterHub for a room: three learners at once in the real thing, and one model for all."""

import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from helpers import jupyterhub_server as hub
from react_lab.course import start

NOT_RUN = "JupyterHub was NOT RUN: its accounts are made by root on Linux, with useradd."

# What came of the attempt to read a file or a folder, or to write a file, for each one a word.
ATTEMPTS = """
import os
from pathlib import Path

def attempt(how, *words):
    try:
        how(*words)
        print("done")
    except OSError as error:
        print(type(error).__name__)

folder = Path({folder!r})
attempt(os.listdir, folder)
attempt((folder / "00_start_here.ipynb").read_text)
attempt((folder / "note.txt").write_text, "x")
"""

pytestmark = pytest.mark.more
pwd = pytest.importorskip("pwd", reason=NOT_RUN)  # not on Windows


@dataclass(frozen=True)
class Lab:
    """A hub that runs, and the passwords of accounts in its group and of another one."""

    hub: hub.Hub
    folder: Path
    passwords: dict[str, str]
    stranger: tuple[str, str]


@pytest.fixture(scope="module")
def lab():
    if os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip(NOT_RUN)
    with hub.room() as folder, hub.accounts(3) as (group, passwords), hub.accounts(1) as others:
        with hub.running(folder, group) as it:
            yield Lab(it, folder, passwords, *others[1].items())


@pytest.fixture(scope="module")
def browsers(lab):
    """Three learners who log in at the same time, and wait for their server."""

    def come_in(name):
        browser, _ = lab.hub.log_in(name, lab.passwords[name])
        return browser, browser.open_server()

    with ThreadPoolExecutor(3) as threads:
        return dict(zip(lab.passwords, threads.map(come_in, lab.passwords)))


@pytest.fixture(scope="module")
def kernels(browsers):
    """Notebook 00 of each learner, open."""
    return {name: browser.kernel(start.FIRST) for name, (browser, _) in browsers.items()}


@pytest.fixture(scope="module")
def lesson(lab, browsers, kernels):
    """What each cell of notebook 00 prints, and which accounts reached the model meanwhile.

    Both by the name of the learner who runs it. One after another: their model has one core.
    """

    def run_all(name):
        browser, _ = browsers[name]
        return [kernels[name].run(cell) for cell in browser.cells(start.FIRST)]

    printed, seen = {}, {}
    with ThreadPoolExecutor(1) as thread:
        for name in kernels:
            running, seen[name] = thread.submit(run_all, name), set()
            while not wait([running], timeout=0.1).done:
                seen[name] |= connected(lab.hub.model_port)
            printed[name] = running.result()
    return printed, seen


def connected(port):
    """The accounts with a connection to this port of this machine."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    numbers = {int(row[7]) for row in rows if row[2].endswith(f":{port:04X}")}
    return {pwd.getpwuid(number).pw_name for number in numbers - {0}}


def test_each_learner_lands_on_notebook_00_in_a_server_of_their_own(browsers, kernels):
    about = "import os, getpass; print(getpass.getuser(), os.getuid(), os.getcwd())"
    for name, (_, address) in browsers.items():
        assert address.path == f"/user/{name}/lab/tree/{start.FIRST}"
        account = pwd.getpwnam(name)
        where = f"{name} {account.pw_uid} {account.pw_dir}/my_lab\n"
        assert kernels[name].run(about) == where


def test_each_learner_runs_notebook_00_to_its_end(lab, lesson):
    """What the tools said is the lab's own; the model's words may differ a little."""
    printed, _ = lesson
    assert len(printed) == 3
    for cells in printed.values():
        assert cells[1].startswith(f"Model: react-lab at 127.0.0.1:{lab.hub.model_port} (")
        assert "Observation:  [returns.md > Refund window] Customers have 30 days" in cells[2]
        assert "Finished after" in cells[2] and "Finished after" in cells[5]
        assert "Observation:  Tokyo: 24 °C" in cells[5]


def test_all_three_were_answered_by_the_one_model(lab, lesson, kernels):
    _, seen = lesson
    assert seen == {name: {name} for name in kernels}
    loaded = "import sys; print('react_lab.loop' in sys.modules, 'xllamacpp' in sys.modules)"
    assert {kernel.run(loaded) for kernel in kernels.values()} == {"True False\n"}
    services = [one for one in lab.hub.everything() if "serve" in one.cmdline()]
    assert [one.username() for one in services] == ["nobody"]
    assert lab.hub.model_port in {place.laddr.port for place in services[0].net_connections()}


def test_nobody_reads_or_writes_in_anothers_folder(kernels):
    for name, kernel in kernels.items():
        for owner in kernels:
            for folder in (f"/home/{owner}/my_lab", f"/home/{owner}"):
                outcome = kernel.run(ATTEMPTS.format(folder=folder)).split()
                if owner != name:
                    assert outcome == ["PermissionError"] * 3, folder
                elif folder.endswith("my_lab"):
                    assert outcome == ["done"] * 3


def test_a_working_copy_is_closed_even_in_a_home_that_is_open(kernels):
    for name in kernels:
        for path in Path(pwd.getpwnam(name).pw_dir, "my_lab").rglob("*"):
            assert not stat.S_IMODE(path.parent.stat().st_mode) & 0o077, path.parent


def test_learners_read_the_course_and_cannot_change_it(lab, kernels):
    code = ATTEMPTS.format(folder=str(lab.folder / "notebooks"))
    for kernel in kernels.values():
        assert kernel.run(code).split() == ["done", "done", "PermissionError"]


def test_a_learner_does_not_get_into_anothers_server(browsers):
    (first, _), (second, _), _ = browsers.values()
    assert first.client.get(f"{first.path}api/contents").status_code == 200
    assert first.client.get(f"{second.path}api/contents").status_code in (403, 404)


def test_who_is_not_in_the_group_stays_outside(lab):
    name, password = lab.stranger
    browser, page = lab.hub.log_in(name, password)
    assert page.status_code == 403 and browser.client.get("/hub/home").url.path == "/hub/login"


def test_a_wrong_password_does_not_open_the_door(lab):
    browser, page = lab.hub.log_in(next(iter(lab.passwords)), "guess")
    assert page.status_code == 403 and "Invalid username or password" in page.text
    assert browser.client.get("/hub/home").url.path == "/hub/login"


def test_the_model_wants_the_key_that_only_learners_have(lab):
    address = f"http://127.0.0.1:{lab.hub.model_port}/v1/models"
    assert httpx.get(address, trust_env=False).status_code == 401


def test_nothing_can_be_reached_from_another_machine(lab, kernels):
    """Of all that runs for the hub: proxy, model, servers and kernels."""
    found = {
        place.laddr.ip
        for process in lab.hub.everything()
        for place in process.net_connections("inet")
        if place.status == psutil.CONN_LISTEN
    }
    assert found == {"127.0.0.1"}


def test_an_address_for_others_is_refused_without_a_certificate(lab, tmp_path):
    config = lab.folder / "deploy" / "jupyterhub" / "open_config.py"
    text = (hub.DEPLOY / "jupyterhub_config.py").read_text("utf-8")
    config.write_text(text.replace("http://127.0.0.1:8000", "http://0.0.0.0:8000"), "utf-8")
    assert hub.start(lab.folder, config, tmp_path / "hub.log").wait(hub.PATIENCE) == 1
    assert "Set CERTIFICATE." in (tmp_path / "hub.log").read_text("utf-8")


def test_ctrl_c_ends_the_hub_the_servers_and_the_model(lab, kernels):
    """The last test of this file: afterwards there is no hub any more."""
    assert len(lab.hub.everything()) > len(kernels) * 2
    assert lab.hub.stop() == []
