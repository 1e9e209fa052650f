"""Every command reads URLs, and `convert` writes them."""

import json
import os

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed._arrowfeed import upload
from arrowfeed._files import filesystem_of
from arrowfeed._formats import AVRO, BY_NAME
from arrowfeed.cli._input import opened
from arrowfeed.cli._main import _parser
from arrowfeed.cli._options import stores_of, without_values
from avro_splits import plan_splits, read_split
from cli_formats import WRITERS, random_rows, write_as
from command_line import process
from conftest import users, write

SECRET = "hush"
READS = (
    ("schema",),
    ("schema", "--detect"),
    ("schema", "--json"),
    ("head", "-n", "3"),
    ("cat",),
    ("count",),
    ("count", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("splits", "--json"),
    ("explain",),
)


@pytest.fixture
def bucket(tmp_path):
    """The URL of a bucket of this test, in the memory of the process."""
    return f"memory://{tmp_path.name}"


@pytest.fixture
def put(bucket, tmp_path):
    """Copies a local file into the bucket, and returns its URL."""

    def copy(name, to=None):
        url = f"{bucket}/{to or name}"
        upload(tmp_path / name, url)
        return url

    return copy


def users_in(url, count, first=0):
    """Writes numbered users to a URL."""
    schema = pa.Table.from_pylist(users(5)).schema
    af.write_avro(pa.Table.from_pylist(users(count, first), schema), url, block_bytes=500)
    return url


def same(text, path, url):
    """A text without the widths of columns, and with the path in place of the URL.

    The line of `explain` on the requests for an index is removed, because files on disk have none.
    """
    lines = text.replace(url, path).split("\n")
    return [" ".join(line.split()) for line in lines if not line.startswith("index: ")]


# ---- reading


@pytest.mark.parametrize("name", WRITERS)
def test_commands_print_the_same_for_a_url_and_a_path(arrowfeed, tmp_path, put, name):
    write_as(name, tmp_path, random_rows(3, 200))
    url = put(name)
    for call in READS:
        if name.endswith((".gz", ".zz")) and call[0] == "splits":
            continue
        local, remote = arrowfeed(*call, name), arrowfeed(*call, url)
        assert (local.code, remote.code, remote.err) == (0, 0, ""), call
        if call[0] == "splits":
            splits = [[json.loads(line) for line in ran.out.splitlines()] for ran in (local, remote)]
            ranges = [[(split["start"], split["end"]) for split in found] for found in splits]
            assert ranges[0] == ranges[1]
            assert {split["path"] for split in splits[1]} == {url}
            continue
        assert same(remote.out, name, url) == same(local.out, name, url), call


def test_an_object_that_arrowfeed_wrote(arrowfeed, bucket):
    url = users_in(f"{bucket}/users.avro", 100)
    assert arrowfeed("head", "-n", 2, "--columns", "id,name", url) == (
        0,
        '{"id": 0, "name": null}\n{"id": 1, "name": "user 1"}\n',
        "",
    )
    rows = "".join(f'{{"id": {number}}}\n' for number in range(100))
    assert arrowfeed("cat", "--columns", "id", url) == (0, rows, "")
    width = len(url)
    shown = f"{'path':{width}}  rows\n{url}   100\n{'total':{width}}   100\n"
    assert arrowfeed("count", url) == (0, shown, "")
    assert arrowfeed("schema", "--detect", url) == (
        0,
        "format avro: it begins with the bytes 4f 62 6a 01\n",
        "",
    )
    assert arrowfeed("stats", url).out.startswith(
        f"files            {url}\nformat           avro\ncodecs           zstandard\nrows             100\n"
    )


def test_splits_of_urls_are_those_of_the_library(arrowfeed, bucket):
    for number in range(2):
        users_in(f"{bucket}/{number}.avro", 300, 300 * number)
    ran = arrowfeed("splits", "--json", "--target-bytes", 1000, f"{bucket}/*.avro")
    assert (ran.code, ran.err) == (0, "")
    found = [af.Split(**json.loads(line)) for line in ran.out.splitlines()]
    assert found == plan_splits(f"{bucket}/*.avro", target_bytes=1000)
    assert {split.path for split in found} == {f"{bucket}/0.avro", f"{bucket}/1.avro"}
    assert sum(1 for _ in found) > 4
    rows = [row for split in found for row in pa.table(read_split(split))["id"].to_pylist()]
    assert rows == list(range(600))


def test_globs_and_directories_of_urls(arrowfeed, bucket):
    counts = {"a.avro": 10, "b.avro": 0, "c[1].avro": 20}
    for name, count in counts.items():
        users_in(f"{bucket}/parts/{name}", count)
    for source in (f"{bucket}/parts/*.avro", f"{bucket}/parts", f"{bucket}/parts/"):
        for options in ((), ("--format", "avro")):
            ran = arrowfeed("count", "--json", *options, source)
            lines = [json.loads(line) for line in ran.out.splitlines()]
            assert lines == [
                {"path": f"{bucket}/parts/a.avro", "rows": 10},
                {"path": f"{bucket}/parts/c[1].avro", "rows": 20},
            ]
        assert json.loads(arrowfeed("stats", "--json", source).out)["rows"] == 30
        assert arrowfeed("cat", source).out.count("\n") == 30
    assert arrowfeed("count", "--json", f"{bucket}/parts/b.avro").out == (
        f'{{"path": "{bucket}/parts/b.avro", "rows": 0}}\n'
    )


def test_a_directory_in_a_store_has_files_of_one_format(arrowfeed, tmp_path, put, bucket):
    order = ("rows.csv", "rows.jsonl", "rows.tfrecord", "rows.parquet", "rows.avro")
    for name in order:
        write_as(name, tmp_path, random_rows(1, 20))
        put(name, f"folder/{name}")
        [format_name, _] = WRITERS[name]
        shown = arrowfeed("schema", "--json", f"{bucket}/folder")
        assert json.loads(shown.out)["format"] == format_name
        assert json.loads(arrowfeed("count", "--json", f"{bucket}/folder").out) == {
            "path": f"{bucket}/folder/{name}",
            "rows": 20,
        }
        dataset = af.open_dataset(f"{bucket}/folder")
        assert dataset.num_rows == 20
    assert arrowfeed("count", "--format", "csv", f"{bucket}/folder").out.split()[2:4] == [
        f"{bucket}/folder/rows.csv",
        "20",
    ]


def test_the_suffix_of_a_url_decides_if_its_content_does_not(arrowfeed, tmp_path, put):
    (tmp_path / "empty").touch()
    ran = arrowfeed("schema", put("empty", "empty.csv"))
    assert (ran.code, ran.out) == (1, "")
    url = put("empty", "empty.bin")
    ran = arrowfeed("schema", url)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(
        f"arrowfeed: {url}: expected a file of a known format, found an empty file; select one with --format"
    )


def test_the_format_of_a_long_first_record(arrowfeed, tmp_path, put):
    # Neither the record nor the line ends in the part of the file that is read first.
    table = pa.table({"text": ["x" * 600_000, "y"]})
    af.write_tfrecord(table, tmp_path / "a")
    (tmp_path / "b").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    for name, format_name in (("a", "tfrecord"), ("b", "jsonl")):
        shown = arrowfeed("schema", "--json", put(name))
        assert (shown.code, json.loads(shown.out)["format"]) == (0, format_name)


@pytest.mark.parametrize("call", READS)
def test_a_missing_object(arrowfeed, bucket, call):
    for name in ("no.avro", "no", "no*.avro", "no/"):
        ran = arrowfeed(*call, f"{bucket}/{name}")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"arrowfeed: {bucket}/{name}: expected "), name
        assert ran.err.count("\n") == 1


def test_secrets_of_urls_are_not_printed(arrowfeed, bucket):
    users_in(f"{bucket}/users.avro", 3)
    url = f"{bucket.replace('://', f'://me:{SECRET}@')}/users.avro"
    for call in (*READS, ("stats", "--json"), ("convert", "--force", "-o", url)):
        ran = arrowfeed(*call, url)
        assert ran.code == 0, call
        assert SECRET not in ran.out + ran.err, call
    for call in (*READS, ("convert", "-o", url)):
        ran = arrowfeed(*call, url.replace("users", "no"))
        assert ran.code in (1, 2)
        assert SECRET not in ran.out + ran.err, call
    ran = arrowfeed("schema", url, url)
    assert ran.out.startswith(f"==> {bucket}/users.avro <==\n")
    ran = arrowfeed("schema", "--codec", "--format", "csv", url)
    assert (ran.code, SECRET in ran.err) == (2, False)


def test_file_urls_are_paths(arrowfeed, tmp_path):
    write(tmp_path / "größe 1.avro", users(7))
    url = f"file://{tmp_path}/gr%C3%B6%C3%9Fe%201.avro"
    path = f"{tmp_path}/größe 1.avro"
    assert json.loads(arrowfeed("count", "--json", url).out) == {"path": path, "rows": 7}
    out = tmp_path / "a b.parquet"
    ran = arrowfeed("convert", url, "-o", f"file://{tmp_path}/a%20b.parquet")
    assert ran == (0, f"{out}: 7 rows, {out.stat().st_size} bytes\n", "")
    ran = arrowfeed("convert", url, "-o", "file://elsewhere/a.parquet")
    message = "file://elsewhere/a.parquet: expected a file URL of this machine, found another host"
    assert ran == (2, "", f"arrowfeed: {message}\n")


def test_a_local_file_and_a_url_are_one_set_of_rows(arrowfeed, users_file, bucket):
    url = users_in(f"{bucket}/more.avro", 50, 100)
    local = pa.Table.from_pylist(users(100))
    af.write_avro(local, users_file)
    ran = arrowfeed("cat", "--columns", "id", users_file.name, url)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == list(range(150))


# ---- writing

OUTPUTS = (
    "b.avro",
    "b.parquet",
    "b.arrow",
    "b.tfrecord",
    "b.tfrecord.gz",
    "b.csv",
    "b.csv.gz",
    "b.jsonl",
    "b.jsonl.gz",
)
READABLE = [name for name in OUTPUTS if not name.endswith(".arrow")]


@pytest.mark.parametrize("name", OUTPUTS)
def test_convert_writes_an_object_of_the_same_rows(arrowfeed, users_file, tmp_path, bucket, name):
    options = ["--exclude", "home,scores"]
    url = f"{bucket}/x/{name}"
    assert arrowfeed("convert", "users.avro", "-o", url, *options) == (0, f"{url}: 100 rows\n", "")
    assert arrowfeed("convert", "users.avro", "-o", name, *options).code == 0
    if name in READABLE:
        assert arrowfeed("cat", url) == arrowfeed("cat", name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "users.avro"]


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_object_is_replaced_with_force_only(arrowfeed, users_file, bucket, name):
    options = ["--exclude", "home,scores", "users.avro"]
    url = f"{bucket}/{name}"
    said = (0, f"{url}: 100 rows\n", "")
    assert arrowfeed("convert", "-o", url, *options) == said
    message = f"arrowfeed: {url}: expected no object of this name, found one: --force replaces it\n"
    assert arrowfeed("convert", "-o", url, *options) == (2, "", message)
    assert arrowfeed("convert", "--force", "-o", url, *options) == said


@pytest.mark.parametrize("name", READABLE)
def test_a_broken_file_leaves_no_object_and_replaces_none(arrowfeed, tmp_path, bucket, monkeypatch, name):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    path = write(tmp_path / "a.avro", users(1000), sync_interval=100)
    good = path.read_bytes()
    options = ["--columns", "id,name", "--batch-size", "10", "a.avro"]
    url = f"{bucket}/{name}"
    path.write_bytes(good[:-1])
    ran = arrowfeed("convert", "-o", url, *options)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("arrowfeed: a.avro: block ")
    assert arrowfeed("count", url).code == 1
    path.write_bytes(good)
    assert arrowfeed("convert", "-o", url, *options).code == 0
    path.write_bytes(good[:-1])
    assert arrowfeed("convert", "--force", "-o", url, *options).code == 1
    assert json.loads(arrowfeed("count", "--json", url).out)["rows"] == 1000
    assert list(folder.iterdir()) == []


def test_an_input_object_can_be_replaced_by_the_output(arrowfeed, bucket):
    url = users_in(f"{bucket}/users.avro", 100)
    assert arrowfeed("convert", "--force", url, "-o", url, "--codec", "null") == (0, f"{url}: 100 rows\n", "")
    assert arrowfeed("schema", "--codec", url).out == "null\n"


def test_the_page_of_stats_can_be_an_object(arrowfeed, users_file, bucket):
    url = f"{bucket}/page.html"
    assert arrowfeed("stats", "--html", url, "users.avro") == (0, "", "")
    message = f"arrowfeed: {url}: expected no object of this name, found one: --force replaces it\n"
    assert arrowfeed("stats", "--html", url, "users.avro") == (2, "", message)
    assert arrowfeed("stats", "--html", url, "--force", "users.avro") == (0, "", "")


def test_wrong_outputs(arrowfeed, users_file, bucket):
    ran = arrowfeed("convert", "users.avro", "-o", f"{bucket}/b.txt")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"arrowfeed: {bucket}/b.txt: expected a name that ends in .parquet, ")
    assert arrowfeed("convert", "users.avro", "-o", f"{bucket}/b.txt", "--to", "avro").code == 0
    ran = arrowfeed("convert", "users.avro", "-o", f"https://127.0.0.1:1/b.avro?key={SECRET}")
    message = "https://127.0.0.1:1/b.avro: expected a path or an object of a store, found an HTTP URL"
    assert ran == (2, "", f"arrowfeed: {message}\n")


# ---- options of stores


def test_every_function_accepts_storage_options(arrowfeed, bucket, monkeypatch):
    url = users_in(f"{bucket}/users.avro", 3)
    given = []
    for name in ("read_avro", "avro_schema", "write_avro", "AvroDataset"):
        function = getattr(af, name)

        def spy(*arguments, name=name, function=function, **keywords):
            given.append((name, keywords.pop("storage_options")))
            return function(*arguments, **keywords)

        spy._extension = "avro"
        spy.__text_signature__ = function.__text_signature__
        monkeypatch.setattr(af, name, spy)
    avro = AVRO._replace(read=af.read_avro, dataset=af.AvroDataset)
    monkeypatch.setattr("arrowfeed.cli._input.AVRO", avro)
    monkeypatch.setitem(BY_NAME, "avro", avro)
    options = ["--storage-option", "max_requests=2", "--storage-option=Max_Retries=3"]
    calls = {
        "cat": {"read_avro"},
        "head": {"read_avro"},
        "schema": {"avro_schema"},
        "splits": {"AvroDataset"},
        "stats": {"read_avro", "avro_schema"},
        "count": {"AvroDataset"},
        "explain": {"AvroDataset"},
        "convert": {"read_avro", "avro_schema", "write_avro"},
    }
    for command, names in calls.items():
        given.clear()
        # The content is not checked here, but by the compiled module.
        output = ["--force", "-o", f"{bucket}/out.avro"] if command == "convert" else []
        monkeypatch.setattr("arrowfeed.cli._output.exists", lambda url, **_: False)
        ran = arrowfeed(command, "--format", "avro", *output, *options, url)
        assert ran.code == 0, ran.err
        assert {name for name, _ in given} == names
        assert all(option == {"max_requests": "2", "Max_Retries": "3"} for _, option in given)


@pytest.mark.parametrize(
    "command", ["cat", "convert", "count", "explain", "head", "schema", "splits", "stats"]
)
def test_values_of_storage_options_are_in_no_message(arrowfeed, users_file, bucket, command):
    output = ["-o", "out.avro"] if command == "convert" else []
    call = (command, *output, users_in(f"{bucket}/a.avro", 3))
    usage = f"arrowfeed {command}: error: argument --storage-option: expected KEY=VALUE, found "
    for text, found in ((SECRET, "no ="), (f"={SECRET}", "no key")):
        ran = arrowfeed(*call, f"--storage-option={text}")
        assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (2, "", usage + found)
    ran = arrowfeed(*call, "--storage-option", f"max_requests={SECRET}")
    message = (
        "storage_options: expected a whole number of at least 1 for max_requests, found a different value"
    )
    assert ran == (1, "", f"arrowfeed: {message}\n")
    ran = arrowfeed(*call, "--storage-option", f"no_such_key={SECRET}")
    assert (ran.code, ran.out, SECRET in ran.err) == (1, "", False)
    for option in ("--storage-options", "--storage_option", "--storage"):
        ran = arrowfeed(*call, f"{option}=aws_secret_access_key={SECRET}")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.splitlines()[-1] == (
            f"arrowfeed {command}: error: unrecognized arguments: {option}=aws_secret_access_key=…"
        )
        # An argument with a space is not an option.
        ran = arrowfeed(command, *output, f"{option}=key={SECRET} {SECRET}")
        assert ran == (1, "", f"arrowfeed: {option}=key=…\n")


def test_options_of_requests_are_not_for_filesystems_of_fsspec(monkeypatch):
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda url, **options: (options, url))
    assert filesystem_of("sftp://host/a", "", {"MAX_REQUESTS": "2", "port": 22}) == {"port": 22}


def test_a_value_may_have_any_character():
    given = ("--storage-option", "key=a=b c,", "--storage-option=x=")
    options = _parser().parse_args(["head", *given, "a.avro"])
    assert stores_of(options) == {"storage_options": {"key": "a=b c,", "x": ""}}


def test_only_values_of_storage_options_are_hidden():
    for message in ("unrecognized arguments: --delimiter=a=b", "the following arguments are required: FILE"):
        assert without_values(message) == message


def test_a_debug_traceback_has_no_values(tmp_path):
    write(tmp_path / "a.avro", users(1))
    for option in (f"max_requests={SECRET}", f"no_such_key={SECRET}"):
        for source in ("a.avro", "memory://b/a.avro"):
            done = process("head", "--debug", "--storage-option", option, source, cwd=tmp_path)
            assert SECRET.encode() not in done.stdout + done.stderr


# ---- the progress bar


def test_the_bar_knows_the_detected_format(bucket):
    urls = [users_in(f"{bucket}/{number}.avro", 100) for number in range(2)]
    sizes = [split.end for split in plan_splits(urls, target_bytes=1 << 40)]
    assert opened([urls[0]], None, {}).known_bytes == sizes[0]
    assert opened([f"{bucket}/*.avro"], None, {}).known_bytes == sum(sizes)
    assert opened(urls, None, {}).known_bytes is None
    assert opened([urls[0]], "avro", {}).known_bytes is None


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_the_bar_of_a_url_has_a_total(bucket, monkeypatch):
    from arrowfeed.cli import _progress  # noqa: PLC0415

    bars = []

    class Bar:
        def __init__(self, total, **_):
            self.total, self.n = total, 0
            bars.append(self)

        def update(self, more):
            self.n += more

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(_progress, "wanted", lambda _: type("tqdm", (), {"tqdm": Bar}))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    url = users_in(f"{bucket}/users.avro", 1000)
    files = opened([url], None, {})
    with files.read(batch_size=100) as reader, _progress.progress(reader, files):
        for _ in reader:
            pass
    [bar] = bars
    assert bar.total == files.known_bytes
    assert 0.8 * bar.total < bar.n <= bar.total
