//! Objects of remote stores: S3, Google Cloud Storage, Azure, HTTP, HDFS, and memory. Over `object_store`.
//!
//! ```text
//! URL, options ──resolve──> StoreObject ──request──> retry ──> client of the process ──> server
//!                                └── CachedObject (a directory) ──┘
//! ```
//! | topic | files |
//! |---|---|
//! | what a caller may set | `options` |
//! | which store, and which name in it | `location`, `exact_url` (HTTP) |
//! | stores and their clients | `stores`, `clients` |
//! | requests for bytes | `object`, `whole` (servers without ranges) |
//! | errors and retries | `failure`, `retry` |
//! | URLs to files | `list`, `pattern` (globs) |
//! | new objects | `write` |
//! | bytes that are kept on disk | `cache` |
//! | threads, and forks | `runtime`, `wait` (calls that wait), `joint` (work that is shared), `process` (values of one process) |

// A build without some families does not use all of it.
#![cfg_attr(
    not(all(feature = "aws", feature = "azure", feature = "gcp", feature = "http")),
    allow(dead_code, unused_imports)
)]

mod cache;
mod clients;
mod exact_url;
mod failure;
mod joint;
mod list;
mod location;
mod object;
mod options;
mod pattern;
mod process;
mod retry;
mod runtime;
mod stores;
mod wait;
mod whole;
mod write;

pub use cache::{Cache, CachedObject};
pub use list::{StoreFile, resolve};
pub use location::supports;
pub use object::StoreObject;
pub use options::StoreOptions;
pub use stores::{MakeStore, Store, take_servers_without_ranges};
pub use write::{StoreWriter, create};
