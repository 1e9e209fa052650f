//! Law: a projection to the columns of a plan keeps everything that the plan reads.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrowfeed_tensor::{ExpressionPlan, KeyExpression};
use proptest::prelude::*;
use serde_json::Value;

use super::any::{self, Random};
use super::config;
use crate::support::{json as trees, nested};

/// Projects the fields to these paths as a reader does, in the order of first mention.
fn fields_of(fields: &Fields, paths: &[&[String]]) -> Fields {
    let mut names: Vec<&String> = Vec::new();
    for path in paths {
        if !names.contains(&&path[0]) {
            names.push(&path[0]);
        }
    }
    let projected = names.into_iter().map(|name| {
        let (_, field) = fields.find(name).expect("a field of the name");
        let below: Vec<&[String]> =
            paths.iter().filter(|path| path[0] == *name).map(|path| &path[1..]).collect();
        if below.iter().any(|path| path.is_empty()) { field.clone() } else { inside(field, &below) }
    });
    projected.collect()
}

fn inside(field: &FieldRef, paths: &[&[String]]) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields_of(fields, paths)),
        DataType::List(items) => DataType::List(inside(items, paths)),
        DataType::LargeList(items) => DataType::LargeList(inside(items, paths)),
        DataType::ListView(items) => DataType::ListView(inside(items, paths)),
        DataType::FixedSizeList(items, size) => DataType::FixedSizeList(inside(items, paths), *size),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(entry) = entries.data_type() else { panic!("no entries") };
            let entry = Fields::from(vec![entry[0].clone(), inside(&entry[1], paths)]);
            let entries = Field::new(entries.name(), DataType::Struct(entry), entries.is_nullable());
            DataType::Map(Arc::new(entries), *sorted)
        }
        other => panic!("no path goes into {other}"),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn a_plan_needs_its_columns_and_nothing_else(seed: u64) {
        let mut random = Random::new(seed);
        let fields = any::fields(&mut random, 4);
        let rows: Vec<Value> = (0..random.below(6)).map(|_| any::record(&fields, &mut random)).collect();
        let batch = trees::batch(&fields, &rows);
        for _ in 0..4 {
            let key = KeyExpression::parse(&any::text(&any::key(&fields, &mut random).steps)).unwrap();
            let Ok(plan) = ExpressionPlan::try_new(batch.schema(), &key) else { continue };
            let paths: Vec<&[String]> = plan.columns().iter().map(|column| column.steps()).collect();
            let projected = trees::batch(&fields_of(&fields, &paths), &rows);
            let again = ExpressionPlan::try_new(projected.schema(), &key).unwrap();
            let expected = nested::rows_of(&plan.evaluate(&batch).unwrap());
            prop_assert_eq!(nested::rows_of(&again.evaluate(&projected).unwrap()), expected, "{}", key);
            prop_assert_eq!(again.columns(), plan.columns());
        }
    }
}
