//! Files of all formats of arrowfeed as tables of DataFusion: Avro, Parquet, CSV, JSON lines, Arrow IPC and TFRecord.
//!
//! ```
//! # #[cfg(not(all(feature = "avro", feature = "session")))] fn main() {}
//! # #[cfg(all(feature = "avro", feature = "session"))]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
//! # let path = example.display();
//! use datafusion::prelude::SessionContext;
//!
//! let context = SessionContext::new();
//! arrowfeed_datafusion::register(&context)?;
//! context.sql(&format!("CREATE EXTERNAL TABLE t STORED AS ARROWFEED_AVRO LOCATION '{path}'")).await?;
//! context.sql("SELECT id FROM t WHERE id > 1 LIMIT 10").await?.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | create tables in SQL | [`register`], or [`table_factories`] for the state of a session |
//! | make a table in Rust | [`ArrowfeedTable`] |
//! | let DataFusion list the files | [`ArrowfeedFormat`] in a `ListingTable` |
//! | act on errors | [`feed_error`] |
//!
//! # Features
//!
//! All are enabled by default.
//!
//! | feature | adds |
//! |---|---|
//! | `avro`, `ipc`, `parquet`, `text`, `tfrecord`; `formats` | formats; all of them |
//! | `codecs` | the codecs of all formats that are enabled |
//! | `session` | [`register`]; depends on the crate `datafusion` |
//! | `stores` | URLs of stores that the session does not have |

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | topic | files |
// |---|---|
// | formats and their options | `format`, `options` (also as text of SQL) |
// | tables with a fixed list of files | `table`, `factory` (`CREATE EXTERNAL TABLE`), `location` (the files and the partition columns of a location), `scan` (their plan), `partition` (the byte ranges of its partitions), `statistics` (its number of rows, the bounds of its columns) |
// | formats of listing tables | `listing`, `opener` (one file in the types of the table) |
// | filters to predicates, and the filters that stay with DataFusion | `filter`, `literal` |
// | batches as a stream | `stream` |
// | errors | `error` |
// | work on threads for blocking work | `blocking` |
// | object stores of a session | `store` |
// | registration in a session | `registration` |

mod blocking;
mod error;
mod factory;
mod filter;
mod format;
mod listing;
mod literal;
mod location;
mod opener;
mod options;
mod partition;
#[cfg(feature = "session")]
mod registration;
mod scan;
mod statistics;
mod store;
mod stream;
mod table;

pub use arrowfeed;
pub use error::feed_error;
pub use factory::{ArrowfeedTableFactory, table_factories};
pub use format::sql_names;
pub use listing::{ArrowfeedFormat, ArrowfeedFormatFactory, file_format_factories};
#[cfg(feature = "session")]
pub use registration::register;
pub use table::ArrowfeedTable;

/// The program of the page compiles.
#[cfg(all(doctest, feature = "session"))]
#[doc = include_str!("../../../docs/datafusion.md")]
mod page {}
