"""HTTP/1.1 messages on sockets, for the proxy: heads, bodies, and copies of bodies."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass

PIECE = 256 * 1024
MOST_HEAD = 64 * 1024


class Closed(Exception):
    """The other side ended the connection before the message was complete."""


@dataclass
class Head:
    """The first line of a message and its header fields, in order."""

    line: list[str]
    fields: list[tuple[str, str]]

    @classmethod
    def parse(cls, data: bytes) -> Head:
        """The head of bytes that end in an empty line."""
        first, *rest = data.decode("latin-1").rstrip("\r\n").split("\r\n")
        pairs = (line.partition(":") for line in rest)
        return cls(first.split(" ", 2), [(name, value.strip()) for name, _, value in pairs])

    def get(self, name: str) -> str | None:
        """The value of a header field."""
        return next((value for field, value in self.fields if field.lower() == name.lower()), None)

    def drop(self, *names: str) -> None:
        """Remove header fields."""
        lower = {name.lower() for name in names}
        self.fields = [field for field in self.fields if field[0].lower() not in lower]

    def set(self, name: str, value: str) -> None:
        """Replace a header field in its place, or add it."""
        for at, (field, _) in enumerate(self.fields):
            if field.lower() == name.lower():
                self.fields[at] = (field, value)
                return
        self.fields.append((name, value))

    def encode(self) -> bytes:
        """The bytes of the head, with the empty line."""
        lines = [" ".join(self.line), *(f"{name}: {value}" for name, value in self.fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")

    def has_token(self, name: str, token: str) -> bool:
        """Whether a header field contains a token, such as `close` in `Connection`."""
        return token in (self.get(name) or "").lower()


class Connection:
    """A socket with the bytes that were received and not read yet."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.unread = bytearray()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _receive(self) -> None:
        data = self.sock.recv(PIECE)
        if not data:
            raise Closed
        self.unread += data

    def _take(self, count: int) -> bytes:
        data = bytes(self.unread[:count])
        del self.unread[:count]
        return data

    def until(self, mark: bytes) -> bytes:
        """The next bytes up to a mark, and the mark."""
        while (end := self.unread.find(mark)) < 0:
            if len(self.unread) > MOST_HEAD:
                raise Closed
            self._receive()
        return self._take(end + len(mark))

    def head(self) -> Head:
        """The next head."""
        return Head.parse(self.until(b"\r\n\r\n"))

    def exactly(self, count: int) -> bytes:
        """The next `count` bytes."""
        while len(self.unread) < count:
            self._receive()
        return self._take(count)

    def chunked(self) -> tuple[bytes, bytes]:
        """The next body in chunks: as it came, and without the marks of the chunks."""
        raw, body = bytearray(), bytearray()
        while True:
            line = self.until(b"\r\n")
            raw += line
            size = int(line.split(b";")[0], 16)
            if size == 0:
                while (line := self.until(b"\r\n")) != b"\r\n":
                    raw += line
                return bytes(raw + line), bytes(body)
            chunk = self.exactly(size + 2)
            raw += chunk
            body += chunk[:-2]

    def rest(self) -> bytes:
        """All bytes until the other side ends the connection."""
        try:
            while True:
                self._receive()
        except Closed:
            return self._take(len(self.unread))

    def copy(self, count: int, send: Callable[[memoryview, int], None]) -> None:
        """Passes the next `count` bytes to `send` in pieces, each with the number of bytes after it."""
        piece = memoryview(bytearray(min(PIECE, max(count, 1))))
        while count:
            if self.unread:
                received = min(count, len(self.unread), len(piece))
                piece[:received] = self._take(received)
            else:
                received = self.sock.recv_into(piece, min(count, len(piece)))
                if not received:
                    raise Closed
            count -= received
            send(piece[:received], count)

    def close(self) -> None:
        """End the connection in order."""
        self.sock.close()

    def reset(self) -> None:
        """End the connection by RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def is_open(self) -> bool:
        """Whether the other side has not ended the connection. Unread bytes count as open."""
        try:
            # A `recv` with MSG_DONTWAIT alone would wait: the socket has a timeout, and Python waits first.
            return not select.select([self.sock], [], [], 0)[0] or self.sock.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False
