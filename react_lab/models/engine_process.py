"""The engine's process: it starts llama.cpp's server and ends when its parent does.

`engine.py` runs this file as a script, so it imports nothing of the lab. It reads one line of JSON
from standard input, writes one line with the server's address or an error, and then waits until
standard input is closed.
"""

import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Start the server and keep it until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent
    settings = json.loads(sys.stdin.readline())
    try:
        server = start(settings)
        answer = {"address": server.listening_address}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    if "address" in answer:
        sys.stdin.read()
    os._exit(0)  # at once: the server has nothing to save


def start(settings: dict[str, Any]) -> Any:
    """Start the server.

    Args:
        settings: `weights` and `adapter` (paths, `adapter` may be null), `key`, `context` in
            tokens, and `threads`.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["weights"]
    params.model_alias = {"smollm2"}  # otherwise the server shows the path on this machine
    params.api_keys = [settings["key"]]
    params.n_ctx, params.n_parallel, params.n_gpu_layers = settings["context"], 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.cache_prompt, params.cache_ram_mib = False, 0  # each request says what it reuses
    params.verbosity = -1
    if hasattr(params, "ui"):
        params.ui = False
    if settings["adapter"]:
        lora = xllamacpp.CommonAdapterLoraInfo()
        lora.path, lora.scale = settings["adapter"], 1.0
        params.lora_adapters = [lora]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
