"""A learner's server: the lab on their own copy of the notebooks.

JupyterHub starts this under the learner's account, in place of `python -m react_lab start`.
"""

import os
import sys
from pathlib import Path

from react_lab.course import start, working_copies

os.umask(0o077)  # other accounts cannot read the files made from here on
folder = Path.home() / "my_lab"
folder.mkdir(exist_ok=True)
folder.chmod(0o700)  # also if it was there before
print(working_copies.copy(folder, start.NOTEBOOKS), flush=True)

settings = start.environment(folder) | {"JUPYTERHUB_DEFAULT_URL": f"/lab/tree/{start.FIRST}"}
start.no_news(Path(settings["JUPYTER_CONFIG_DIR"]))
start.course_look(Path(settings["JUPYTER_CONFIG_DIR"]))
python, _, _, *options = start.command(folder, sys.argv[1:])
os.execve(python, [python, "-m", "jupyterhub.singleuser", *options], settings)
