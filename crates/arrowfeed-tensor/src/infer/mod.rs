//! Representations derived from a schema.
//!
//! | file | contents |
//! |---|---|
//! | `arrow` | representations from an Arrow schema |
//! | `tfmd` | representations from a TensorFlow Metadata schema, by the rules of tfx_bsl |
//! | `project` | projection of a TensorFlow Metadata schema to some of its tensors |

mod arrow;
mod project;
mod tfmd;

pub use arrow::{Inferred, LeftOut, infer_representations};
pub use project::project_tfmd_schema;
pub use tfmd::{
    SequenceValueTypes, ValueType, representations_from_tfmd, sequence_value_types_from_tfmd,
    value_types_from_tfmd,
};

use crate::representation::Representation;

/// Representations, each with the name of its tensor, in order.
pub type Representations = Vec<(String, Representation)>;
