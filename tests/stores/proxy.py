"""A reverse HTTP/1.1 proxy that injects faults.

It runs as a process: `python proxy.py HOST:PORT`, the address of the server, prints a JSON object with
its `port` and its `control` port. The control port has no faults:

- `GET /stats`: the counts and the log of the requests since the last reset,
- `POST /plan`: a JSON object, see `faults.Plan`; the counts of equal requests start again,
- `POST /reset`: empties the counts and the log, and starts the plan again.

The proxy passes requests on unchanged, `Host` included. It answers 412 itself when a request has `If-Match`
and the server answers with another ETag: the fake GCS server ignores that header.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from faults import Fault, Faults, Plan
from wire import Closed, Connection, Head

IDLE_SECONDS = 300
REASONS = {
    412: "Precondition Failed",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
}
BEFORE_RESPONSE = 0.25
"""A `reset` whose fraction is less than this comes before the response."""


@dataclass
class Entry:
    """A request in the log. `sent` is the number of bytes of the body."""

    method: str
    path: str
    range: str
    status: int = 0
    fault: str | None = None
    sent: int = 0


class State:
    """The plan, and the counts since the last reset."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.faults = Faults(Plan())
        self.running = 0
        self.reset()

    def reset(self) -> None:
        """Start the counts and the plan again. Requests in flight stay counted."""
        with self.lock:
            self.faults = Faults(self.faults.plan)
            self.log: list[Entry] = []
            self.most = self.running
            self.connections = 0

    def begin(self, entry: Entry) -> None:
        """Count a request that starts."""
        with self.lock:
            self.log.append(entry)
            self.running += 1
            self.most = max(self.most, self.running)

    def end(self) -> None:
        """Count a request that ends."""
        with self.lock:
            self.running -= 1

    def stats(self) -> dict[str, Any]:
        """The answer of `GET /stats`."""
        with self.lock:
            log, faults = list(self.log), Counter(entry.fault for entry in self.log if entry.fault)
            return {
                "requests": len(log),
                "body_bytes": sum(entry.sent for entry in log),
                "faults": dict(faults),
                "most_concurrent": self.most,
                "running": self.running,
                "connections": self.connections,
                "log": [asdict(entry) for entry in log],
            }


class Client:
    """The connection of a client, with a connection to the server that lives as long."""

    def __init__(self, sock: socket.socket, upstream: tuple[str, int], state: State) -> None:
        self.client = Connection(sock)
        self.upstream = upstream
        self.state = state
        self.server: Connection | None = None

    def run(self) -> None:
        """Answer requests until one of the sides ends the connection."""
        self.client.sock.settimeout(IDLE_SECONDS)
        with contextlib.suppress(Closed, OSError):
            while self.exchange():
                pass
        self.client.close()
        self.drop_server()

    def drop_server(self) -> None:
        """End the connection to the server; the next request makes another one."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def exchange(self) -> bool:
        """Answer one request. Returns whether the connection goes on."""
        request = self.client.head()
        if request.has_token("Expect", "100-continue"):
            self.client.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.drop("Expect")
        if request.has_token("Transfer-Encoding", "chunked"):
            body = self.client.chunked()[0]
        else:
            body = self.client.exactly(int(request.get("Content-Length") or 0))
        method, path = request.line[:2]
        entry = Entry(method, path, request.get("Range") or request.get("x-ms-range") or "")
        self.state.begin(entry)
        faults = self.state.faults
        fault = faults.draw(entry.method, entry.path, entry.range)
        answer = Answer(self, request, entry, faults.plan)
        try:
            goes_on = answer.run(body, fault)
        except BaseException:
            self.drop_server()
            raise
        finally:
            answer.end()
        return goes_on and not request.has_token("Connection", "close")

    def ask(self, request: Head, body: bytes) -> Head:
        """Send a request to the server. Reconnects if the server has ended the connection."""
        while True:
            kept = self.server is not None
            try:
                if self.server is None:
                    self.server = Connection(socket.create_connection(self.upstream, timeout=IDLE_SECONDS))
                self.server.sock.sendall(request.encode() + body)
                response = self.server.head()
                while response.line[1] == "100":
                    response = self.server.head()
                return response
            except (Closed, OSError):
                self.drop_server()
                if not kept:
                    raise


class Answer:
    """The answer to one request, with its fault."""

    def __init__(self, owner: Client, request: Head, entry: Entry, plan: Plan) -> None:
        self.owner = owner
        self.client = owner.client
        self.request = request
        self.entry = entry
        self.plan = plan
        self.started = 0.0
        self.ended = False

    def end(self) -> None:
        """Count the end of the request, once, before the last bytes: then the client may send the next."""
        if not self.ended:
            self.ended = True
            self.owner.state.end()

    def run(self, body: bytes, fault: Fault | None) -> bool:
        """Answer the request. Returns whether the connection goes on."""
        kind = fault.kind if fault else ""
        if fault and kind == "reset" and fault.fraction < BEFORE_RESPONSE:
            return self.reset()
        if kind.startswith("status_"):
            self.entry.fault = kind
            self.wait()
            return self.refuse(int(kind.removeprefix("status_")))
        try:
            response = self.owner.ask(self.request, body)
        except (Closed, OSError):
            return self.refuse(502)
        assert self.owner.server is not None
        server_closes = response.has_token("Connection", "close") or response.line[0] == "HTTP/1.0"
        response.line[0] = "HTTP/1.1"
        response.drop("Connection", "Keep-Alive")
        self.wait()
        if response.line[1] in ("200", "206") and not self.matches(response.get("ETag")):
            self.owner.drop_server()
            return self.refuse(412)
        self.entry.status = int(response.line[1])
        goes_on = self.pass_on(response, fault)
        if server_closes or not goes_on:
            self.owner.drop_server()
        return goes_on

    def wait(self) -> None:
        """The latency of the plan."""
        if self.plan.latency_ms:
            time.sleep(self.plan.latency_ms / 1000)

    def reset(self) -> bool:
        self.entry.fault = "reset"
        self.end()
        self.client.reset()
        return False

    def refuse(self, status: int) -> bool:
        """Answers with a status of the proxy."""
        self.entry.status = status
        reason = REASONS.get(status, "Service Unavailable")
        body = b"" if self.request.line[0] == "HEAD" else f"{reason}: by the proxy\n".encode()
        head = Head(["HTTP/1.1", str(status), reason], [("Content-Length", str(len(body)))])
        if self.plan.retry_after is not None and status in (429, 503):
            head.set("Retry-After", str(self.plan.retry_after))
        self.entry.sent = len(body)
        self.end()
        self.client.sock.sendall(head.encode() + body)
        return True

    def matches(self, etag: str | None) -> bool:
        """Whether the ETag is one of those of `If-Match`."""
        wanted = self.request.get("If-Match")
        return wanted is None or wanted == "*" or etag in [each.strip() for each in wanted.split(",")]

    def pass_on(self, response: Head, fault: Fault | None) -> bool:
        """Send the response of the server to the client."""
        server = self.owner.server
        assert server is not None
        status = response.line[1]
        chunked = response.has_token("Transfer-Encoding", "chunked")
        length = int(response.get("Content-Length") or 0)
        if self.request.line[0] == "HEAD" or status in ("204", "304"):
            chunked, length = False, 0
        elif chunked and fault is None:
            return self.pass_chunks_on(response, server)
        elif chunked or response.get("Content-Length") is None:
            # The length is not known before the end.
            body = server.chunked()[1] if chunked else server.rest()
            response.drop("Transfer-Encoding")
            response.set("Content-Length", str(len(body)))
            length = len(body)
            server.unread[:0] = body
        if fault is None:
            return self.send(response, server, length, length)
        if fault.kind == "wrong_etag" and response.get("ETag") is not None:
            self.entry.fault = fault.kind
            response.set("ETag", '"another-one"')
        if fault.kind == "wrong_etag" or length == 0 or status not in ("200", "206"):
            return self.send(response, server, length, length)
        self.entry.fault = fault.kind
        return self.cut(response, server, length, fault)

    def cut(self, response: Head, server: Connection, length: int, fault: Fault) -> bool:
        """Send a response whose body is cut, or stalls."""
        part = min(int(length * fault.fraction), length - 1)
        if fault.kind == "truncated_length":
            response.set("Content-Length", str(part))
            if (range_ := response.get("Content-Range")) is not None:
                start, _, rest = range_.removeprefix("bytes ").partition("-")
                part = max(part, 1)
                response.set("Content-Length", str(part))
                response.set(
                    "Content-Range", f"bytes {start}-{int(start) + part - 1}/{rest.partition('/')[2]}"
                )
            self.send(response, server, part, part)
            # The rest of the body is not read, so the connection to the server cannot be used again.
            self.owner.drop_server()
            return True
        if fault.kind == "truncate_close":
            response.drop("Content-Length")
            response.set("Connection", "close")
        self.send(response, server, part, length)
        if fault.kind == "stall":
            if not self.stall():
                return False
            server.copy(length - part, self.send_piece)
            return True
        return self.reset() if fault.kind == "reset" else False

    def send(self, response: Head, server: Connection, part: int, length: int) -> bool:
        """Send a head, and `part` bytes of a body of `length` bytes."""
        self.started = time.monotonic()
        if part == length == 0:
            self.end()
        self.client.sock.sendall(response.encode())
        left = length - part
        server.copy(part, lambda piece, more: self.send_piece(piece, more + left))
        return True

    def send_piece(self, piece: memoryview, left: int) -> None:
        """Sends bytes of a body, after which `left` bytes remain."""
        self.entry.sent += len(piece)
        if left == 0:
            self.end()
        self.client.sock.sendall(piece)
        if self.plan.bytes_per_second:
            due = self.started + self.entry.sent / self.plan.bytes_per_second
            time.sleep(max(0, due - time.monotonic()))

    def pass_chunks_on(self, response: Head, server: Connection) -> bool:
        """Send a body in chunks as the server sends it."""
        self.client.sock.sendall(response.encode())
        while True:
            line = server.until(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                server.unread[:0] = line
                last = server.chunked()[0]
                self.end()
                self.client.sock.sendall(last)
                return True
            self.entry.sent += size
            self.client.sock.sendall(line)
            server.copy(size + 2, lambda piece, _: self.client.sock.sendall(piece))

    def stall(self) -> bool:
        """Send nothing for a while. Returns whether the client still waits."""
        until = time.monotonic() + self.plan.stall_seconds
        while (left := until - time.monotonic()) > 0:
            if not self.client.is_open():
                return False
            time.sleep(min(left, 0.02))
        return True


class Control(BaseHTTPRequestHandler):
    """The control port."""

    protocol_version = "HTTP/1.1"
    state: State

    def do_GET(self) -> None:
        self.answer(200 if self.path == "/stats" else 404, self.state.stats())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/reset":
            self.state.reset()
            return self.answer(200, {})
        try:
            faults = Faults(Plan.of(json.loads(body)))
        except (TypeError, ValueError) as error:
            return self.answer(400, {"error": str(error)})
        self.state.faults = faults
        return self.answer(200, asdict(faults.plan))

    def answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def main() -> None:
    """Serve until the process is ended."""
    host, _, port = sys.argv[1].rpartition(":")
    state = State()
    Control.state = state
    control = ThreadingHTTPServer(("127.0.0.1", 0), Control)
    threading.Thread(target=control.serve_forever, daemon=True).start()
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(json.dumps({"port": listener.getsockname()[1], "control": control.server_address[1]}), flush=True)
    while True:
        sock, _ = listener.accept()
        state.connections += 1
        client = Client(sock, (host, int(port)), state)
        threading.Thread(target=client.run, daemon=True).start()


if __name__ == "__main__":
    main()
