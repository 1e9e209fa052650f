//! Remote objects as files: requests, read-ahead, and the bytes that have arrived.
//!
//! ```text
//! RemoteFile ──ranges──> ReadAhead ──requests──> RemoteObject (a store)
//!     └────── bytes ◄── Segments ◄── responses ──────┘
//! ```

// | file | content |
// |---|---|
// | `object` | the interface of a remote store: requests and responses |
// | `segments` | the ranges of an object that were requested or have arrived |
// | `file_state` | the version and the segments of one file, and the ranges of its next requests |
// | `read_ahead` | the requests of one reading, in order and within bounds |
// | `responses` | handles responses: updates the segment, the version and the queue |
// | `file` | a remote object as a file |

mod file;
mod file_state;
mod object;
mod read_ahead;
mod responses;
mod segments;
#[cfg(test)]
mod tests;

pub use file::{RemoteFile, without_waiting};

pub use object::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestCounts,
    RequestGuard, ResponseHandler,
};
pub use read_ahead::{OnArrival, ReadAhead};
