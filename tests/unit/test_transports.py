"""What a peer said last is heard: data before its end, and a TLS alert while we write."""

import socket
import ssl
from collections import deque
from threading import Thread
from unittest.mock import Mock

import pytest
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaTCPTransport

from harness.tls import Tls
from kafka_census.kafka.protocol.transports import _TcpSocket, _TlsSocket
from unit.test_tls import server_context


def test_data_come_before_the_end_of_a_connection() -> None:
    """kafka-python reads both at once, and drops the data."""
    ours, peer = socket.socketpair()
    peer.sendall(b"the reason")
    peer.close()
    ours.setblocking(False)
    # kafka-python asks a protocol for sensors.
    net, heard = NetworkSelector(client_id="test"), Mock(_sensors=None)
    transport = KafkaTCPTransport(net, _TcpSocket(fileno=ours.detach()))
    transport.set_protocol(heard)
    transport.resume_reading()
    for _ in range(9):
        net.poll(timeout_ms=10)
    net.close()
    assert [(name, str(*arguments)) for name, arguments, _ in heard.mock_calls] == [
        ("data_received", "b'the reason'"),
        ("connection_lost", "KafkaConnectionError: socket disconnected"),
    ]


def test_a_write_that_fails_because_of_an_alert_raises_the_alert(tls: Tls) -> None:
    """A server that demands a certificate refuses in TLS 1.3 once the client's handshake is done."""
    demanding = server_context(tls.keystore, tls.cafile)
    context = ssl.create_default_context(cafile=str(tls.cafile))
    context.sslsocket_class = _TlsSocket
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            accepted, _ = listening.accept()
            with accepted, pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
                demanding.wrap_socket(accepted, server_side=True)

        server = Thread(target=refuse)
        server.start()
        raw = socket.create_connection(listening.getsockname(), timeout=10)
        with context.wrap_socket(raw, server_hostname="localhost") as secured:
            server.join()
            # The first bytes may still be taken by the kernel.
            with pytest.raises(ssl.SSLError, match="ALERT_CERTIFICATE_REQUIRED"):
                deque((secured.send(bytes(2**16)) for _ in range(99)), maxlen=0)
