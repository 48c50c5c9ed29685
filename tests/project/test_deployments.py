"""What is checked as text: the files for a cluster, and the page that says what was run."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from react_lab import cli
from react_lab.services import model_server

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "jupyterhub"
README = (DEPLOY / "README.md").read_text("utf-8")
VALUES = yaml.safe_load((DEPLOY / "values.yaml").read_text("utf-8"))
MODEL, SERVICE = yaml.safe_load_all((DEPLOY / "model.yaml").read_text("utf-8"))
POD = MODEL["spec"]["template"]
(CONTAINER,) = POD["spec"]["containers"]
LEARNER = VALUES["singleuser"]
PAGE = (ROOT / "docs" / "deployments.md").read_text("utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][2:]

# JupyterHub ----------------------------------------------------------------------------------


def test_teachers_install_the_versions_that_the_test_runs():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    assert f"-m pip install {' '.join(groups['jupyterhub'])}\n" in README
    assert f"JupyterHub {groups['jupyterhub'][0].partition('==')[2]} with its proxy" in PAGE


def test_the_commands_of_the_page_name_files_that_are_there():
    named = set(re.findall(r"deploy/jupyterhub/[\w.]+", README + str(LEARNER["cmd"])))
    assert {Path(name).name for name in named} >= {"jupyterhub_config.py", "learner.py"}
    assert all((ROOT / name).is_file() for name in named)


# Kubernetes ----------------------------------------------------------------------------------


def test_as_it_is_the_chart_lets_nobody_in():
    """JupyterHub's authenticator of this name refuses everybody; the chart's own does not."""
    assert VALUES["hub"]["config"]["JupyterHub"] == {"authenticator_class": "null"}
    assert "allow_all" not in str(VALUES)


def test_the_model_is_started_by_a_command_that_the_lab_has():
    python, m, package, *arguments = CONTAINER["args"]
    assert (python, m, package) == ("python", "-m", "react_lab")
    asked = cli._parser().parse_args(arguments)
    assert (asked.command, asked.host, asked.port) == ("serve", "0.0.0.0", port())
    assert int(CONTAINER["resources"]["requests"]["cpu"]) == asked.slots, "a core for each"


def port():
    (given,) = CONTAINER["ports"]
    return given["containerPort"]


def test_learners_ask_the_model_that_is_served():
    settings = LEARNER["extraEnv"]
    assert settings["LLM_BASE_URL"] == f"http://{SERVICE['metadata']['name']}:{port()}/v1"
    assert settings["LLM_MODEL"] == model_server.MODEL
    (key,) = CONTAINER["env"]
    assert key == {"name": "LLM_API_KEY", **settings["LLM_API_KEY"]}
    secret = key["valueFrom"]["secretKeyRef"]
    assert f"create secret generic {secret['name']} --from-literal={secret['key']}=" in README


def test_the_way_to_the_model_is_open():
    """Deployment, service and the learners' policy mean the same pods and the same port."""
    label = POD["metadata"]["labels"]
    assert MODEL["spec"]["selector"]["matchLabels"] == SERVICE["spec"]["selector"] == label
    assert [one["port"] for one in SERVICE["spec"]["ports"]] == [port()]
    (way,) = LEARNER["networkPolicy"]["egress"]
    assert way["to"] == [{"podSelector": {"matchLabels": label}}]
    assert way["ports"] == [{"protocol": "TCP", "port": port()}]


def test_all_use_the_image_that_is_built():
    image = f"{LEARNER['image']['name']}:{LEARNER['image']['tag']}"
    assert CONTAINER["image"] == image and f"--image-name {image} ." in README
    place = re.search(r"--target-repo-dir (\S+)", README)[1]
    assert LEARNER["cmd"] == ["python", f"{place}/deploy/jupyterhub/learner.py"]


# The page ------------------------------------------------------------------------------------


def test_each_row_says_one_of_three_things_and_by_what():
    assert {state for _, state, _ in ROWS} == {"run on loopback", "checked as text", "not tested"}
    assert all(by for _, _, by in ROWS)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"tests/[\w/]+\.py", PAGE))))
def test_the_tests_that_the_page_names_are_there(name):
    assert (ROOT / name).is_file()


@pytest.mark.parametrize(
    "page", [ROOT / "docs" / "deployments.md", DEPLOY / "README.md"], ids=lambda page: page.name
)
def test_links_lead_to_files_and_headings(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"\]\s*\(", "](", page.read_text("utf-8"))):
        if "://" not in target:
            name, _, heading = target.partition("#")
            linked = (page.parent / name if name else page).resolve()
            assert linked.exists(), target
            assert not heading or heading in headings(linked), target


def headings(page):
    """The anchors of a page, as GitHub makes them."""
    lines = [
        line.lstrip("#").strip() for line in page.read_text("utf-8").splitlines() if "#" in line
    ]
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in lines}
