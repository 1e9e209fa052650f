//! Parses any text as a predicate. Expects an error, or a canonical text that is its own canonical text and has the same result
//! for a batch with columns of several types.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int64Array, ListArray,
    RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrowfeed_predicate::{Lists, Predicate};

use crate::input::decoded;

/// Columns with one letter, each with a null.
fn batch() -> RecordBatch {
    let dictionary: DictionaryArray<Int8Type> = [Some("de"), None, Some("fr")].into_iter().collect();
    let integers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(i64::MAX)]));
    let lists = [Some(vec![Some(1)]), None, Some(vec![Some(1), Some(2)])];
    RecordBatch::try_from_iter([
        ("i", integers.clone()),
        ("f", Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(-0.0)])) as ArrayRef),
        ("t", Arc::new(StringArray::from(vec![Some("a"), None, Some("2026-01-01")]))),
        ("d", Arc::new(Decimal128Array::from(vec![Some(150), None, Some(-1)]))),
        ("z", Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(1)]).with_timezone("UTC"))),
        ("b", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("e", Arc::new(dictionary)),
        ("l", Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>(lists))),
        ("s", Arc::new(StructArray::try_from(vec![("i", integers)]).expect("one field"))),
    ])
    .expect("columns of one length")
}

pub(crate) fn run(bytes: &[u8]) {
    let Some(text) = decoded::<&str>(bytes) else { return };
    let Ok(predicate) = Predicate::parse(text) else { return };
    let canonical = predicate.to_string();
    let again = Predicate::parse(&canonical).expect("a canonical text is a predicate");
    assert_eq!(again.to_string(), canonical);
    assert_eq!(again.columns(), predicate.columns());
    let batch = batch();
    for lists in [Lists::AreValues, Lists::HoldOneValue] {
        let result = |predicate: &Predicate| {
            let compiled = predicate.compile(&batch.schema(), lists)?;
            Ok((compiled.evaluate(&batch)?, compiled.keeps(&batch)?))
        };
        let message = |error: arrowfeed_predicate::PredicateError| error.to_string();
        assert_eq!(result(&again).map_err(message), result(&predicate).map_err(message));
    }
}

/// Predicates over the columns of [`batch`].
const SEEDS: [&str; 5] = [
    r#"i >= 18 and not (t is null or s.i in [1, -2.5e3]) or ['i'] != nan"#,
    r#"z < "2026-01-01T00:00:00.5Z" and d == 1.50 and list_length(l) > 1"#,
    r#"e starts with "d" and t not in ["\u0041"] and b"#,
    r#"f == -0.0 or f <= inf or t == x"00ff" or l = 1"#,
    r#"z == "2026-01-01" or t <> "PT1.5S" or z > "12:00""#,
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    SEEDS.map(Vec::from).into()
}
