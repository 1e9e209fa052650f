//! Errors of arrowfeed in those of DataFusion.

use std::error::Error;

use arrowfeed::FeedError;
use datafusion_common::DataFusionError;

/// Converts an error. It is the source of the result, see [`feed_error`].
pub(crate) fn external(error: FeedError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The error of arrowfeed in an error of a query, if a table of this crate caused it.
///
/// # Example
/// ```
/// # async fn shown(context: &datafusion::prelude::SessionContext) -> datafusion::error::Result<()> {
/// if let Err(error) = context.sql("SELECT count(*) FROM clicks").await?.collect().await
///     && let Some(error) = arrowfeed_datafusion::feed_error(&error)
/// {
///     println!("{:?} {:?}", error.kind(), error.location());
/// }
/// # Ok(())
/// # }
/// ```
pub fn feed_error(error: &DataFusionError) -> Option<&FeedError> {
    let mut cause: &(dyn Error + 'static) = error;
    loop {
        match cause.downcast_ref() {
            Some(found) => return Some(found),
            None => cause = cause.source()?,
        }
    }
}
