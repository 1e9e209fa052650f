//! Representations derived from an Arrow schema.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

use arrow_schema::{DataType, Field, Schema};

use super::Representations;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::lists;
use crate::representation::{Dense, Ragged, Representation, VarLenSparse};

/// Derives a representation for each column from its type, in the order of the schema.
///
/// | column | representation |
/// |---|---|
/// | a value | [`Dense`] of shape `[]` |
/// | fixed-size lists of values, of any depth | [`Dense`] of their sizes |
/// | one list of values | [`VarLenSparse`] |
/// | lists of lists of values | [`Ragged`] |
/// | a struct | each field separately, named `struct.field`, by these rules |
/// | lists of structs, maps | [`Ragged`] for each field separately, named `list.field` |
/// | other types: null, decimal, interval, union | none |
///
/// The representations depend only on the schema, not on data. If a column has the name that a field would have, the field
/// is left out.
///
/// ```
/// use arrow_schema::{DataType, Field, Schema};
/// use arrowfeed_tensor::{Dense, Representation, infer_representations};
///
/// let item = Field::new_list_field(DataType::Float32, true);
/// let pixels = Field::new("pixels", DataType::FixedSizeList(item.into(), 784), true);
/// let [(name, representation)] = &infer_representations(&Schema::new(vec![pixels]))[..] else { panic!() };
/// let expected = Dense { column: "pixels".to_owned(), shape: vec![784], ..Dense::default() };
/// assert_eq!((name.as_str(), representation), ("pixels", &Representation::Dense(expected)));
/// ```
pub fn infer_representations(schema: &Schema) -> Representations {
    Inferred::from_schema(schema).representations
}

/// The result of [`infer_representations`], and the fields that it leaves out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inferred {
    /// The representations, in the order of the schema.
    pub representations: Representations,
    /// The name of each field without a representation, and the reason, in the order of the schema.
    pub left_out: Vec<(String, LeftOut)>,
}

/// The reason why a field has no representation.
///
/// [`infer_representations`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// No tensor has values of this type.
    Type(DataType),
    /// Another column or an earlier field has the same name.
    Name,
    /// A struct without fields.
    Empty,
}

impl Display for LeftOut {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(found) => write!(f, "no tensor has values of type {found}"),
            Self::Name => f.write_str("the name is used more than once"),
            Self::Empty => f.write_str("the struct has no fields"),
        }
    }
}

impl Inferred {
    /// Derives representations by the rules of [`infer_representations`].
    pub fn from_schema(schema: &Schema) -> Self {
        let mut out = Self::default();
        let columns: HashSet<&String> = schema.fields().iter().map(|field| field.name()).collect();
        let mut seen = HashSet::new();
        for field in schema.fields() {
            let mut found = Self::default();
            infer(field, ColumnPath::from(field.name().as_str()), 0, &mut found);
            let hidden = |name: &String| name != field.name() && columns.contains(name);
            out.left_out.append(&mut found.left_out);
            for (name, representation) in found.representations {
                if !hidden(&name) && seen.insert(name.clone()) {
                    out.representations.push((name, representation));
                } else {
                    out.left_out.push((name, LeftOut::Name));
                }
            }
        }
        out
    }
}

/// Adds the representations of a field. `outer` is the number of lists around it.
fn infer(field: &Field, path: ColumnPath, outer: usize, out: &mut Inferred) {
    let mut field = field;
    let mut sizes = Vec::new();
    while let Some(items) = lists::items(field.data_type()) {
        sizes.push(match field.data_type() {
            DataType::FixedSizeList(_, size) => usize::try_from(*size).ok(),
            _ => None,
        });
        field = items;
    }
    if let DataType::Struct(fields) = field.data_type() {
        let outer = outer + sizes.len();
        if fields.is_empty() {
            out.left_out.push((path.to_string(), LeftOut::Empty));
        }
        return fields.iter().for_each(|child| infer(child, path.child(child.name()), outer, out));
    }
    let name = path.to_string();
    if DType::of(field.data_type()).is_none() {
        out.left_out.push((name, LeftOut::Type(field.data_type().clone())));
        return;
    }
    let shape: Option<Vec<usize>> = sizes.iter().copied().collect();
    let representation = match (outer, shape, sizes.len()) {
        (0, Some(shape), _) => {
            Representation::Dense(Dense { column: name.clone(), shape, ..Dense::default() })
        }
        (0, None, 1) => {
            Representation::VarLenSparse(VarLenSparse { column: name.clone(), ..Default::default() })
        }
        _ => Representation::Ragged(Ragged { path, ..Ragged::default() }),
    };
    out.representations.push((name, representation));
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Fields, Schema};

    use super::*;

    fn list(of: DataType) -> DataType {
        DataType::List(Field::new_list_field(of, true).into())
    }

    fn inferred(fields: Vec<Field>) -> Vec<String> {
        let schema = Schema::new(fields);
        let found = infer_representations(&schema);
        let adapter =
            crate::TensorAdapter::try_new(schema.into(), found.iter().map(|(name, it)| (name.as_str(), it)));
        let adapter = adapter.expect("what is inferred fits");
        adapter.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect()
    }

    #[test]
    fn every_type_that_a_tensor_can_hold_has_its_kind() {
        let fixed = |of, size| DataType::FixedSizeList(Field::new_list_field(of, true).into(), size);
        let inner = Fields::from(vec![
            Field::new("id", DataType::Int32, true),
            Field::new("tags", list(DataType::Utf8), true),
        ]);
        let found = inferred(vec![
            Field::new("plain", DataType::Int64, true),
            Field::new("image", fixed(fixed(DataType::UInt8, 3), 2), true),
            Field::new("list", list(DataType::Float32), true),
            Field::new("nested", list(list(DataType::Float32)), true),
            Field::new("vectors", list(fixed(DataType::Float16, 4)), true),
            Field::new("user", DataType::Struct(inner.clone()), true),
            Field::new("friends", list(DataType::Struct(inner)), true),
            Field::new("nothing", DataType::Null, true),
        ]);
        let expected = [
            "plain: dense int64 [?]",
            "image: dense uint8 [?, 2, 3]",
            "list: sparse float32 [?, ?]",
            "nested: ragged float32 [?, ?, ?] (row splits int64)",
            "vectors: ragged float16 [?, ?, 4] (row splits int64)",
            "user.id: dense int32 [?]",
            "user.tags: sparse bytes [?, ?]",
            "friends.id: ragged int32 [?, ?] (row splits int64)",
            "friends.tags: ragged bytes [?, ?, ?] (row splits int64)",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_column_goes_before_a_field_of_the_same_name() {
        let inner = Fields::from(vec![Field::new("b", DataType::Int32, true)]);
        let found = inferred(vec![
            Field::new("a", DataType::Struct(inner), true),
            Field::new("a.b", DataType::Float32, true),
        ]);
        assert_eq!(found, ["a.b: dense float32 [?]"]);
    }

    #[test]
    fn fields_without_a_representation_have_a_reason() {
        let inner = Fields::from(vec![
            Field::new("b", DataType::Int32, true),
            Field::new("none", DataType::Struct(Fields::empty()), true),
        ]);
        let schema = Schema::new(vec![
            Field::new("a", DataType::Struct(inner), true),
            Field::new("a.b", DataType::Float32, true),
            Field::new("nothing", list(DataType::Null), true),
        ]);
        let left_out = Inferred::from_schema(&schema).left_out;
        let left_out: Vec<_> = left_out.iter().map(|(name, reason)| format!("{name}: {reason}")).collect();
        let expected = [
            "a.none: the struct has no fields",
            "a.b: the name is used more than once",
            "nothing: no tensor has values of type Null",
        ];
        assert_eq!(left_out, expected);
    }
}
