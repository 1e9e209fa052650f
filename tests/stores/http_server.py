"""An HTTP/1.1 file server on 127.0.0.1: `python http_server.py [DIRECTORY]` prints its port.

The first segment of a path names the features of the server for the rest of the path, see `VARIANTS`. `PUT`
writes objects, which are in memory. Each variant serves the files of the directory, too. `PROPFIND`
lists objects.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sys
import threading
import time
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape

PIECE = 256 * 1024


@dataclass(frozen=True)
class Variant:
    """The features of the server."""

    ranges: bool = True
    """It answers requests of ranges with 206."""
    etag: bool = True
    last_modified: bool = True
    chunked: bool = False
    """Responses of 200 come in chunks, without Content-Length. So do answers to HEAD."""


VARIANTS = {
    "plain": Variant(),
    "no-ranges": Variant(ranges=False),
    "no-validators": Variant(etag=False, last_modified=False),
    "no-etag": Variant(etag=False),
    "chunked": Variant(ranges=False, chunked=True),
}


class Entry(NamedTuple):
    """An object: bytes, or the path of a file."""

    body: bytes | Path
    size: int
    modified: float
    etag: str

    @classmethod
    def of(cls, body: bytes) -> Entry:
        """The object of new bytes."""
        return cls(body, len(body), time.time(), f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"')


class Objects:
    """Objects by path, such as `/plain/prefix/name`."""

    def __init__(self, directory: Path | None) -> None:
        self.lock = threading.Lock()
        self.entries: dict[str, Entry] = {}
        self.directory = directory

    def find(self, path: str) -> Entry | None:
        """The object of a path."""
        with self.lock:
            found = self.entries.get(path)
        if found is not None or self.directory is None:
            return found
        file = self.directory / path.strip("/").partition("/")[2]
        if not file.resolve().is_relative_to(self.directory) or not file.is_file():
            return None
        status = file.stat()
        etag = f'"{status.st_size:x}-{status.st_mtime_ns:x}"'
        return Entry(file, status.st_size, status.st_mtime, etag)

    def put(self, path: str, body: bytes) -> Entry:
        """Write an object."""
        entry = Entry.of(body)
        with self.lock:
            self.entries[path] = entry
        return entry

    def delete(self, path: str) -> bool:
        """Remove an object. Returns whether there was one."""
        with self.lock:
            return self.entries.pop(path, None) is not None

    def below(self, path: str, depth: str) -> dict[str, Entry | None]:
        """Objects below a path, and collections, which have no entry. Depth 1 is the direct children."""
        base = path.rstrip("/") + "/"
        with self.lock:
            inside = {name: entry for name, entry in self.entries.items() if name.startswith(base)}
        found: dict[str, Entry | None] = {base: None} if inside else {}
        for name, entry in sorted(inside.items()):
            parents = name[len(base) :].split("/")[:-1]
            for count in range(1, len(parents) + 1 if depth != "1" else min(len(parents), 1) + 1):
                found[base + "/".join(parents[:count]) + "/"] = None
            if depth != "1" or not parents:
                found[name] = entry
        return found


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = PIECE
    disable_nagle_algorithm = True
    objects: Objects

    def setup(self) -> None:
        super().setup()
        self.sock: socket.socket = self.connection

    @property
    def name(self) -> str:
        """The path without its percent encoding and without its query."""
        return unquote(self.path.partition("?")[0])

    @property
    def variant(self) -> Variant | None:
        """The features of the server for the path."""
        return VARIANTS.get(self.name.split("/")[1])

    def do_GET(self) -> None:
        entry, variant = self.objects.find(self.name), self.variant
        if entry is None or variant is None:
            return self.answer(404, b"no such object\n")
        fields = {"Content-Type": "application/octet-stream"}
        if variant.etag:
            fields["ETag"] = entry.etag
        if variant.last_modified:
            fields["Last-Modified"] = formatdate(entry.modified, usegmt=True)
        if (status := self.condition(entry, variant)) is not None:
            return self.answer(status, b"", fields)
        if variant.ranges:
            fields["Accept-Ranges"] = "bytes"
        start, end, status = 0, entry.size, 200
        if variant.ranges and self.headers.get("Range") and self.range_holds(entry, variant):
            wanted = parse_range(self.headers["Range"], entry.size)
            if wanted is None:
                return self.answer(416, b"", {**fields, "Content-Range": f"bytes */{entry.size}"})
            start, end = wanted
            status = 206
            fields["Content-Range"] = f"bytes {start}-{end - 1}/{entry.size}"
        fields["Transfer-Encoding" if variant.chunked else "Content-Length"] = (
            "chunked" if variant.chunked else str(end - start)
        )
        self.start(status, fields)
        if self.command != "HEAD":
            self.send_body(entry, start, end, variant.chunked)
        return None

    do_HEAD = do_GET

    def condition(self, entry: Entry, variant: Variant) -> int | None:
        """The status of a precondition that does not hold, in the order of RFC 9110."""
        match, none_match = self.headers.get("If-Match"), self.headers.get("If-None-Match")
        unmodified = seconds_of(self.headers.get("If-Unmodified-Since")) if variant.last_modified else None
        modified = seconds_of(self.headers.get("If-Modified-Since")) if variant.last_modified else None
        if match is not None and variant.etag:
            changed = not has_etag(match, entry.etag)
        else:
            changed = unmodified is not None and int(entry.modified) > unmodified
        if changed:
            return 412
        if none_match is not None and variant.etag:
            same = has_etag(none_match, entry.etag)
        else:
            same = modified is not None and int(entry.modified) <= modified
        return 304 if same else None

    def range_holds(self, entry: Entry, variant: Variant) -> bool:
        """Whether `If-Range` permits the range."""
        wanted = self.headers.get("If-Range")
        if wanted is None:
            return True
        if wanted.startswith('"'):
            return variant.etag and wanted == entry.etag
        return variant.last_modified and seconds_of(wanted) == int(entry.modified)

    def send_body(self, entry: Entry, start: int, end: int, chunked: bool) -> None:
        """Send bytes of an object."""
        self.wfile.flush()
        if isinstance(entry.body, Path) and not chunked:
            with entry.body.open("rb") as file:
                if end > start:
                    self.sock.sendfile(file, start, end - start)
            return
        body = entry.body.read_bytes() if isinstance(entry.body, Path) else entry.body
        view = memoryview(body)[start:end]
        if not chunked:
            self.sock.sendall(view)
            return
        for at in range(0, len(view), PIECE):
            piece = view[at : at + PIECE]
            self.sock.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.sock.sendall(b"0\r\n\r\n")

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.variant is None:
            return self.answer(404, b"no such variant\n")
        return self.answer(201, b"", {"ETag": self.objects.put(self.name, body).etag})

    def do_DELETE(self) -> None:
        self.answer(204 if self.objects.delete(self.name) else 404, b"")

    def do_PROPFIND(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        depth = self.headers.get("Depth", "infinity")
        own = self.objects.find(self.name)
        found = {self.name: own} if own else self.objects.below(self.name, depth)
        if not found:
            return self.answer(404, b"")
        responses = "".join(propstat(path, entry) for path, entry in found.items())
        body = (
            f'<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">{responses}</D:multistatus>'
        )
        return self.answer(207, body.encode(), {"Content-Type": "application/xml"})

    def start(self, status: int, fields: dict[str, str]) -> None:
        self.send_response(status)
        for field in fields.items():
            self.send_header(*field)
        self.end_headers()

    def answer(self, status: int, body: bytes, fields: dict[str, str] | None = None) -> None:
        self.start(
            status, {**(fields or {}), **({} if status in (204, 304) else {"Content-Length": str(len(body))})}
        )
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def propstat(path: str, entry: Entry | None) -> str:
    """The response of `PROPFIND` for an object or, without an entry, for a collection."""
    modified = formatdate(entry.modified if entry else 0, usegmt=True)
    properties = f"<D:getlastmodified>{modified}</D:getlastmodified>"
    if entry is None:
        properties += "<D:resourcetype><D:collection/></D:resourcetype>"
    else:
        properties += f"<D:getcontentlength>{entry.size}</D:getcontentlength><D:resourcetype/>"
        properties += f"<D:getetag>{escape(entry.etag)}</D:getetag>"
    return (
        f"<D:response><D:href>{quote(path)}</D:href><D:propstat><D:prop>{properties}</D:prop>"
        "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )


def parse_range(value: str, size: int) -> tuple[int, int] | None:
    """The first byte, and the one after the last, of a `Range`. `None` if there is no such byte."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", value.strip())
    if match is None or match.group(0) == "bytes=-":
        return 0, size
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last) + 1, size) if first and last else size
    return (start, end) if start < end else None


def has_etag(header: str, etag: str) -> bool:
    """Whether a list of ETags has this one."""
    return header.strip() == "*" or etag in [each.strip() for each in header.split(",")]


def seconds_of(date: str | None) -> int | None:
    """The seconds since 1970 of a date of HTTP. `None` if it is not one."""
    try:
        return int(parsedate_to_datetime(date).timestamp()) if date else None
    except ValueError:
        return None


class Server(ThreadingHTTPServer):
    """A thread for each connection."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: Any) -> None:
        """Ignores clients that end their connections early."""


def main() -> None:
    """Serves until the process ends."""
    directory = Path(os.fsdecode(sys.argv[1])).resolve() if len(sys.argv) > 1 else None
    Handler.objects = Objects(directory)
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
