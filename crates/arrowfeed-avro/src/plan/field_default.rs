//! The default of a field that a writer has no column for.

use arrowfeed_source::FeedError;
use serde_json::Value;

use super::fault::check_default;
use super::projection::Projection;
use super::resolve::Resolver;
use crate::AvroOptions;
use crate::schema::default::encode_default;
use crate::schema::graph::{Graph, TypeId};

/// Encodes the default of a field of `graph` as binary Avro and checks it as readers do. `path` names the field in
/// messages.
///
/// The default of a recursive type is not checked, because such a type is never read into Arrow.
///
/// # Errors
/// The default does not fit the type, or readers reject it.
pub(crate) fn checked_default(
    graph: &Graph,
    ty: TypeId,
    default: &Value,
    path: &str,
) -> Result<Vec<u8>, FeedError> {
    let bytes = encode_default(graph, ty, default).map_err(|error| error.in_field(path))?;
    let options = AvroOptions::default();
    let mut resolver = Resolver::new(graph, graph, &options);
    if let Ok(column) = resolver.resolve(ty, ty, &Projection::All) {
        let (skips, _) = resolver.finish();
        check_default("schema", path, &column.node, &skips, &options.limits, &bytes)?;
    }
    Ok(bytes)
}
