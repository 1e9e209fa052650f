//! Where the bytes of a file come from.
//!
//! | file | what |
//! |---|---|
//! | `file_source` | what a caller gives as a file |
//! | `open_file` `file_identity` | an open file, and what tells it from another one |
//! | `byte_source` | the trait: bytes at any offset, for any number of threads |
//! | `ends` | the first and the last bytes of a file, and their fingerprint |
//! | `sequential` | the bytes of a file in order, which may be compressed |
//! | `local` | a file of the local file system |
//! | `memory` | a file in memory |
//! | `seekable` | what can read and seek, by one thread at a time |
//! | `stored_file` | a file that is opened when it is needed, and again |
//! | `target` | a file that is written, and has its name when it is whole |
//! | `remote` | objects of stores as files |
//! | `url` | which texts are URLs, and what of one may stand in a message |
//! | `regular_file` | opening of files that are neither pipes nor devices |

mod byte_source;
mod ends;
mod file_identity;
mod file_source;
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
pub use ends::FileEnds;
pub use file_identity::{Expected, FileIdentity, Fingerprint, check_start};
pub use file_source::{FileSource, Opened};
pub(crate) use file_source::{SourceKind, open_stored};
pub use local::LocalFile;
pub use memory::Memory;
pub use open_file::OpenFile;
pub use seekable::Seekable;
pub use sequential::{SequentialReader, decompression_error};
pub use stored_file::StoredFile;
pub use target::{NewFile, Target};
