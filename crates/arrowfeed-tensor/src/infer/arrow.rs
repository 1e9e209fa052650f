//! Representations derived from an Arrow schema.

use std::collections::HashSet;

use arrow_schema::{DataType, Field, Schema};

use super::Representations;
use crate::column_path::ColumnPath;
use crate::dtype::DType;
use crate::lists;
use crate::representation::{Dense, Ragged, Representation, VarLenSparse};
use crate::row_splits::SplitsDType;

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
    let mut out = Representations::new();
    let mut seen = HashSet::new();
    for field in schema.fields() {
        let mut found = Representations::new();
        infer(field, ColumnPath::from(field.name().as_str()), 0, &mut found);
        let hidden = |name: &str| name != field.name() && schema.fields().find(name).is_some();
        out.extend(found.into_iter().filter(|(name, _)| !hidden(name) && seen.insert(name.clone())));
    }
    out
}

/// Adds the representations of a field. `outer` is the number of lists around it.
fn infer(field: &Field, path: ColumnPath, outer: usize, out: &mut Representations) {
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
        return fields.iter().for_each(|child| infer(child, path.child(child.name()), outer, out));
    }
    if DType::of(field.data_type()).is_none() {
        return;
    }
    let name = path.to_string();
    let shape: Option<Vec<usize>> = sizes.iter().copied().collect();
    let representation = match (outer, shape, sizes.len()) {
        (0, Some(shape), _) => {
            Representation::Dense(Dense { column: name.clone(), shape, ..Dense::default() })
        }
        (0, None, 1) => Representation::VarLenSparse(VarLenSparse { column: name.clone() }),
        _ => {
            let (partitions, row_splits_dtype) = (Vec::new(), SplitsDType::Int64);
            Representation::Ragged(Ragged { path, partitions, row_splits_dtype })
        }
    };
    out.push((name, representation));
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
}
