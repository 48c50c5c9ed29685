"""Nothing in the suite leaves this machine: not a test, a child process or a kernel.

192.0.2.1 is kept free for documentation (RFC 5737): nobody answers there.
"""

import socket
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

REFUSED = "the tests run offline"
CONNECT = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except PermissionError as error:
    print(error)
"""


def test_a_test_cannot_connect():
    with pytest.raises(PermissionError, match=REFUSED):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_a_name_is_not_even_looked_up():
    with pytest.raises(PermissionError, match=REFUSED):
        socket.getaddrinfo("example.org", 443)


def test_a_child_process_cannot_connect():
    child = subprocess.run([sys.executable, "-c", CONNECT], capture_output=True, text=True)
    assert child.stdout.startswith(REFUSED)


def test_a_notebook_cannot_connect():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CONNECT)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert notebook.cells[0].outputs[0].text.startswith(REFUSED)


def test_this_machine_is_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()[:2], timeout=5) as client:
            assert client.getpeername() == server.getsockname()
