//! Representations that follow from a schema.
//!
//! | file | from |
//! |---|---|
//! | `arrow` | an Arrow schema |
//! | `tfmd` | a TensorFlow Metadata schema, by the rules of tfx_bsl |
//! | `project` | a TensorFlow Metadata schema and some of its tensors, to a smaller schema |

mod arrow;
mod project;
mod tfmd;

pub use arrow::infer_representations;
pub use project::project_tfmd_schema;
pub use tfmd::{
    SequenceValueTypes, ValueType, representations_from_tfmd, sequence_value_types_from_tfmd,
    value_types_from_tfmd,
};

use crate::representation::Representation;

/// Representations by the name of their tensor, in order.
pub type Representations = Vec<(String, Representation)>;
