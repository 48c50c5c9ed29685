"""Refuse every connection that leaves this machine.

The tests put this folder on PYTHONPATH, so that each Python they start, notebook
kernels included, loads this file first. It sees Python's own sockets; native code
(the engine, ZeroMQ) only listens on loopback.
"""

import ipaddress
import sys

LOCAL_NAMES = {"", "localhost", "localhost.localdomain", "ip6-localhost"}


def refuse(address):
    raise PermissionError(f"the tests run offline: no connection to {address!r}")


def check_host(host, names_only):
    """Raise PermissionError unless the host is this machine.

    A plain IP number needs no look-up, so with names_only it may pass: it is
    checked again when somebody connects to it.
    """
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in LOCAL_NAMES:
        return
    try:
        ip = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        refuse(host)
    if not (names_only or ip.is_loopback):
        refuse(host)


def guard(event, arguments):
    """The audit hook: Python calls it before each of these socket calls."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple):  # a Unix socket's address is a text
            check_host(address[0], names_only=False)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        check_host(arguments[0], names_only=True)


sys.addaudithook(guard)
