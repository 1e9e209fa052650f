//! Types that all formats share: files, errors, limits, reports, and the traits of your own sources.
//!
//! | to | use |
//! |---|---|
//! | read bytes, an open file or your own storage | [`FileSource`](io::FileSource), [`ByteSource`](io::ByteSource), [`RemoteObject`](io::remote::RemoteObject) |
//! | make a dataset of rows that are not in files | [`ChunkSource`](format::ChunkSource), [`ChunkFormat`](format::ChunkFormat) |
//! | see where the time of a reading goes | [`Stats`](stats::Stats) |
//! | skip invalid data and count it | [`OnError`], [`Report`] |
//! | see how the schemas of files were merged | [`SchemaMerge`], [`SchemaChange`] |
//! | cancel a call | [`Interrupt`], [`interrupt_or`] |
//! | add the path and the number of each row to the columns | [`AddedColumns`](run::AddedColumns) |
//! | limit the resources that a file may use | [`Limits`] |
//! | read parts of files in several processes | [`Split`](run::Split), [`RangeOptions`](run::RangeOptions) |
//!
//! A crate for a new file format uses the crate `arrowfeed-source`, which also has the engine that decodes files.

pub use arrowfeed_source::{
    Check, FeedError, FeedErrorKind, Interrupt, Limits, Location, OnError, Report, Requests, SchemaChange,
    SchemaChangeKind, SchemaMerge, Skipped, interrupt_or,
};
#[doc(hidden)]
pub use arrowfeed_source::{POLL_INTERVAL, copy_error, out_of_memory};

/// Parsers of options.
pub mod options {
    pub use arrowfeed_source::options::Words;
    #[cfg(feature = "serde")]
    pub use arrowfeed_source::options::{Columns, Object, Ordered};

    #[doc(hidden)]
    pub use arrowfeed_source::options::data_type;
}

/// Sources of rows.
pub mod format {
    pub use arrowfeed_source::format::{ChunkFormat, ChunkOptions, ChunkSource, Claim};

    #[doc(hidden)]
    pub use arrowfeed_source::format::predicate_error;
}

/// Sources of bytes.
pub mod io {
    pub use arrowfeed_source::io::{
        ByteSource, FileIdentity, FileSource, FileVersion, LocalFile, Memory, NewFile, Seekable,
    };

    /// Objects of remote stores.
    pub mod remote {
        pub use arrowfeed_source::io::remote::{
            ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject,
            RequestCounts, RequestGuard, ResponseHandler,
        };
    }

    #[doc(hidden)]
    pub use arrowfeed_source::io::{Opened, checked_read_at};
}

/// Readers of files and of byte ranges.
pub mod run {
    pub use arrowfeed_source::run::{
        AddedColumns, FileColumn, FileReader, FileSet, RangeOptions, ReadOptions, Split,
    };
}

/// Figures of a reading: where its time goes, and how long its caller waits.
pub mod stats {
    pub use arrowfeed_source::stats::{Codec, FormatStats, Meter, Stage, StageTimes, Stats, Waits};
}

// For the Python package.
#[doc(hidden)]
pub use arrowfeed_source::{ForkLock, quoted};
