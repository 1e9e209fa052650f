//! Where the bytes of a file come from.
//!
//! | file | what |
//! |---|---|
//! | `byte_source` | the trait: bytes at any offset, for any number of threads |
//! | `local` | a file of the local file system |
//! | `memory` | a file in memory |
//! | `seekable` | what can read and seek, by one thread at a time |
//! | `stored_file` | a file that is opened when it is needed, and again |
//! | `regular_file` | opening of files that are neither pipes nor devices |

mod byte_source;
mod local;
mod memory;
pub mod regular_file;
mod seekable;
mod stored_file;
#[cfg(test)]
mod tests;

pub use byte_source::{ByteSource, FileVersion, checked_read_at};
pub use local::LocalFile;
pub use memory::Memory;
pub use seekable::Seekable;
pub use stored_file::StoredFile;
