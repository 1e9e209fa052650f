//! Locates the fault that made the fast decoder stop: the cold path behind [`Stop`](crate::wire::cursor::Stop).

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, counted, stopped, thousands};

use crate::plan::DecodePlan;
use crate::plan::fault::FaultLocator;
use crate::wire::cursor::Stop;
use crate::wire::plain::invalid;

/// Returns the error in a block's payload of `count` records on which the fast decoder stopped. The offset in
/// the error counts from the start of the payload. `whole` describes the payload in messages, for example
/// `the block after its 2 records`.
#[cold]
pub(crate) fn locate(
    plan: &DecodePlan,
    limits: &Limits,
    payload: &[u8],
    count: u64,
    stop: Stop,
    check: &Check<'_>,
    whole: &str,
) -> FeedError {
    let mut walk = FaultLocator::new(&plan.skips, limits, payload, check);
    for record in 0..count {
        if let Err(error) = walk.block_record(&plan.root.node) {
            return error.in_record(record);
        }
    }
    let (left, records) = (walk.reader.left(), counted(count, "record"));
    if left > 0 {
        let left = counted(left as u64, "more byte");
        return invalid(format!("expected the end of {whole}, found {left}"))
            .at_offset(walk.reader.pos() as u64);
    }
    match stop {
        Stop::Full => {
            let limit = thousands(limits.batch_bytes as u64);
            FeedError::limit_reached(
                "batch_bytes",
                format!("a record is over the limit batch_bytes of {limit}"),
            )
        }
        Stop::Cancelled => stopped(),
        Stop::Invalid => {
            let message = format!("the decoder rejected {records} that the checks accept");
            FeedError::new(FeedErrorKind::Internal, message)
        }
    }
}
