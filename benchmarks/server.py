"""A chat endpoint on loopback that answers at once, in a process of its own.

It plays a model that calls the calculator and then answers: the n-th request of a run gets the
final answer, every one before it a call. A request with `tools` gets native calls, any other
the text format.

    with Endpoint() as endpoint:
        endpoint.reset(steps=3)
        ...                          # any client, base_url=endpoint.url
        endpoint.requests()          # the bodies that came since the reset
"""

import json
import subprocess
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWER = "That is all of it."


class Endpoint:
    """The server as its user sees it. It ends with the block, or with this process.

    url: what a client takes as its base_url.
    """

    def __enter__(self):
        command = [sys.executable, "-m", "benchmarks.server"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/v1"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def reset(self, steps: int) -> None:
        """Begin a run: forget the requests, and give the answer in reply number `steps`."""
        self._ask("reset", {"steps": steps})

    def requests(self) -> list[dict]:
        """The bodies of the requests since the reset, in order."""
        return self._ask("requests", {})

    def _ask(self, what: str, body: dict):
        request = urllib.request.Request(f"{self.url}/{what}", json.dumps(body).encode())
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=30) as reply:
            return json.load(reply)


def message(number: int, steps: int, tools: list[dict]) -> dict:
    """Reply `number` (from 1) of a run of so many steps, as a message of the assistant.

    tools: those of the request. Each call has an input of its own, so that no loop is found to
    repeat itself.
    """
    arguments = json.dumps({"expression": f"{number} * 12"})
    names = [tool["function"]["name"] for tool in tools]
    if number < steps and tools:
        return _call(number, "calculator", arguments)
    if number < steps:
        text = f"Thought: I need product {number}.\nAction: calculator\nAction Input: {arguments}"
        return {"role": "assistant", "content": text}
    if "final_answer" in names:  # smolagents wants the answer as a call
        return _call(number, "final_answer", json.dumps({"answer": ANSWER}))
    text = ANSWER if tools else f"Thought: I know all of it.\nFinal Answer: {ANSWER}"
    return {"role": "assistant", "content": text}


def _call(number: int, name: str, arguments: str) -> dict:
    function = {"name": name, "arguments": arguments}
    call = {"id": f"call{number:05}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between requests."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave in one packet: no waiting for an acknowledgement
    steps = 1
    seen: list[dict] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/v1/reset":
            Handler.steps, Handler.seen = body["steps"], []
            return self.reply({})
        if self.path == "/v1/requests":
            return self.reply(Handler.seen)
        Handler.seen.append(body)
        said = message(len(Handler.seen), Handler.steps, body.get("tools") or [])
        reason = "tool_calls" if "tool_calls" in said else "stop"
        self.reply(
            {
                "id": "benchmark",
                "object": "chat.completion",
                "created": 0,
                "model": body.get("model"),
                "choices": [{"index": 0, "message": said, "finish_reason": reason}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
            }
        )

    def reply(self, content):
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    """Print the port, then serve until standard input is closed."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        import threading

        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_port, flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
