//! Laws of key expressions, against a plain evaluator that works row by row on trees of values.

mod any;
mod cut;
mod oracle;
mod projection;
mod sparse;
mod texts;

use arrow_array::RecordBatch;
use arrow_schema::Fields;
use arrowfeed_tensor::feature::{Dense, Feature, Ragged, RowDefault, VarLen};
use arrowfeed_tensor::{DType, DefaultValue, ExpressionPlan, KeyExpression, Tensor, TensorAdapter};
use proptest::prelude::*;
use serde_json::Value;

use crate::random_config::config;
use crate::support::{self, json};

use any::{Key, Random};

/// A batch, which may be a slice of a longer one, and its rows as trees.
struct Case {
    fields: Fields,
    batch: RecordBatch,
    rows: Vec<Value>,
    random: Random,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let fields = any::fields(&mut random, 4);
    let rows: Vec<Value> = (0..random.below(12)).map(|_| any::record(&fields, &mut random)).collect();
    let start = random.below(rows.len() + 1);
    let length = random.below(rows.len() - start + 1);
    let (start, length) = if random.one_in(3) { (start, length) } else { (0, rows.len()) };
    let batch = json::batch(&fields, &rows).slice(start, length);
    Case { fields, batch, rows: rows[start..start + length].to_vec(), random }
}

impl Case {
    fn selected(&self, key: &Key) -> Vec<Value> {
        self.rows.iter().map(|row| oracle::select(row, &key.steps, row)).collect()
    }

    /// A random key of integers, if one of a few random keys has integers.
    fn integers(&mut self) -> Option<Key> {
        let mut keys = (0..30).map(|_| any::key(&self.fields, &mut self.random));
        keys.find(|key| DType::of(&key.data_type).is_some_and(DType::is_integer))
    }

    fn tensor(&self, feature: Feature) -> Result<Tensor, String> {
        let adapter = TensorAdapter::from_features(self.batch.schema(), [("t", feature)]).unwrap();
        Ok(adapter.convert(&self.batch).map_err(|error| error.to_string())?.into_iter().next().unwrap().1)
    }
}

fn numbers(tensor: &arrowfeed_tensor::Values) -> Vec<i64> {
    let array = tensor.array();
    (0..array.len()).map(|i| json::value(array, i).as_i64().unwrap()).collect()
}

/// The row that a message names.
fn row_of(message: &str) -> usize {
    let (_, after) = message.rsplit_once("row ").expect("a message with a row");
    after.split(':').next().unwrap().parse().unwrap()
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn a_plan_selects_what_the_plain_evaluator_does(seed: u64) {
        let mut case = case(seed);
        for _ in 0..6 {
            let key = any::key(&case.fields, &mut case.random);
            let text = any::text(&key.steps);
            let expression = KeyExpression::parse(&text).unwrap();
            prop_assert_eq!(&KeyExpression::parse(&expression.to_string()).unwrap(), &expression);
            let plan = ExpressionPlan::try_new(case.batch.schema(), &expression).unwrap();
            prop_assert_eq!((plan.rank(), plan.data_type()), (key.rank(), &key.data_type), "{}", text);
            let found = support::nested::rows_of(&plan.evaluate(&case.batch).unwrap());
            prop_assert_eq!(found, Value::from(case.selected(&key)), "{}", text);
        }
    }

    #[test]
    fn a_dense_feature_is_filled_place_by_place(seed: u64, defaulted: bool, whole_row: bool, truncate: bool) {
        let mut case = case(seed);
        let Some(key) = case.integers() else { return Ok(()) };
        let shape: Vec<usize> = (0..key.rank()).map(|_| case.random.below(4)).collect();
        let size: usize = shape.iter().product();
        let default: Vec<i64> = (0..size as i64).map(|i| if whole_row { 50 + i } else { 50 }).collect();
        let values = || default.iter().map(|value| DefaultValue::Int(*value)).collect();
        let given = if whole_row { RowDefault::Row { shape: shape.clone(), values: values() } } else { RowDefault::Scalar(DefaultValue::Int(50)) };
        let feature = Dense { key: any::text(&key.steps), shape: shape.clone(), default: defaulted.then_some(given), truncate, ..Dense::default() };
        let rows = case.selected(&key).into_iter().enumerate().map(|(row, value)| {
            let mut default = default.iter().map(|value| defaulted.then_some(*value));
            let value = if truncate { oracle::truncated(&value, &shape) } else { value };
            oracle::dense(&value, &shape, &mut default).ok_or(row)
        });
        match (case.tensor(Feature::Dense(feature)), rows.collect::<Result<Vec<_>, _>>()) {
            (Ok(tensor), Ok(rows)) => prop_assert_eq!(numbers(tensor.as_dense().unwrap().values()), rows.concat()),
            (Err(message), Err(row)) => prop_assert_eq!(row_of(&message), row, "{}", message),
            (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
        }
    }

    #[test]
    fn rows_of_any_length_are_coordinates_and_splits(seed: u64) {
        let mut case = case(seed);
        let Some(key) = case.integers() else { return Ok(()) };
        let mut entries = Vec::new();
        let rows = Value::from(case.selected(&key));
        oracle::coordinates(&rows, key.rank() + 1, &mut Vec::new(), &mut entries);
        if key.rank() == 0 {
            // Each row has one value or none.
            entries.retain(|(_, value)| !value.is_null());
            entries.iter_mut().for_each(|(at, _)| at.push(0));
        }
        let (text, dtype) = (any::text(&key.steps), DType::of(&key.data_type));
        let found = case.tensor(Feature::VarLen(VarLen { key: text.clone(), dtype, ..VarLen::default() }));
        let ragged = case.tensor(Feature::Ragged(Ragged { key: text, dtype, ..Ragged::default() }));
        match entries.iter().find(|(_, value)| value.is_null()) {
            Some((at, _)) => {
                prop_assert_eq!(row_of(&found.unwrap_err()) as i64, at[0]);
                prop_assert_eq!(row_of(&ragged.unwrap_err()) as i64, at[0]);
            }
            None => {
                let (found, ragged) = (found.unwrap(), ragged.unwrap());
                let found = found.as_sparse().unwrap();
                let indices: Vec<Vec<i64>> = found.indices().chunks(found.rank()).map(<[i64]>::to_vec).collect();
                let (at, values): (Vec<Vec<i64>>, Vec<Value>) = entries.into_iter().unzip();
                let values: Vec<i64> = values.iter().map(|value| value.as_i64().unwrap()).collect();
                prop_assert_eq!((indices, numbers(found.values())), (at, values.clone()));
                let ragged = ragged.as_ragged().unwrap();
                prop_assert_eq!(numbers(ragged.flat_values().values()), values);
                prop_assert_eq!(ragged.row_splits().len(), key.rank().max(1));
            }
        }
    }
}
