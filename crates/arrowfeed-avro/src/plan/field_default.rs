//! The default of a field that a writer has no column for.

use arrowfeed_source::FeedError;
use serde_json::Value;

use super::resolve::Resolver;
use super::want::Want;
use crate::ReadOptions;
use crate::locate::check_default;
use crate::schema::default::encode_default;
use crate::schema::graph::{Graph, TypeId};

/// The default of a field of `graph` as binary Avro, checked as readers check it. `path` names the field in messages.
///
/// The default of a type that contains itself is not checked: it is not read into Arrow.
///
/// # Errors
/// The type does not take the default, or readers do not.
pub(crate) fn checked_default(
    graph: &Graph,
    ty: TypeId,
    default: &Value,
    path: &str,
) -> Result<Vec<u8>, FeedError> {
    let bytes = encode_default(graph, ty, default).map_err(|error| error.in_field(path))?;
    let options = ReadOptions::default();
    let mut resolver = Resolver::new(graph, graph, &options);
    if let Ok(column) = resolver.resolve(ty, ty, &Want::All) {
        let (skips, _) = resolver.finish();
        check_default("schema", path, &column.node, &skips, &options.limits, &bytes)?;
    }
    Ok(bytes)
}
