//! Messages of `proto/`, as prost makes them. They stay inside the crate: nothing public names them.

#![allow(missing_docs, unreachable_pub, clippy::all, reason = "made by prost")]

include!("arrowfeed.metadata.v0.rs");
