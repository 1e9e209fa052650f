//! Removal of chunks from a cache.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::chunk::PARTIAL;

/// Age after which a partial file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes the least recently used chunks, until the others take at most 15/16 of `max_bytes`. Files that other
/// processes remove in the meantime are ignored.
pub(super) fn sweep(directory: &Path, max_bytes: u64) {
    let mut chunks: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    let mut total = 0;
    for entry in entries(directory).filter(is_of_cache).flat_map(|entry| entries(&entry.path())) {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
        let Ok(used) = metadata.modified() else { continue };
        let name = entry.file_name();
        let is_chunk = name.len() == 14 && name.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit);
        if is_chunk && metadata.is_file() {
            total += metadata.len();
            chunks.push((used, metadata.len(), path));
        } else if name.as_encoded_bytes().starts_with(b".")
            && name.as_encoded_bytes().ends_with(PARTIAL.as_bytes())
            && used.elapsed().is_ok_and(|age| age > ABANDONED)
        {
            let _ = fs::remove_file(path);
        }
    }
    if total <= max_bytes {
        return;
    }
    chunks.sort_unstable();
    let wanted = max_bytes - max_bytes / 16;
    for (_, len, path) in chunks {
        if total <= wanted {
            break;
        }
        let _ = fs::remove_file(path);
        total -= len;
    }
}

fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten()
}

/// Whether an entry is a directory of chunks. Other files of the user are not touched.
fn is_of_cache(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    name.len() == 2 && name.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn file(directory: &Path, name: &str, len: usize, age: u64) -> PathBuf {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![0; len]).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        path
    }

    #[test]
    fn the_oldest_chunks_are_removed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str, len, age| file(directory.path(), name, len, age);
        let kept = [
            at("ab/00000000000001", 50, 10),
            at("ab/00000000000002", 40, 20),
            at("ab/notes", 1000, 9000),
            at("ab/.x.partial", 10, 10),
            at("other/00000000000004", 1000, 9000),
        ];
        let removed = [at("cd/00000000000003", 50, 30), at("ab/.y.partial", 10, 9000)];
        sweep(directory.path(), 100);
        assert!(kept.iter().all(|path| path.exists()));
        assert!(removed.iter().all(|path| !path.exists()));
        sweep(&directory.path().join("missing"), 0);
    }
}
