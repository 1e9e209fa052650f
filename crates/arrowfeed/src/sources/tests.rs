use super::*;

/// A directory for one test, deleted when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, files: &[&str]) -> Self {
        let path = std::env::temp_dir().join(format!("arrowfeed-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for file in files {
            fs::write(path.join(file), b"").unwrap();
        }
        Self(path)
    }

    fn names(&self, pattern: &str) -> Vec<String> {
        let files = resolve([self.0.join(pattern)]).unwrap();
        files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    /// The kind of the error if it is one of the operating system, and the message after the pattern.
    fn refused(&self, pattern: &str) -> (Option<io::ErrorKind>, String) {
        let error = resolve([self.0.join(pattern)]).unwrap_err();
        let text = error.to_string();
        let place = format!("{}: ", self.0.join(pattern).display());
        let message = text.strip_prefix(&place).expect("the pattern first");
        (error.io_error().map(io::Error::kind), message.to_owned())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_glob_yields_its_files_sorted() {
    let scratch = Scratch::new("glob", &["b.avro", "a.avro", "c.txt", ".d.avro"]);
    fs::create_dir(scratch.0.join("e.avro")).unwrap();
    assert_eq!(scratch.names("*.avro"), ["a.avro", "b.avro"]);
    assert_eq!(scratch.names("[b]*"), ["b.avro"]);
    assert_eq!(scratch.names("?.txt"), ["c.txt"]);
}

#[test]
fn a_directory_yields_its_avro_files_sorted() {
    let scratch = Scratch::new("directory", &["b.avro", "a.avro", "c.txt", ".d.avro", "avro"]);
    fs::create_dir(scratch.0.join("e.avro")).unwrap();
    assert_eq!(scratch.names(""), ["a.avro", "b.avro"]);
}

#[test]
fn an_existing_path_is_not_a_glob() {
    let scratch = Scratch::new("literal", &["part[1].avro", "part1.avro"]);
    assert_eq!(scratch.names("part[1].avro"), ["part[1].avro"]);
    assert_eq!(scratch.names("part[12].avro"), ["part1.avro"]);
}

#[test]
fn patterns_keep_their_order() {
    let scratch = Scratch::new("order", &["b.avro", "a.avro"]);
    let (a, b) = (scratch.0.join("a.avro"), scratch.0.join("b.avro"));
    assert_eq!(resolve([&b, &a, &b]).unwrap(), [b.clone(), a, b]);
}

#[test]
fn missing_files_are_not_found() {
    let scratch = Scratch::new("missing", &["a.txt"]);
    let missing = Some(io::ErrorKind::NotFound);
    assert_eq!(scratch.refused("b.avro").0, missing);
    let none = "expected files that match this glob, found none".to_owned();
    assert_eq!(scratch.refused("*.avro"), (missing, none));
    let none = "expected a directory with files named *.avro, found none".to_owned();
    assert_eq!(scratch.refused(""), (missing, none));
    let wrong = "expected a glob, found an invalid one: Pattern syntax error near position ";
    let (kind, message) = scratch.refused("a[.avro");
    assert_eq!(kind, None);
    assert!(message.starts_with(wrong), "{message}");
}

#[test]
fn no_pattern_is_an_error() {
    let error = resolve(Vec::<PathBuf>::new()).unwrap_err();
    assert_eq!(error.to_string(), "expected at least one file, found an empty list");
    assert_eq!(error.kind(), FeedErrorKind::Options);
}

#[test]
fn file_urls_are_paths_with_escapes() {
    let scratch = Scratch::new("url", &["a b%.avro"]);
    let file = scratch.0.join("a b%.avro");
    let directory = scratch.0.display();
    for url in [
        format!("file://{directory}/a%20b%25.avro"),
        format!("FILE://localhost{directory}/a%20b%25.avro"),
        format!("file://{directory}/a*.avro"),
        format!("file://{directory}"),
    ] {
        assert_eq!(resolve([&url]).unwrap(), std::slice::from_ref(&file), "{url}");
    }
}

#[test]
fn other_urls_are_refused_without_their_secrets() {
    for (url, message) in [
        (
            "s3://key:word@b/a.avro?x=1",
            "s3://b/a.avro: expected a path or a file:// URL, found one of scheme \"s3\": `arrowfeed::store::resolve` takes URLs of stores",
        ),
        (
            "file://host/a.avro",
            "file://host/a.avro: expected a file:// URL of this machine (file:///path), found another host",
        ),
        (
            "file:///%zz",
            "file:///%zz: expected a file:// URL with %XX escapes of UTF-8 text, found invalid escapes",
        ),
        (
            "file:///%F",
            "file:///%F: expected a file:// URL with %XX escapes of UTF-8 text, found invalid escapes",
        ),
        (
            "file:///%ff",
            "file:///%ff: expected a file:// URL with %XX escapes of UTF-8 text, found invalid escapes",
        ),
        ("file://", "file://: expected a path after file://, found none"),
    ] {
        assert_eq!(resolve([url]).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_directory_yields_the_files_of_those_below() {
    let scratch = Scratch::new("below", &["b.avro", "c.txt"]);
    for directory in ["dt=1/x=2", ".hidden", "_delta_log", "dt=2"] {
        let directory = scratch.0.join(directory);
        fs::create_dir_all(&directory).unwrap();
        for file in ["a.avro", ".d.avro", "_e.avro", "f.txt"] {
            fs::write(directory.join(file), b"").unwrap();
        }
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&scratch.0, scratch.0.join("dt=2").join("loop")).unwrap();
    let files = resolve_below([&scratch.0], "avro", None).unwrap();
    let expected = ["b.avro", "dt=1/x=2/a.avro", "dt=2/a.avro"].map(|file| scratch.0.join(file));
    assert_eq!(files, expected);
    assert_eq!(resolve_below([&files[1]], "avro", None).unwrap(), files[1..2]);
    let (nested, dt) = (scratch.0.join("dt=1"), scratch.0.join("dt=1/x=2"));
    let error = resolve([&nested]).unwrap_err();
    let message = "expected a directory with files named *.avro, found some only in directories below it: read them with \
                   the glob **/*.avro, or with a partitioning if the names of the directories are values";
    assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::NotFound));
    assert_eq!(error.to_string(), format!("{}: {message}", nested.display()));
    let of_glob = ["_e.avro", "a.avro"].map(|file| dt.join(file));
    assert_eq!(resolve([nested.join("**/*.avro")]).unwrap(), of_glob);
    // Only some entries are looked at for the message.
    for number in 0..super::MOST_ENTRIES {
        fs::create_dir(nested.join(number.to_string())).unwrap();
    }
    fs::rename(scratch.0.join("dt=1/x=2"), nested.join("0/x")).unwrap();
    let error = resolve([&nested]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: {}", nested.display(), &message[..45])), "{error}");
    let error = resolve_below([&scratch.0], "parquet", None).unwrap_err().to_string();
    let message = "expected a directory with files named *.parquet, found none";
    assert_eq!(error, format!("{}: {message}", scratch.0.display()));
}
