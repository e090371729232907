"""The site takes its default port or the next free one; a port asked for, or none."""

import socket

import pytest

from provexplorer.embedded.ports import LOOPBACK, PortTaken, bound_socket, free_port

pytestmark = pytest.mark.engine_free


@pytest.fixture
def taken() -> "socket.socket":
    listener = socket.socket()
    listener.bind((LOOPBACK, 0))
    listener.listen()
    return listener


def test_port_asked_for_but_taken_is_refused(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    with taken, pytest.raises(PortTaken) as refused:
        bound_socket(port, default=1)
    assert refused.value.port == port


def test_default_that_is_taken_gives_the_next_free_one(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    with taken, bound_socket(None, default=port) as bound:
        assert bound.getsockname()[1] > port


def test_bound_socket_refuses_visitors_until_somebody_listens() -> None:
    with bound_socket(free_port(), default=1) as bound, socket.socket() as visitor:
        assert visitor.connect_ex(bound.getsockname()) != 0
        bound.listen()
        with socket.socket() as second:
            assert second.connect_ex(bound.getsockname()) == 0


def test_only_loopback_is_bound() -> None:
    with bound_socket(0, default=1) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
