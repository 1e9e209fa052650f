//! Reports as JSON.

use arrowfeed::source::{Report, Skipped};
use serde_json::json;

/// The counts, and the parts that were skipped.
pub(crate) fn json(report: &Report) -> String {
    let skipped = |part: &Skipped| {
        let Skipped { path, block, offset, rows, error } = part;
        json!({"path": path, "block": block, "offset": offset, "rows": rows, "error": error})
    };
    let Report { rows, rejected, blocks, bytes, .. } = report;
    let skipped: Vec<_> = report.skipped.iter().map(skipped).collect();
    json!({"rows": rows, "rejected": rejected, "blocks": blocks, "bytes": bytes, "skipped": skipped})
        .to_string()
}
