//! Sources of the bytes of a file.

// | file | content |
// |---|---|
// | `file_source` | the inputs that a caller may pass as a file |
// | `open_file` `file_identity` | an open file; the identity of a file |
// | `byte_source` | the trait for thread-safe reads at any offset |
// | `ends` | the first and last bytes of a file, and their fingerprint |
// | `sequential` | sequential reads, for decompressors |
// | `gzip` | decompression of gzip files |
// | `compression` | detection of compressed files that are not supported |
// | `local` | a file of the local file system |
// | `memory` | a file in memory |
// | `seekable` | adapter for `Read + Seek`, serialised by a mutex |
// | `stored_file` | a file that can be opened repeatedly, on demand |
// | `target` | an output file that gets its name when it is complete |
// | `remote` | remote objects as files |
// | `url` | detection and redaction of URLs |
// | `regular_file` | opening of regular files, but not of pipes or devices |

mod byte_source;
mod compression;
mod ends;
mod file_identity;
mod file_source;
#[cfg(feature = "gzip")]
mod gzip;
mod local;
mod memory;
mod open_file;
pub mod regular_file;
pub mod remote;
mod seekable;
mod sequential;
mod stored_file;
mod target;
#[cfg(test)]
mod tests;
pub mod url;

pub use byte_source::{ByteSource, FileVersion, checked_read_at};
pub use compression::unsupported_compression;
pub use ends::FileEnds;
pub use file_identity::{Expected, FileIdentity, Fingerprint, check_start};
pub(crate) use file_source::{FileBytes, found_stream};
pub use file_source::{FileSource, Opened};
#[cfg(feature = "gzip")]
pub use gzip::GzipReader;
pub use local::LocalFile;
pub use memory::Memory;
pub use open_file::OpenFile;
pub use seekable::Seekable;
pub use sequential::{SequentialReader, decompression_error};
pub use stored_file::StoredFile;
pub use target::{NewFile, Target};
