//! Names of files below the directory that all of them have in common.

use std::path::absolute;

use arrowfeed_source::run::FileSet;

use super::counted_files::CountedFiles;

/// The number of directories that all files have in common.
///
/// A name below them is the same for a relative and an absolute path, after the directory was moved, on another mount and in
/// another bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RelativeNames(usize);

impl RelativeNames {
    pub(crate) fn of(files: &CountedFiles<'_>) -> Self {
        let mut names = files.in_set().iter().map(|file| steps(&complete_name(files.files, *file)));
        let first = names.next().unwrap_or_default();
        let mut common = first.len().saturating_sub(1);
        for other in names {
            let most = common.min(other.len().saturating_sub(1));
            common = first.iter().zip(&other).take(most).take_while(|(first, other)| first == other).count();
        }
        Self(common)
    }

    /// The name of a file of a set, with `/` between its parts.
    pub(crate) fn name(self, files: &FileSet, file: usize) -> String {
        steps(&complete_name(files, file))[self.0..].join("/")
    }
}

/// The absolute path of a file, or its name if it has no path.
fn complete_name(files: &FileSet, file: usize) -> String {
    let name = files.name(file);
    match files.path(file).filter(|_| !name.contains("://")) {
        Some(path) => {
            absolute(path).map_or_else(|_| name.to_owned(), |path| path.to_string_lossy().into_owned())
        }
        None => name.to_owned(),
    }
}

/// The parts of a name. `..` cancels the part before it.
fn steps(name: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for step in name.split(['/', std::path::MAIN_SEPARATOR]) {
        match step {
            "" | "." => {}
            ".." if !steps.is_empty() => _ = steps.pop(),
            step => steps.push(step.to_owned()),
        }
    }
    if steps.is_empty() { vec![name.to_owned()] } else { steps }
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn steps_are_those_of_the_normal_path() {
        assert_eq!(steps("/data/./run//a.avro"), ["data", "run", "a.avro"]);
        assert_eq!(steps("/data/old/../run/a.avro"), ["data", "run", "a.avro"]);
        assert_eq!(steps("s3://bucket/run/a.avro"), ["s3:", "bucket", "run", "a.avro"]);
        assert_eq!(steps("../a.avro"), ["..", "a.avro"]);
        assert_eq!(steps("<100 bytes>"), ["<100 bytes>"]);
        assert_eq!(steps("/"), ["/"]);
    }
}
