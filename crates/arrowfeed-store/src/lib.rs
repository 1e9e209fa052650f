//! Objects in remote stores: S3, Google Cloud Storage, Azure, HTTP servers, HDFS and memory. Based on `object_store`.
//!
//! | to | use |
//! |---|---|
//! | find the files of a URL, a glob or a directory | [`resolve`]; [`resolve_below`] with all directories below |
//! | read a file that was found | [`FileSource::remote`](arrowfeed_source::io::FileSource::remote) of a [`StoreFile`], with every format |
//! | set credentials, regions and retries | [`StoreOptions`] |
//! | use a client of your own | [`Store::custom`] |
//! | keep the bytes of objects on disk | [`Cache`] |
//! | write an object | [`create`] |
//!
//! ```
//! use std::io::Write;
//!
//! use arrowfeed_store::{StoreOptions, create, resolve};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = StoreOptions::default();
//! for name in ["part-0.avro", "part-1.avro"] {
//!     let mut object = create(&format!("memory://front/{name}"), &options, None, None)?;
//!     object.write_all(b"the bytes of a file")?;
//!     object.commit()?;
//! }
//! let files = resolve("memory://front/part-*.avro", "avro", &options, None, None)?;
//! let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
//! assert_eq!(names, ["memory://front/part-0.avro", "memory://front/part-1.avro"]);
//! # Ok(())
//! # }
//! ```
//!
//! A request passes these parts:
//!
//! ```text
//! URL, options ──resolve──> StoreObject ──request──> retry ──> client of the process ──> server
//!                                └── CachedObject (a directory) ──┘
//! ```

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]
// | topic | files |
// |---|---|
// | options of a store | `options` |
// | URLs to stores and object names | `location`, `exact_url` (HTTP) |
// | stores and their clients | `stores`, `clients` |
// | requests for bytes | `object`, `whole` (servers without ranges) |
// | errors, and which of them are tried again | `failure`, `retry` |
// | URLs to lists of files | `list`, `pattern` (globs) |
// | new objects | `write` |
// | cache of bytes on disk | `cache` |
// | threads and forks | `runtime`, `wait` (blocking calls), `shared_work` (shared work), `process` (values of one process) |
#![cfg_attr(
    not(all(feature = "aws", feature = "azure", feature = "gcp", feature = "http")),
    allow(
        dead_code,
        unused_imports,
        reason = "a build without some families of stores does not use all code"
    )
)]

mod cache;
mod clients;
mod exact_url;
mod failure;
mod list;
mod location;
mod object;
mod options;
mod pattern;
mod process;
mod retry;
mod runtime;
mod shared_work;
mod stores;
mod wait;
mod whole;
mod write;

pub use cache::{Cache, CachedObject};
// For clients that the Python package makes.
#[doc(hidden)]
pub use clients::install_cryptography;
pub use list::{StoreFile, resolve, resolve_below};
pub use location::supports;
pub use object::StoreObject;
pub use options::StoreOptions;
// For the warnings of the Python package.
#[doc(hidden)]
pub use stores::take_servers_without_ranges;
pub use stores::{MakeStore, Store};
pub use write::{StoreWriter, create};
