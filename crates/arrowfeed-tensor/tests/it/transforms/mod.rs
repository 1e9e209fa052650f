//! A tensor of transformed values is the tensor of a column that has these values.

mod any;
mod messages;
mod oracle;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Fields};
use arrowfeed_tensor::feature::{self, Feature, RowDefault};
use arrowfeed_tensor::{
    AdapterOptions, DefaultValue, Dense, InnerNulls, Representation, Tensor, TensorAdapter, Transform,
    VarLenRagged, VarLenSparse,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::json as rows;
use oracle::{result_type, transformed};

/// The values inside lists, each replaced by its result.
fn mapped(value: &Value, depth: usize, result: &impl Fn(&Value) -> Value) -> Value {
    match (value, depth) {
        (Value::Null, _) => Value::Null,
        (value, 0) => result(value),
        (value, _) => value.as_array().unwrap().iter().map(|item| mapped(item, depth - 1, result)).collect(),
    }
}

fn batch(columns: &[(&str, DataType, &[Value])]) -> RecordBatch {
    let fields: Fields = columns.iter().map(|(name, of, _)| Field::new(*name, of.clone(), true)).collect();
    let row =
        |i: usize| columns.iter().map(|(name, _, values)| ((*name).to_owned(), values[i].clone())).collect();
    let objects: Vec<Value> = (0..columns[0].2.len()).map(row).collect();
    rows::batch(&fields, &objects)
}

/// Default values that integers and floats have.
fn default(of: &DataType) -> DefaultValue {
    if of.is_floating() { DefaultValue::Float(7.0) } else { DefaultValue::Int(7) }
}

fn representations(of: &DataType, depth: usize, transforms: &[Transform]) -> Vec<Representation> {
    let (column, transforms) = ("x".to_owned(), transforms.to_vec());
    let (default, pad) = (Some(default(of)), depth == 1);
    let shape = if depth == 0 { vec![] } else { vec![3; depth] };
    vec![
        Representation::Dense(Dense {
            column: column.clone(),
            shape,
            default,
            pad,
            transforms: transforms.clone(),
            ..Dense::default()
        }),
        Representation::VarLenSparse(VarLenSparse { column: column.clone(), transforms: transforms.clone() }),
        Representation::VarLenRagged(VarLenRagged { column, transforms, ..VarLenRagged::default() }),
    ]
}

fn features(of: &DataType, depth: usize, transforms: &[Transform]) -> Vec<Feature> {
    let (key, transforms) = (format!("x{}", "[*]".repeat(depth)), transforms.to_vec());
    let scalar = Some(default(of));
    let mut features = vec![
        Feature::Dense(feature::Dense {
            key: key.clone(),
            shape: vec![2; depth],
            default: scalar.clone().map(RowDefault::Scalar),
            truncate: true,
            transforms: transforms.clone(),
            ..feature::Dense::default()
        }),
        Feature::VarLen(feature::VarLen {
            key: key.clone(),
            transforms: transforms.clone(),
            ..feature::VarLen::default()
        }),
        Feature::Ragged(feature::Ragged {
            key: key.clone(),
            transforms: transforms.clone(),
            ..feature::Ragged::default()
        }),
    ];
    if depth > 0 {
        features.push(Feature::FixedLenSequence(feature::FixedLenSequence {
            key,
            shape: vec![None; depth - 1],
            default: scalar,
            transforms,
            ..feature::FixedLenSequence::default()
        }));
    }
    features
}

type Outcome = Result<Tensor, String>;

fn outcome(
    adapter: Result<TensorAdapter, arrowfeed_tensor::RepresentationError>,
    batch: &RecordBatch,
) -> Outcome {
    let adapter = adapter.map_err(|error| error.to_string())?;
    let (_, tensor) = adapter.convert(batch).map_err(|error| error.to_string())?.into_iter().next().unwrap();
    Ok(tensor)
}

/// The tensors of all definitions of a column `x`, of which every other batch is a slice.
fn outcomes(batch: &RecordBatch, of: &DataType, depth: usize, transforms: &[Transform]) -> Vec<Outcome> {
    let options = AdapterOptions { inner_nulls: InnerNulls::Fill, ..AdapterOptions::default() };
    let slice = batch.slice(batch.num_rows() / 3, batch.num_rows() / 2);
    let of_representation = |representation: Representation| {
        let adapter = TensorAdapter::with_options(batch.schema(), [("t", representation)], options);
        [outcome(adapter.clone(), batch), outcome(adapter, &slice)]
    };
    let of_feature = |feature: Feature| {
        let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]);
        [outcome(adapter.clone(), batch), outcome(adapter, &slice)]
    };
    let representations = representations(of, depth, transforms).into_iter().flat_map(of_representation);
    representations.chain(features(of, depth, transforms).into_iter().flat_map(of_feature)).collect()
}

#[derive(Debug, Clone)]
struct Case {
    leaf: DataType,
    layouts: Vec<u8>,
    rows: Vec<Value>,
    transforms: Vec<Transform>,
}

fn case() -> impl Strategy<Value = Case> {
    (any::leaf(), prop::collection::vec(0..3_u8, 0..3)).prop_flat_map(|(leaf, layouts)| {
        let rows = prop::collection::vec(any::nested(&leaf, layouts.len()), 0..12);
        (Just(leaf.clone()), Just(layouts), rows, any::transforms(&leaf))
            .prop_map(|(leaf, layouts, rows, transforms)| Case { leaf, layouts, rows, transforms })
    })
}

/// Two columns of one nesting, each with values of its own type.
fn pair() -> impl Strategy<Value = (Case, DataType, Vec<Value>)> {
    let leaf = || any::leaf().prop_filter("a hash", |leaf| !leaf.is_floating());
    (leaf(), leaf(), prop::collection::vec(0..3_u8, 0..3)).prop_flat_map(|(first, second, layouts)| {
        let depth = layouts.len();
        let rows = prop::collection::vec((any::nested(&first, depth), any::nested(&second, 0)), 0..12);
        let others = any::nested(&second, 0);
        let crossed = (prop::option::of(any::<u64>()), 1..1000_u64).prop_map(|(seed, buckets)| {
            let seed = seed.unwrap_or(Transform::CROSS_SEED);
            vec![Transform::Crossed { with: vec!["y".to_owned()], buckets, seed }]
        });
        (Just((first, second, layouts)), rows, prop::collection::vec(others, 64), crossed).prop_map(
            |((leaf, second, layouts), rows, others, transforms)| {
                let (mut first, mut with) = (Vec::new(), Vec::new());
                let others = std::cell::RefCell::new(others.into_iter().cycle());
                for (own, _) in rows {
                    with.push(beside(&own, layouts.len(), &others));
                    first.push(own);
                }
                (Case { leaf, layouts, rows: first, transforms }, second, with)
            },
        )
    })
}

/// Lists of the same lengths with other values. A null list may be an empty one.
fn beside(value: &Value, depth: usize, others: &std::cell::RefCell<impl Iterator<Item = Value>>) -> Value {
    match value {
        _ if depth == 0 => others.borrow_mut().next().unwrap(),
        Value::Array(items) => items.iter().map(|item| beside(item, depth - 1, others)).collect(),
        null => match others.borrow_mut().next() {
            Some(Value::Null) => json!([]),
            _ => null.clone(),
        },
    }
}

/// The pairs of values of two columns, null if one of them is.
fn crossed(first: &Value, second: &Value, depth: usize) -> Value {
    match (first, second) {
        (Value::Null, _) | (_, Value::Null) => Value::Null,
        (first, second) if depth == 0 => json!([first, second]),
        (first, second) => {
            let pairs = first.as_array().unwrap().iter().zip(second.as_array().unwrap());
            pairs.map(|(first, second)| crossed(first, second, depth - 1)).collect()
        }
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(200))]

    #[test]
    fn transformed_values_are_those_of_the_oracle(case in case()) {
        let depth = case.layouts.len();
        let input = batch(&[("x", any::lists(case.leaf.clone(), &case.layouts), &case.rows)]);
        let (mut expected, mut of) = (case.rows, case.leaf);
        for transform in &case.transforms {
            expected = expected.iter().map(|row| mapped(row, depth, &|one| transformed(transform, one, &of))).collect();
            of = result_type(transform, &of);
        }
        let expected = batch(&[("x", any::lists(of.clone(), &case.layouts), &expected)]);
        let found = outcomes(&input, &of, depth, &case.transforms);
        prop_assert_eq!(found, outcomes(&expected, &of, depth, &[]));
    }

    #[test]
    fn crossed_values_are_those_of_the_oracle((case, second, with) in pair()) {
        let depth = case.layouts.len();
        let turned: Vec<u8> = case.layouts.iter().map(|layout| layout + 1).collect();
        let input = batch(&[
            ("x", any::lists(case.leaf, &case.layouts), &case.rows),
            ("y", any::lists(second, &turned), &with),
        ]);
        let pairs = case.rows.iter().zip(&with).map(|(first, second)| crossed(first, second, depth));
        let hashed = |one: &Value| transformed(&case.transforms[0], one, &DataType::Null);
        let expected: Vec<Value> = pairs.map(|row| mapped(&row, depth, &hashed)).collect();
        let layouts: Vec<u8> = vec![1; depth];
        let expected = batch(&[("x", any::lists(DataType::Int64, &layouts), &expected)]);
        let found = outcomes(&input, &DataType::Int64, depth, &case.transforms);
        prop_assert_eq!(found, outcomes(&expected, &DataType::Int64, depth, &[]));
    }

    #[test]
    fn a_transform_comes_back_from_its_message(case in case()) {
        for transform in &case.transforms {
            prop_assert_eq!(&Transform::from_proto(&transform.to_proto()).unwrap(), transform);
        }
        for representation in representations(&DataType::Int64, 1, &case.transforms) {
            let bytes = representation.to_proto();
            prop_assert_eq!(Representation::from_proto(&bytes).unwrap(), representation);
        }
    }
}
