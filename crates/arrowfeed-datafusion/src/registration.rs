//! Registration in a session.

use datafusion::execution::context::SessionContext;
use datafusion_common::Result;

use crate::{file_format_factories, table_factories};

/// Adds all formats to a session: `CREATE EXTERNAL TABLE ... STORED AS ARROWFEED_AVRO`, and formats of the same names in lower case
/// for listing tables.
///
/// # Errors
/// The session has other formats of these names.
///
/// # Example
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// # let path = example.display();
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// arrowfeed_datafusion::register(&context)?;
/// let create = format!("CREATE EXTERNAL TABLE example STORED AS ARROWFEED_AVRO LOCATION '{path}'");
/// context.sql(&create).await?;
/// let batches = context.sql("SELECT count(*) FROM example").await?.collect().await?;
/// assert_eq!(batches[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
pub fn register(context: &SessionContext) -> Result<()> {
    let state = context.state_ref();
    let mut state = state.write();
    state.table_factories_mut().extend(table_factories());
    file_format_factories().into_iter().try_for_each(|factory| state.register_file_format(factory, false))
}
