"""What the tests with servers of their own share."""

import time

LIMIT = 120  # seconds that anything may take, on a busy machine


def port_of(server):
    return int(server.tcp_url.rsplit(":", 1)[1].split("/")[0])


def url_of(*servers, user="postgres", more=""):
    """An address that names them all.  A server may be given as its port."""
    ports = (server if isinstance(server, int) else port_of(server) for server in servers)
    return f"postgresql://{user}@{','.join(f'127.0.0.1:{port}' for port in ports)}/postgres{more}"


def wait_until(condition):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come about in time")
        time.sleep(0.02)
