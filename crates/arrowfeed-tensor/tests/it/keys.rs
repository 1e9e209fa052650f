//! The cases of `tests/cases/keys`: key expressions and features over them, with data and expected results.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::{Array, Int32Array, UInt32Array};
use arrowfeed_tensor::feature::{
    Casts, Dense, Feature, FixedLenSequence, Ragged, RowDefault, Sparse, VarLen,
};
use arrowfeed_tensor::{
    DType, DefaultValue, Duplicates, ExpressionPlan, KeyExpression, Tensor, TensorAdapter,
};
use serde_json::{Value, json};
use toml::Table;

use crate::support::nested::rows_of;
use crate::support::{self, json, types};

struct Corpus {
    file: &'static str,
    batch: RecordBatch,
    table: Table,
}

fn corpus(file: &'static str) -> Corpus {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/keys").join(file);
    let table: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let rows: Value = serde_json::from_str(table["rows"].as_str().unwrap()).unwrap();
    let fields = types::fields(table["schema"].as_str().unwrap());
    Corpus { file, batch: json::batch(&fields, rows.as_array().unwrap()), table }
}

fn cases(corpus: &Corpus, kind: &str) -> Vec<Table> {
    let cases = corpus.table.get(kind).map(|cases| cases.as_array().unwrap().clone()).unwrap_or_default();
    cases.into_iter().map(|case| case.as_table().unwrap().clone()).collect()
}

fn parsed(case: &Table, key: &str) -> Value {
    serde_json::from_str(case[key].as_str().unwrap()).unwrap()
}

fn texts(case: &Table, key: &str) -> Option<Vec<String>> {
    let texts = case.get(key)?.as_array().unwrap().iter();
    Some(texts.map(|text| text.as_str().unwrap().to_owned()).collect())
}

fn plan(batch: &RecordBatch, key: &str) -> Result<ExpressionPlan, String> {
    let key = KeyExpression::parse(key).map_err(|error| error.to_string())?;
    ExpressionPlan::try_new(batch.schema(), &key).map_err(|error| error.to_string())
}

fn key_case(corpus: &Corpus, case: &Table) {
    let text = case["key"].as_str().unwrap();
    let plan = plan(&corpus.batch, text);
    if let Some(message) = case.get("refused") {
        assert_eq!(plan.unwrap_err(), message.as_str().unwrap());
        return;
    }
    let plan = plan.unwrap();
    assert_eq!(plan.rank() as i64, case["rank"].as_integer().unwrap());
    if let Some(columns) = texts(case, "columns") {
        let found: Vec<String> = plan.columns().iter().map(ToString::to_string).collect();
        assert_eq!(found, columns);
    }
    let expected = parsed(case, "values");
    assert_eq!(rows_of(&plan.evaluate(&corpus.batch).unwrap()), expected);
    // Rows are independent: a key selects the same values from them in any slice.
    for start in 0..corpus.batch.num_rows() {
        for length in 0..=corpus.batch.num_rows() - start {
            let found = rows_of(&plan.evaluate(&corpus.batch.slice(start, length)).unwrap());
            assert_eq!(found, json!(expected.as_array().unwrap()[start..start + length]));
        }
    }
}

/// Runs a case, and names it if it fails.
fn run(corpus: &Corpus, case: &Table, name: &str, check: fn(&Corpus, &Table)) {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(corpus, case)));
    assert!(done.is_ok(), "{}: {}", corpus.file, case[name]);
}

#[test]
fn keys_select_the_values_of_the_cases() {
    for corpus in [corpus("person.toml"), corpus("steps.toml")] {
        let cases = cases(&corpus, "key");
        assert!(!cases.is_empty());
        for case in &cases {
            run(&corpus, case, "key", key_case);
        }
    }
}

fn default_value(value: &toml::Value) -> DefaultValue {
    match value {
        toml::Value::Integer(value) => DefaultValue::Int(*value),
        toml::Value::Float(value) => DefaultValue::Float(*value),
        toml::Value::Boolean(value) => DefaultValue::Int(i64::from(*value)),
        other => DefaultValue::Bytes(other.as_str().unwrap().into()),
    }
}

/// Collects the shape and the values of a nested default.
fn default_row(value: &toml::Value, shape: &mut Vec<usize>, level: usize, values: &mut Vec<DefaultValue>) {
    match value.as_array() {
        None => values.push(default_value(value)),
        Some(items) => {
            if shape.len() == level {
                shape.push(items.len());
            }
            items.iter().for_each(|item| default_row(item, shape, level + 1, values));
        }
    }
}

fn default(value: &toml::Value) -> RowDefault {
    if !value.is_array() {
        return RowDefault::Scalar(default_value(value));
    }
    let (mut shape, mut values) = (Vec::new(), Vec::new());
    default_row(value, &mut shape, 0, &mut values);
    RowDefault::Row { shape, values }
}

fn dtype(name: &str) -> DType {
    match name {
        "bytes" => DType::Bytes,
        "bool" => DType::Bool,
        "int32" => DType::Int32,
        "int64" => DType::Int64,
        "float32" => DType::Float32,
        "float64" => DType::Float64,
        other => panic!("{other}"),
    }
}

fn feature(case: &Table) -> Feature {
    let (kind, table) =
        case.iter().find_map(|(kind, value)| Some((kind.as_str(), value.as_table()?))).unwrap();
    let key = table["key"].as_str().unwrap().to_owned();
    let dtype = table.get("dtype").map(|name| dtype(name.as_str().unwrap()));
    let flag = |name: &str| table.get(name).is_some_and(|flag| flag.as_bool().unwrap());
    let casts = if flag("lossy") { Casts::Lossy } else { Casts::Exact };
    let truncate = flag("truncate");
    let numbers = |name: &str| {
        let numbers = table[name].as_array().unwrap().iter();
        numbers
            .map(|number| usize::try_from(number.as_integer().unwrap()).ok())
            .collect::<Vec<Option<usize>>>()
    };
    let fixed = |name: &str| numbers(name).into_iter().map(Option::unwrap).collect();
    match kind {
        "dense" => Feature::Dense(Dense {
            key,
            shape: fixed("shape"),
            dtype,
            casts,
            default: table.get("default").map(default),
            truncate,
            ..Dense::default()
        }),
        "sequence" => {
            let default = table.get("default").map(default_value);
            Feature::FixedLenSequence(FixedLenSequence {
                key,
                shape: numbers("shape"),
                dtype,
                casts,
                default,
                truncate,
                ..FixedLenSequence::default()
            })
        }
        "varlen" => {
            let shape = table.get("shape").map(|_| numbers("shape"));
            Feature::VarLen(VarLen { key, shape, dtype, casts, truncate, ..VarLen::default() })
        }
        "ragged" => {
            let inner_shape = table.get("inner_shape").map_or(Vec::new(), |_| fixed("inner_shape"));
            Feature::Ragged(Ragged { key, inner_shape, dtype, casts, ..Ragged::default() })
        }
        "sparse" => Feature::Sparse(Sparse {
            key,
            index_keys: texts(table, "index").unwrap(),
            value_key: table["value"].as_str().unwrap().to_owned(),
            size: numbers("size"),
            dtype,
            casts,
            already_sorted: flag("already_sorted"),
            duplicates: match table.get("duplicates").map(|word| word.as_str().unwrap()) {
                None | Some("keep") => Duplicates::Keep,
                Some("error") => Duplicates::Error,
                Some(other) => panic!("{other}"),
            },
            ..Sparse::default()
        }),
        other => panic!("{other}"),
    }
}

/// The rows of the corpus that a case names, or the whole corpus.
fn rows(corpus: &Corpus, case: &Table) -> RecordBatch {
    let Some(rows) = case.get("rows") else { return corpus.batch.clone() };
    let rows: Vec<u32> =
        rows.as_array().unwrap().iter().map(|row| row.as_integer().unwrap() as u32).collect();
    arrow_select::take::take_record_batch(&corpus.batch, &UInt32Array::from(rows)).unwrap()
}

fn values(array: &arrow_array::ArrayRef) -> Value {
    (0..array.len()).map(|i| json::value(array, i)).collect()
}

fn feature_case(corpus: &Corpus, case: &Table) {
    let batch = rows(corpus, case);
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature(case))]);
    if let Some(message) = case.get("refused") {
        let message = format!("tensor \"t\", {}", message.as_str().unwrap());
        return assert_eq!(adapter.unwrap_err().to_string(), message);
    }
    let adapter = adapter.unwrap();
    if let Some(columns) = texts(case, "columns") {
        assert_eq!(adapter.column_paths().iter().map(ToString::to_string).collect::<Vec<_>>(), columns);
    }
    let found = adapter.convert(&batch);
    if let Some(message) = case.get("error") {
        let message = format!("tensor \"t\", {}", message.as_str().unwrap());
        return assert_eq!(found.unwrap_err().to_string(), message);
    }
    assert_eq!(adapter.specs()[0].1.to_string(), case["spec"].as_str().unwrap());
    let tensor = found.unwrap().into_iter().next().unwrap().1;
    let shape = || case["shape"].as_array().unwrap().iter().map(|size| size.as_integer().unwrap());
    match &tensor {
        Tensor::Dense(dense) => {
            assert_eq!(dense.shape(), shape().map(|size| size as usize).collect::<Vec<_>>());
            assert_eq!(values(dense.values().array()), parsed(case, "values"));
        }
        Tensor::Sparse(sparse) => {
            assert_eq!(sparse.dense_shape(), shape().collect::<Vec<_>>());
            let indices: Value = sparse.indices().chunks(sparse.rank()).map(|index| json!(index)).collect();
            assert_eq!(indices, parsed(case, "indices"));
            assert_eq!(values(sparse.values().array()), parsed(case, "values"));
        }
        Tensor::Ragged(ragged) => {
            let splits = ragged.row_splits().iter().map(|splits| json!(splits.iter().collect::<Vec<_>>()));
            assert_eq!(splits.collect::<Value>(), parsed(case, "row_splits"));
            assert_eq!(values(ragged.flat_values().values().array()), parsed(case, "values"));
        }
        Tensor::Structured(_) => panic!("no feature is structured"),
    }
}

#[test]
fn features_make_the_tensors_of_the_cases() {
    for corpus in [corpus("person.toml"), corpus("steps.toml"), corpus("features.toml")] {
        for case in &cases(&corpus, "feature") {
            run(&corpus, case, "name", feature_case);
        }
    }
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let plan = plan(&corpus("steps.toml").batch, "id").unwrap();
    let column: arrow_array::ArrayRef = std::sync::Arc::new(Int32Array::from(vec![1]));
    let message = plan.evaluate(&support::batch(vec![("other", column)])).unwrap_err().to_string();
    assert_eq!(message, r#"key "id", column "id": expected Int32 in column 0, found the column "other""#);
}
