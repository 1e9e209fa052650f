//! Tests of the resolution of URLs to files.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use arrowfeed_source::io::remote::RemoteObject;
use arrowfeed_source::{FeedError, FeedErrorKind};
use arrowfeed_store::{Store, StoreOptions, resolve, resolve_below};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use proptest::prelude::*;

use crate::server::{Reply, Server, options, stop_after};

fn store(names: &[&str]) -> Store {
    let memory = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for name in names {
        runtime.block_on(memory.put(&Path::parse(name).unwrap(), "12345".into())).unwrap();
    }
    Store::custom(
        Arc::new(move || Ok(memory.clone() as Arc<dyn ObjectStore>)),
        "memory",
        StoreOptions::default(),
    )
}

fn found(store: &Store, url: &str) -> Result<Vec<String>, FeedError> {
    let files = resolve(url, "avro", store.options(), Some(store), None)?;
    Ok(files.into_iter().map(|file| file.name).collect())
}

fn names(store: &Store, url: &str) -> Vec<String> {
    found(store, url).unwrap()
}

const NAMES: [&str; 9] = [
    "d/.hidden.avro",
    "d/2.avro",
    "d/10.avro",
    "d/notes.txt",
    "d/e/1.avro",
    "d/e/f/1.avro",
    "d/.git/1.avro",
    "d[x/a#b +é%20.avro",
    "plain",
];

#[test]
fn globs_match_as_in_a_shell() {
    let store = store(&NAMES);
    let s3 = |names: &[&str]| names.iter().map(|name| format!("s3://b/{name}")).collect::<Vec<_>>();
    assert_eq!(names(&store, "s3://b/d/*.avro"), s3(&["d/10.avro", "d/2.avro"]));
    assert_eq!(names(&store, "s3://b/d/?.avro"), s3(&["d/2.avro"]));
    assert_eq!(names(&store, "s3://b/d/[0-9]*.avro"), s3(&["d/10.avro", "d/2.avro"]));
    assert_eq!(names(&store, "s3://b/*/*/1.avro"), s3(&["d/e/1.avro"]));
    assert_eq!(names(&store, "s3://b/*/e/f/1.avro"), s3(&["d/e/f/1.avro"]));
    assert_eq!(
        names(&store, "s3://b/d/**/*.avro"),
        s3(&["d/10.avro", "d/2.avro", "d/e/1.avro", "d/e/f/1.avro"])
    );
    assert_eq!(names(&store, "s3://b/**/1.avro"), s3(&["d/e/1.avro", "d/e/f/1.avro"]));
    assert_eq!(names(&store, "s3://b/d[[]x/*.avro"), s3(&["d[x/a#b +é%20.avro"]));
    assert_eq!(names(&store, "d/?.avro"), ["d/2.avro"]);
}

#[test]
fn a_directory_has_the_objects_directly_under_it() {
    let store = store(&NAMES);
    assert_eq!(names(&store, "s3://b/d/"), ["s3://b/d/10.avro", "s3://b/d/2.avro"]);
    assert_eq!(names(&store, "s3://b/d"), ["s3://b/d/10.avro", "s3://b/d/2.avro"]);
    assert_eq!(names(&store, "s3://b/plain"), ["s3://b/plain"]);
    assert_eq!(names(&store, "s3://b/missing.avro"), ["s3://b/missing.avro"]);
}

#[test]
fn a_directory_has_the_objects_of_those_below() {
    let store = store(&[
        "t/_log/1.avro",
        "t/a.avro",
        "t/dt=1/x=2/1.avro",
        "t/dt=1/_1.avro",
        "t/.x/1.avro",
        "tt/1.avro",
    ]);
    let below = |url: &str| -> Vec<String> {
        let files = resolve_below(url, "avro", store.options(), Some(&store), None).unwrap();
        files.into_iter().map(|file| file.name).collect()
    };
    assert_eq!(below("s3://b/t"), ["s3://b/t/a.avro", "s3://b/t/dt=1/x=2/1.avro"]);
    assert_eq!(below("s3://b/t/dt=1/"), ["s3://b/t/dt=1/x=2/1.avro"]);
    assert_eq!(below("s3://b/t/_log"), ["s3://b/t/_log/1.avro"]);
    assert_eq!(below("s3://b/t/a.avro"), ["s3://b/t/a.avro"]);
}

#[test]
fn a_listing_returns_lengths() {
    let store = store(&NAMES);
    let files = resolve("s3://b/d/*.avro", "avro", store.options(), Some(&store), None).unwrap();
    assert_eq!(files.iter().map(|file| file.object.known_len()).collect::<Vec<_>>(), [Some(5), Some(5)]);
}

#[test]
fn a_directory_of_directories_is_an_error_that_names_the_glob() {
    let error = found(&store(&["t/dt=1/1.avro"]), "s3://b/t").unwrap_err();
    let message = "expected files named *.avro under this URL, found none, and directories: read the files in them with the glob \
                   **/*.avro, or with a partitioning if the names of the directories are values";
    assert_eq!(error.to_string(), message);
}

#[test]
fn nothing_found_is_an_error() {
    let store = store(&NAMES);
    for url in ["s3://b/d/*.txt2", "s3://b/nothing/", "s3://b/nothing", "s3://b/x/*/y", "s3://b/**/z"] {
        let error = found(&store, url).unwrap_err();
        assert_eq!(error.to_string(), "expected files that match this URL, found none");
        assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
    }
    let message =
        "expected a glob, found an invalid one: Pattern syntax error near position 1: invalid range pattern";
    assert_eq!(found(&store, "s3://b/a[.avro").unwrap_err().to_string(), message);
}

#[test]
fn http_lists_nothing() {
    let server = Server::with(|_| None);
    for rest in ["a.avro?x=[1]", "directory/", "a", "*.avro"] {
        let files = resolve(&server.url(rest), "avro", &options(&[]), None, None).unwrap();
        assert_eq!(files.len(), 1);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_listing_can_be_stopped() {
    let server = Server::with(|_| Some(Reply::new("200 OK", &[0; 10]).stalled(0)));
    // Without the interrupt, the listing would wait for an hour.
    let url = server.url("");
    let pairs = [("endpoint", &*url), ("allow_http", "true"), ("skip_signature", "true")];
    let options = StoreOptions::parse(pairs.into_iter().chain([("request_timeout", "3600")])).unwrap();
    let interrupt = stop_after(Duration::from_millis(100));
    let error = resolve("s3://b/*.avro", "avro", &options, None, Some(&interrupt)).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Interrupted);
}

#[test]
fn pages_of_s3_are_read_one_by_one() {
    let entry = |name: &str| {
        format!(
            "<Contents><Key>{name}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>\"a\"</ETag><Size>7</Size></Contents>"
        )
    };
    let server = Server::start(move |request| {
        if request.number == 1 {
            return Reply::new("503 Service Unavailable", b"<Error><Code>SlowDown</Code></Error>");
        }
        let is_first = !request.target.contains("continuation-token");
        let body = match is_first {
            true => format!(
                "{}{}<NextContinuationToken>next</NextContinuationToken>",
                entry("d/p-1.avro"),
                entry("d/p-x.txt")
            ),
            false => entry("d/p-2.avro") + "<CommonPrefixes><Prefix>d/p-3/</Prefix></CommonPrefixes>",
        };
        let body = format!("<ListBucketResult>{body}</ListBucketResult>");
        Reply::new("200 OK", body.as_bytes())
    });
    let pairs = [("endpoint", &*server.url("")), ("allow_http", "true"), ("skip_signature", "true")];
    let options = StoreOptions::parse(pairs).unwrap();
    let files = resolve("s3://b/d/p-*.avro", "avro", &options, None, None).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["s3://b/d/p-1.avro", "s3://b/d/p-2.avro"]);
    assert_eq!(files[0].object.known_len(), Some(7));
    let targets: Vec<String> = server.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(targets.len(), 3);
    assert!(targets[0].contains("prefix=d%2Fp-") && targets[0].contains("delimiter=%2F"), "{targets:?}");
}

#[test]
fn options_of_another_store_are_refused() {
    let message = |url: &str, pairs: &[(&str, &str)]| {
        let options = StoreOptions::parse(pairs.iter().copied()).unwrap();
        resolve(url, "avro", &options, None, None).unwrap_err().to_string()
    };
    let text = "storage_options: expected a key of s3, found \"aws_acess_key_id\"";
    assert_eq!(message("s3://b/a.avro", &[("AWS_ACESS_KEY_ID", "hush")]), text);
    let text = "storage_options: expected a key of memory, found \"region\"";
    assert_eq!(message("memory:///a.avro", &[("region", "x")]), text);
    for secret in ["hush", "hush\n", "hu\"sh", "hu\\sh", "e"] {
        let text = "storage_options: expected options that s3 accepts: failed to parse the value of allow_http as boolean";
        assert_eq!(message("s3://b/a.avro", &[("allow_http", secret)]), text);
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(50))]

    #[test]
    fn walking_finds_what_matches(
        names in prop::collection::btree_set("[ab.]{1,2}(/[ab]{1,2}){0,2}", 1..8),
        glob in "([ab]|\\*|\\?|\\*\\*/){0,2}[ab*?](/[ab*?]{1,2}){0,2}",
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with("..") && *name != ".").collect();
        prop_assume!(names.iter().all(|name| !name.split('/').any(|part| part == "." || part == "..")));
        prop_assume!(glob.contains(['*', '?']));
        let Ok(pattern) = glob::Pattern::new(&glob) else { return Ok(()) };
        let shell = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let mut expected: Vec<String> =
            names.iter().filter(|name| pattern.matches_with(name, shell)).map(|name| format!("s3://b/{name}")).collect();
        expected.sort();
        let found = found(&store(&names), &format!("s3://b/{glob}")).unwrap_or_default();
        prop_assert_eq!(found, expected, "{} of {:?}", glob, names);
    }
}
