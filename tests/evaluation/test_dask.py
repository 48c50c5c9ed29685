"""An evaluation on several machines, played by processes: Dask's executor, and a worker that dies.

Dask is no part of the lab. Its pinned version is installed into a folder of its own, which git
ignores.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.extra_packages import beside
from helpers.scripted_agents import slow
from react_lab.evaluation import evaluate
from react_lab.evaluation.judge import evaluation_cases

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def packages():
    """The folder with Dask's packages; the first call installs them, which needs the network."""
    return str(beside("dask"))


@pytest.fixture(scope="module")
def client_class(packages):
    sys.path.append(packages)  # last: what the lab has of its own comes first
    from distributed import Client

    yield Client
    sys.path.remove(packages)


@contextmanager
def processes(folder, packages):
    """A function that starts a command of Dask on loopback, in a process of its own."""
    started = []
    paths = [os.environ["PYTHONPATH"], str(ROOT / "tests"), packages]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def start(command, *options):
        module = [sys.executable, "-m", f"distributed.cli.dask_{command}"]
        here = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", "scheduler.json"]
        with open(folder / f"{len(started)}.log", "w") as log:
            child = subprocess.Popen(
                [*module, *here, *options], cwd=folder, env=environment, stdout=log, stderr=log
            )
        started.append(child)
        return child

    try:
        yield start
    finally:
        for child in started:
            child.kill()
            child.wait()


def test_a_worker_dies_half_way_and_no_case_is_lost_or_counted_twice(
    client_class, packages, tmp_path
):
    cases, results, seen, killed = evaluation_cases(), [], set(), None
    with processes(tmp_path, packages) as start:
        scheduler = start("scheduler", "--port", "0")
        workers = [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        file = tmp_path / "scheduler.json"
        while not file.exists():
            assert scheduler.poll() is None, (tmp_path / "0.log").read_text()
            time.sleep(0.1)
        with client_class(scheduler_file=str(file), timeout=120) as client:
            client.wait_for_workers(2, timeout=120)
            with client.get_executor() as executor:
                for result in evaluate(cases, slow, executor, tmp_path / "traces"):
                    results.append(result)
                    seen |= set(result.run.replies[0].notes)
                    if killed is None and len(seen) == 2 and len(results) >= len(cases) // 2:
                        workers[0].kill()
                        killed = len(results)
            assert workers[0].wait() and workers[1].poll() is None
    assert seen == {str(worker.pid) for worker in workers}, "both have worked"
    assert killed < len(cases) - 5, "there was work left"
    assert sorted(result.case.id for result in results) == sorted(case.id for case in cases)
    assert all(result.passed for result in results)
    assert len(list((tmp_path / "traces").iterdir())) == len(cases)
