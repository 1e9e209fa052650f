"""URLs may be globs, directories and lists, and their names may have special characters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import arrowfeed as af
import pytest
from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.splits import SplitSource
from corpus import ProxyOf, put_all
from rows import file_of, ids, plan_splits, read_split
from stores import Store

LISTED = ("s3", "gcs", "azure", "hdfs")
"""The kinds of stores that can list objects."""
TREE = (
    "part-0.avro",
    "part-1.avro",
    "part-10.avro",
    "part-2.txt",
    ".hidden.avro",
    "sub/part-3.avro",
    "sub/deep/part-4.avro",
    "sub2/part-5.avro",
)
"""Files of five rows each, which are numbered in this order."""
ODD_NAMES = (
    "a b.avro",
    "#1.avro",
    "a+b.avro",
    "100%.avro",
    "a%20b.avro",
    "für 数.avro",
    "a&b=c;d,e.avro",
    "(a)'!~@$.avro",
)


@pytest.fixture(params=LISTED)
def listed(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """The test's store on each server that can list."""
    return make_store(request.param)


def rows_at(number: int) -> range:
    """The rows of a file of the tree."""
    return range(5 * number, 5 * number + 5)


PUT: set[str] = set()
"""The kinds of stores that have the tree."""


def tree(store: Store) -> Store:
    """The store of the objects of the tree, which are written once."""
    store = store.at("names-tree")
    if store.kind not in PUT:
        put_all(store, {name: file_of("avro", rows_at(number)) for number, name in enumerate(TREE)})
        PUT.add(store.kind)
    return store


def parts(store: Store, pattern: str) -> list[int]:
    """The numbers of the files that match a pattern, in order."""
    found = ids(af.read_avro(store.url_of(pattern), storage_options=store.storage_options))
    assert len(found) % 5 == 0
    return [number // 5 for number in found[::5]]


GLOBS = {
    "*.avro": [0, 1, 2],
    "part-?.avro": [0, 1],
    "part-[01].avro": [0, 1],
    "part-1*": [1, 2],
    "*/part-*.avro": [5, 7],
    "sub*/*.avro": [5, 7],
    "sub/*/*.avro": [6],
    "**/part-*.avro": [0, 1, 2, 6, 5, 7],
    "sub/**/*.avro": [6, 5],
    "": [0, 1, 2],
    "sub": [5],
    "sub/": [5],
}
"""The files of each pattern. Names are in order of their bytes: `sub/deep` comes before `sub/part`."""


@pytest.mark.parametrize("pattern", GLOBS)
def test_a_pattern_means_the_files_that_it_means_in_a_shell(
    listed: Store, pattern: str, tmp_path: Path
) -> None:
    listed = tree(listed)
    for number, name in enumerate(TREE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file_of("avro", rows_at(number)))
    local = ids(af.read_avro(f"{tmp_path}/{pattern}"))
    assert [number // 5 for number in local[::5]] == GLOBS[pattern]
    assert parts(listed, pattern) == GLOBS[pattern]


def test_a_pattern_without_files_is_an_error_that_names_it(listed: Store) -> None:
    listed = tree(listed)
    for pattern in ("*.parquet", "none-*.avro", "none/**/*.avro", "none/"):
        with pytest.raises(FileNotFoundError) as caught:
            af.read_avro(listed.url_of(pattern), storage_options=listed.storage_options)
        assert caught.value.filename == listed.url_of(pattern)
        assert "expected files that match this URL, found none" in str(caught.value)


def test_a_planner_lists_the_files_of_the_format(listed: Store) -> None:
    store = listed.at("names-formats")
    put_all(store, {"a/1.csv": b"id\n1\n", "b/1.avro": file_of("avro", rows_at(1)), "b/2.csv": b"id\n2\n"})
    urls = [store.url_of("a"), store.url_of("b")]
    source = SplitSource(urls, {"storage_options": store.storage_options})
    planner = planner_of(source)
    assert (source.kind, len(planner)) == (af.CsvDataset, 2)
    assert planner.plan(0, 2) == source.plan()


def test_a_name_is_not_taken_for_a_directory_that_starts_like_it(listed: Store) -> None:
    put_all(listed, {"a/x.avro": file_of("avro", range(5)), "ab/y.avro": file_of("avro", range(5, 10))})
    assert ids(af.read_avro(listed.url_of("a"), storage_options=listed.storage_options)) == list(range(5))


def test_a_list_of_urls_is_read_in_its_order(store: Store) -> None:
    store = tree(store)
    urls = [store.url_of(TREE[number]) for number in (7, 0, 5, 0)]
    found = ids(af.read_avro(urls, storage_options=store.storage_options, threads=2))
    assert [number // 5 for number in found[::5]] == [7, 0, 5, 0]


def test_a_list_may_have_stores_and_local_files(store: Store, tmp_path: Path) -> None:
    store.put("a.avro", file_of("avro", range(5)))
    local = tmp_path / "b.avro"
    local.write_bytes(file_of("avro", range(5, 10)))
    sources = [store.url_of("a.avro"), local, file_of("avro", range(10, 15)), local.as_uri()]
    for threads in (1, 2):
        found = ids(af.read_avro(sources, storage_options=store.storage_options, threads=threads))
        assert found == [*range(15), *range(5, 10)]
    dataset = af.AvroDataset(sources, storage_options=store.storage_options)
    options = {"batch_size": 4, "shuffle_buffer_size": 9, "seed": 1}
    found = ids(dataset.record_batches(**options))
    copies = [store.get("a.avro"), local, file_of("avro", range(10, 15)), local]
    assert found == ids(af.AvroDataset(copies).record_batches(**options))
    assert sorted(found) == sorted([*range(15), *range(5, 10)])


@pytest.mark.parametrize("name", ODD_NAMES)
def test_characters_of_names_have_no_meaning(store: Store, name: str) -> None:
    decoys = {"a b.avro": 1, "a%20b.avro": 2, "100.avro": 3}
    for decoy, number in decoys.items():
        if decoy != name:
            store.put(decoy, file_of("avro", rows_at(number)))
    store.put(name, file_of("avro", rows_at(9)))
    # A URL of HTTP is percent-encoded; a URL of a store has the name as it is.
    url = store.http_url(name) if store.kind == "http" else store.url_of(name)
    dataset = af.AvroDataset(url, storage_options=store.storage_options)
    assert ids(dataset.record_batches(batch_size=9)) == list(rows_at(9))
    split = dataset.plan_splits()[0]
    assert ids(dataset.read_split(split)) == list(rows_at(9))


@pytest.mark.parametrize("name", ["a b.avro", "#1.avro", "a+b.avro", "100%.avro", "für 数.avro"])
def test_globs_find_odd_names(listed: Store, name: str) -> None:
    listed.put(f"d/{name}", file_of("avro", rows_at(9)))
    options = {"storage_options": listed.storage_options}
    dataset = af.AvroDataset(listed.url_of("d/*.avro"), **options)
    assert ids(dataset.record_batches(batch_size=9)) == list(rows_at(9))
    split = dataset.plan_splits()[0]
    assert split.path == listed.url_of(f"d/{name}")
    assert ids(dataset.read_split(split)) == list(rows_at(9))
    assert ids(read_split(split, **options)) == list(rows_at(9))


def test_a_bracket_of_a_name_is_found_by_its_pattern(listed: Store) -> None:
    listed.put("a[1].avro", file_of("avro", rows_at(9)))
    assert parts(listed, "a[[]1].avro") == [9]
    assert parts(listed, "a?1?.avro") == [9]


def test_a_url_of_http_is_one_file_and_a_question_mark_starts_its_query(
    make_store: Callable[[str], Store],
) -> None:
    store = make_store("http")
    store.put("a.avro", file_of("avro", range(5)))
    options = {"storage_options": store.storage_options}
    url = store.url_of("a.avro")
    assert ids(af.read_avro(f"{url}?x=*&y=[1]", **options)) == list(range(5))
    store.put("a*b[1].avro", file_of("avro", range(5, 10)))
    assert ids(af.read_avro(store.url_of(quote("a*b[1].avro", safe="*[]")), **options)) == list(range(5, 10))
    with pytest.raises(FileNotFoundError):
        af.read_avro(store.url_of("*.avro"), **options)


@pytest.mark.parametrize("has_cache", [False, True])
def test_urls_that_differ_only_in_the_query_have_no_splits(
    make_store: Callable[[str], Store], tmp_path: Path, has_cache: bool
) -> None:
    store = make_store("http")
    store.put("a.avro", file_of("avro", range(5)))
    options = {"storage_options": store.storage_options, **({"cache": tmp_path} if has_cache else {})}
    url = store.url_of("a.avro")
    first, second = f"{url}?part=1", f"{url}?part=2"
    [split] = af.AvroDataset([first, first], **options).plan_splits()[:1]
    assert ids(af.AvroDataset([first, first], **options).read_split(split)) == list(range(5))
    dataset = af.AvroDataset([first, second], **options)
    assert ids(dataset.record_batches(batch_size=5)) == [*range(5), *range(5)]
    message = (
        f'expected one file with the path "{url}", found URLs that differ in the query, which a split does '
        "not contain: read each URL separately"
    )
    calls = [dataset.plan_splits, lambda: dataset.read_split(split)]
    if not has_cache:
        calls.append(lambda: plan_splits([first, second], **options))
    for call in calls:
        with pytest.raises(af.OptionError) as caught:
            call()
        assert str(caught.value) == message


@pytest.mark.parametrize("kind", ["s3", "gcs", "azure"])
def test_a_listing_of_many_objects_has_several_pages(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, kind: str
) -> None:
    store = make_store(kind)
    names = [f"part-{number:04}.avro" for number in range(5)]
    put_all(store, {name: file_of("avro", rows_at(number)) for number, name in enumerate(names)})
    # The pages also have names that do not match.
    for number in range(1100 if kind == "s3" else 10):
        store.put(f"part-{number:04}.other", b"")
    store = store.through(proxy_of(store))
    assert parts(store, "part-*.avro") == list(range(5))
    listings = [
        each
        for each in store.proxy.stats()["log"]
        if "list-type" in each["path"] or "comp=list" in each["path"] or "prefix=" in each["path"]
    ]
    assert len(listings) == (2 if kind == "s3" else 1)
