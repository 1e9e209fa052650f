//! Helpers of the Avro targets: small limits, and the checks that every outcome must pass.

use arrow_array::{Array, StructArray};
use arrowfeed_avro::{AvroOptions, FeedErrorKind, Limits};

use crate::hostile::outcome::Outcome;

/// Limits that are small enough for a run of some thousand files per second.
pub(crate) fn options() -> AvroOptions {
    let limits = Limits {
        header_bytes: 1 << 20,
        schema_bytes: 64 << 10,
        decoded_block_bytes: 4 << 20,
        expanded_fields: 2_000,
        zero_byte_elements: 10_000,
        zero_byte_rows: 100_000,
        skipped_depth: 10_000,
        batch_bytes: 8 << 20,
        zstd_window_bytes: 8 << 20,
        xz_memory_bytes: 8 << 20,
        ..Limits::default()
    };
    AvroOptions { limits, ..AvroOptions::default() }
}

/// Checks that there is no internal error, and that every array is valid.
pub(crate) fn check(outcome: &Outcome) {
    if let Some(fault) = &outcome.fault {
        assert_ne!(fault.kind, FeedErrorKind::Internal, "{fault}");
    }
    for batch in &outcome.batches {
        let rows = StructArray::from(batch.clone()).to_data();
        rows.validate_full().expect("valid arrays");
    }
}
