"""The stores of the tests: the URL and the options of a prefix on a server, and independent clients."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from xml.etree import ElementTree

import boto3
import requests
from botocore.config import Config
from servers import SESSION, Proxy, Server

BUCKET = "arrowfeed-tests"
SECONDS = 60
AZURE_ACCOUNT = "devstoreaccount1"
# The public key of the emulator's account, from the documentation of Azurite.
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True)
class Store:
    """A prefix of a bucket. `put`, `get`, `delete` and `names` go to the server and never through a proxy."""

    server: Server
    prefix: str
    proxy: Proxy | None = None
    kind = ""
    """`s3`, `gcs`, `azure`, `http`, `hdfs`, or `http-` and the name of a variant."""
    checks_etag = True
    """Whether the server answers 412 to `If-Match` with another ETag."""

    @property
    def address(self) -> str:
        """The server's address for the client under test: that of the proxy if there is one."""
        return f"http://127.0.0.1:{(self.proxy or self.server).port}"

    @property
    def direct(self) -> str:
        """The server's own address."""
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def url(self) -> str:
        """The URL of the prefix."""
        raise NotImplementedError

    @property
    def storage_options(self) -> dict[str, str]:
        """Options by the keys of the Rust crate object_store."""
        raise NotImplementedError

    def create(self) -> None:
        """Make the bucket."""

    def through(self, proxy: Proxy) -> Store:
        """The same prefix, through a proxy of the server."""
        if proxy.upstream != self.server.port:
            raise ValueError("expected a proxy of the server of the store")
        return replace(self, proxy=proxy)

    def at(self, prefix: str) -> Store:
        """Another prefix of the bucket, with the same address."""
        return replace(self, prefix=prefix)

    def url_of(self, name: str) -> str:
        """The URL of an object."""
        return f"{self.url}/{name}"

    def key(self, name: str) -> str:
        """The name of an object in the bucket."""
        return f"{self.prefix}/{name}"

    def http_url(self, name: str) -> str:
        """The address at which a plain `GET` without a signature reads an object."""
        raise NotImplementedError

    def put(self, name: str, body: bytes) -> None:
        """Write an object."""
        raise NotImplementedError

    def get(self, name: str) -> bytes:
        """Read an object."""
        raise NotImplementedError

    def delete(self, name: str) -> None:
        """Remove an object."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """The names of all objects below the prefix, sorted, without the prefix."""
        return sorted(key.removeprefix(f"{self.prefix}/") for key in self.keys())

    def keys(self) -> list[str]:
        """The names in the bucket of all objects below the prefix."""
        raise NotImplementedError


class S3Store(Store):
    """A prefix of a bucket of moto."""

    kind = "s3"

    @property
    def url(self) -> str:
        return f"s3://{BUCKET}/{self.prefix}"

    @property
    def storage_options(self) -> dict[str, str]:
        return {
            "aws_access_key_id": "testing",
            "aws_secret_access_key": "testing",
            "aws_region": "us-east-1",
            "aws_endpoint": self.address,
            "aws_allow_http": "true",
        }

    @property
    def client(self) -> Any:
        """boto3's client."""
        if (client := CLIENTS.get(self.direct)) is None:
            options = {
                "aws_access_key_id": "testing",
                "aws_secret_access_key": "testing",
                "region_name": "us-east-1",
            }
            config = Config(s3={"addressing_style": "path"}, proxies={})
            client = boto3.client("s3", endpoint_url=self.direct, config=config, **options)
            CLIENTS[self.direct] = client
        return client

    def create(self) -> None:
        self.client.create_bucket(Bucket=BUCKET)

    def http_url(self, name: str) -> str:
        return self.client.generate_presigned_url(
            "get_object", {"Bucket": BUCKET, "Key": self.key(name)}
        ).replace(self.direct, self.address)

    def put(self, name: str, body: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=self.key(name), Body=body)

    def get(self, name: str) -> bytes:
        return self.client.get_object(Bucket=BUCKET, Key=self.key(name))["Body"].read()

    def delete(self, name: str) -> None:
        self.client.delete_object(Bucket=BUCKET, Key=self.key(name))

    def keys(self) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{self.prefix}/")
        return [each["Key"] for page in pages for each in page.get("Contents", [])]


class GcsStore(Store):
    """A prefix of a bucket of fake-gcs-server, by the JSON API. Clients under test use the XML API."""

    kind = "gcs"
    checks_etag = False

    @property
    def url(self) -> str:
        return f"gs://{BUCKET}/{self.prefix}"

    @property
    def storage_options(self) -> dict[str, str]:
        return {"google_base_url": self.address, "google_skip_signature": "true", "allow_http": "true"}

    def create(self) -> None:
        checked(
            SESSION.post(
                f"{self.direct}/storage/v1/b", params={"project": "p"}, json={"name": BUCKET}, timeout=SECONDS
            )
        )

    def http_url(self, name: str) -> str:
        return f"{self.address}/{BUCKET}/{quote(self.key(name), safe='')}"

    def object(self, name: str) -> str:
        """The address of an object in the JSON API."""
        return f"{self.direct}/storage/v1/b/{BUCKET}/o/{quote(self.key(name), safe='')}"

    def put(self, name: str, body: bytes) -> None:
        url = f"{self.direct}/upload/storage/v1/b/{BUCKET}/o"
        options = {"uploadType": "media", "name": self.key(name)}
        fields = {"Content-Type": "application/octet-stream"}
        checked(SESSION.post(url, params=options, data=body, headers=fields, timeout=SECONDS))

    def get(self, name: str) -> bytes:
        return checked(SESSION.get(self.object(name), params={"alt": "media"}, timeout=SECONDS)).content

    def delete(self, name: str) -> None:
        checked(SESSION.delete(self.object(name), timeout=SECONDS))

    def keys(self) -> list[str]:
        url, options, keys = f"{self.direct}/storage/v1/b/{BUCKET}/o", {"prefix": f"{self.prefix}/"}, []
        while True:
            page = checked(SESSION.get(url, params=options, timeout=SECONDS)).json()
            keys += [item["name"] for item in page.get("items", [])]
            if not page.get("nextPageToken"):
                return keys
            options["pageToken"] = page["nextPageToken"]


class AzureStore(Store):
    """A prefix of a container of Azurite."""

    kind = "azure"

    @property
    def url(self) -> str:
        return f"az://{BUCKET}/{self.prefix}"

    @property
    def storage_options(self) -> dict[str, str]:
        return {
            "azure_storage_account_name": AZURE_ACCOUNT,
            "azure_storage_account_key": AZURE_KEY,
            "azure_endpoint": f"{self.address}/{AZURE_ACCOUNT}",
            "allow_http": "true",
        }

    @property
    def client(self) -> Any:
        """Azure's client of the container. Tests of S3 alone do not have its package."""
        if (client := CLIENTS.get(self.direct)) is None:
            blob = importlib.import_module("azure.storage.blob")
            client = blob.ContainerClient(f"{self.direct}/{AZURE_ACCOUNT}", BUCKET, credential=AZURE_KEY)
            CLIENTS[self.direct] = client
        return client

    def create(self) -> None:
        self.client.create_container(public_access="container")

    def http_url(self, name: str) -> str:
        return f"{self.address}/{AZURE_ACCOUNT}/{BUCKET}/{quote(self.key(name))}"

    def put(self, name: str, body: bytes) -> None:
        self.client.upload_blob(self.key(name), body, overwrite=True)

    def get(self, name: str) -> bytes:
        return self.client.download_blob(self.key(name)).readall()

    def delete(self, name: str) -> None:
        self.client.delete_blob(self.key(name))

    def keys(self) -> list[str]:
        return list(self.client.list_blob_names(name_starts_with=f"{self.prefix}/"))


class HttpStore(Store):
    """A prefix of `http_server.py`."""

    kind = "http"
    variant = "plain"

    @property
    def url(self) -> str:
        return f"{self.address}/{self.variant}/{self.prefix}"

    @property
    def storage_options(self) -> dict[str, str]:
        return {"allow_http": "true"}

    def http_url(self, name: str) -> str:
        return f"{self.address}{self.path(name)}"

    def path(self, name: str) -> str:
        """The path of an object on the server."""
        return quote(f"/{self.variant}/{self.key(name)}")

    def put(self, name: str, body: bytes) -> None:
        checked(SESSION.put(self.direct + self.path(name), data=body, timeout=SECONDS))

    def get(self, name: str) -> bytes:
        return checked(SESSION.get(self.direct + self.path(name), timeout=SECONDS)).content

    def delete(self, name: str) -> None:
        checked(SESSION.delete(self.direct + self.path(name), timeout=SECONDS))

    def keys(self) -> list[str]:
        url = f"{self.direct}/{self.variant}/{quote(self.prefix)}/"
        response = SESSION.request("PROPFIND", url, headers={"Depth": "infinity"}, timeout=SECONDS)
        if response.status_code == 404:
            return []
        hrefs = [
            each.text or "" for each in ElementTree.fromstring(checked(response).content).iter("{DAV:}href")
        ]
        start = f"/{self.variant}/"
        return [unquote(href).removeprefix(start) for href in hrefs if not href.endswith("/")]


class HttpNoRangesStore(HttpStore):
    """The server answers requests of ranges with the whole object."""

    kind = "http-no-ranges"
    variant = "no-ranges"


class HttpNoValidatorsStore(HttpStore):
    """The server sends neither ETag nor Last-Modified."""

    kind = "http-no-validators"
    variant = "no-validators"
    checks_etag = False


class HttpChunkedStore(HttpStore):
    """The server sends chunks, and tells the size neither to `GET` nor to `HEAD`. It has no ranges."""

    kind = "http-chunked"
    variant = "chunked"


class HdfsStore(Store):
    """A directory of the mini cluster. The plain client is WebHDFS."""

    kind = "hdfs"
    checks_etag = False

    @property
    def url(self) -> str:
        return f"hdfs://127.0.0.1:{self.server.port}/{self.prefix}"

    @property
    def storage_options(self) -> dict[str, str]:
        return {}

    def through(self, proxy: Proxy) -> Store:
        raise ValueError("the proxy is for HTTP, which HDFS is not")

    def http_url(self, name: str) -> str:
        return f"{self.path(self.key(name))}?op=OPEN"

    def path(self, path: str) -> str:
        """The address of a path in WebHDFS."""
        return f"{self.server.web}/webhdfs/v1/{quote(path)}"

    def put(self, name: str, body: bytes) -> None:
        options = {"op": "CREATE", "overwrite": "true", "noredirect": "true", "user.name": "arrowfeed"}
        url = checked(SESSION.put(self.path(self.key(name)), params=options, timeout=SECONDS)).json()[
            "Location"
        ]
        checked(SESSION.put(url, data=body, timeout=SECONDS))

    def get(self, name: str) -> bytes:
        return checked(SESSION.get(self.path(self.key(name)), params={"op": "OPEN"}, timeout=SECONDS)).content

    def delete(self, name: str) -> None:
        options = {"op": "DELETE", "user.name": "arrowfeed"}
        checked(SESSION.delete(self.path(self.key(name)), params=options, timeout=SECONDS))

    def keys(self) -> list[str]:
        keys, directories = [], [self.prefix]
        while directories:
            directory = directories.pop()
            response = SESSION.get(self.path(directory), params={"op": "LISTSTATUS"}, timeout=SECONDS)
            if response.status_code == 404:
                continue
            for status in checked(response).json()["FileStatuses"]["FileStatus"]:
                path = f"{directory}/{status['pathSuffix']}"
                (directories if status["type"] == "DIRECTORY" else keys).append(path)
        return keys


CLIENTS: dict[str, Any] = {}
STORES: dict[str, type[Store]] = {
    each.kind: each
    for each in (
        *(S3Store, GcsStore, AzureStore, HttpStore, HdfsStore),
        *(HttpNoRangesStore, HttpNoValidatorsStore, HttpChunkedStore),
    )
}


def checked(response: requests.Response) -> requests.Response:
    """The response, if its status is one of success."""
    if not response.ok:
        path = urlsplit(response.url).path
        raise RuntimeError(f"{response.request.method} {path}: {response.status_code} {response.text[:500]}")
    return response
