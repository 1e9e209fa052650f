//! The codes of enums: keys where the dictionary is the list of symbols, and never codes of other dictionaries.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, LargeStringArray, ListArray, PrimitiveArray, RecordBatch, StringArray,
    StringViewArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{Field, Schema};
use arrowfeed_tensor::feature::{Casts, Dense, Feature, Ragged, RowDefault};
use arrowfeed_tensor::{DType, DefaultValue, TensorAdapter, Values};

const SYMBOLS: &str = r#"["a","b","c"]"#;

fn dictionary<K: ArrowDictionaryKeyType>(keys: Vec<Option<K::Native>>, values: ArrayRef) -> ArrayRef {
    Arc::new(DictionaryArray::new(keys.into_iter().collect::<PrimitiveArray<K>>(), values))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(values.iter().copied().collect::<StringArray>())
}

fn batch(column: ArrayRef, symbols: Option<&str>) -> RecordBatch {
    let metadata: HashMap<String, String> =
        symbols.iter().map(|symbols| ("avro.enum.symbols".to_owned(), (*symbols).to_owned())).collect();
    let field = Field::new("e", column.data_type().clone(), true).with_metadata(metadata);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
}

fn codes(dtype: DType) -> Feature {
    let default = Some(RowDefault::Scalar(DefaultValue::Int(9)));
    Feature::Dense(Dense { key: "e".to_owned(), dtype: Some(dtype), default, ..Dense::default() })
}

fn converted(batch: &RecordBatch, feature: Feature) -> Result<Values, String> {
    let adapter =
        TensorAdapter::from_features(batch.schema(), [("e", feature)]).map_err(|error| error.to_string())?;
    let tensor = adapter.convert(batch).map_err(|error| error.to_string())?.into_iter().next().unwrap().1;
    Ok(tensor.as_dense().unwrap().values().clone())
}

#[test]
fn symbols_become_their_indices_in_the_list_of_the_schema() {
    let keys = || vec![Some(2), None, Some(0), Some(1)];
    let same = ["a", "b", "c"].map(Some);
    let mixed = [Some("c"), Some("b"), Some("a")];
    for (values, expected) in [
        (texts(&same), [2, 9, 0, 1]),
        (Arc::new(same.iter().copied().collect::<LargeStringArray>()), [2, 9, 0, 1]),
        (Arc::new(same.iter().copied().collect::<StringViewArray>()), [2, 9, 0, 1]),
        // Another order, unused symbols, nulls among the values, and values that no row has.
        (texts(&mixed), [0, 9, 2, 1]),
        (texts(&[Some("b"), None, Some("c")]), [2, 9, 1, 9]),
        (texts(&[Some("b"), Some("b"), Some("a"), Some("z")]), [0, 9, 1, 1]),
        (texts(&[Some("a"), Some("b"), Some("c"), Some("a")]), [2, 9, 0, 1]),
    ] {
        let whole = batch(dictionary::<Int32Type>(keys(), values), Some(SYMBOLS));
        let found = converted(&whole, codes(DType::Int32)).unwrap();
        assert_eq!(found.as_i32(), Some(&expected[..]));
        let wide = converted(&whole, codes(DType::Int64)).unwrap();
        assert_eq!(wide.as_i64(), Some(&expected.map(i64::from)[..]));
        let part = converted(&whole.slice(1, 2), codes(DType::UInt8)).unwrap();
        assert_eq!(part.dtype(), DType::UInt8);
        let part = part.as_primitive::<arrow_array::types::UInt8Type>().unwrap();
        assert_eq!(part[..], expected[1..3].iter().map(|code| *code as u8).collect::<Vec<_>>());
    }
}

#[test]
fn keys_of_the_type_are_shared() {
    let column = dictionary::<Int32Type>(vec![Some(1), Some(2)], texts(&["a", "b", "c"].map(Some)));
    let address = column.to_data().buffers()[0].as_ptr();
    let whole = batch(column, Some(SYMBOLS));
    let found = converted(&whole, codes(DType::Int32)).unwrap();
    assert_eq!(found.buffer().unwrap().as_ptr(), address);
    let report = |dtype| {
        TensorAdapter::from_features(whole.schema(), [("e", codes(dtype))]).unwrap().explain()[0].to_string()
    };
    assert_eq!(
        report(DType::Int32),
        "e: dense int32 [?]\n  values: shared, as the keys of an enum; copied where values of a row are missing and filled, or the \
         dictionary of a batch is not the list of symbols"
    );
    assert_eq!(
        report(DType::Int64),
        "e: dense int64 [?]\n  values: copied, symbols of an enum, converted to their codes"
    );
}

#[test]
fn lists_of_symbols_become_lists_of_codes() {
    let values = dictionary::<Int8Type>(vec![Some(1), Some(0), Some(1)], texts(&[Some("c"), Some("b")]));
    let item = Field::new("item", values.data_type().clone(), true)
        .with_metadata(HashMap::from([("avro.enum.symbols".to_owned(), SYMBOLS.to_owned())]));
    let lists = ListArray::new(Arc::new(item), OffsetBuffer::from_lengths([2, 0, 1]), values, None);
    let whole = batch(Arc::new(lists), None);
    let ragged = Ragged { key: "e[*]".to_owned(), dtype: Some(DType::Int16), ..Ragged::default() };
    let adapter = TensorAdapter::from_features(whole.schema(), [("e", Feature::Ragged(ragged))]).unwrap();
    let tensor = adapter.convert(&whole).unwrap().into_iter().next().unwrap().1;
    let found = tensor.as_ragged().unwrap().flat_values().values().clone();
    assert_eq!(found.as_primitive::<arrow_array::types::Int16Type>().unwrap()[..], [1, 2, 1]);
    let picked = Feature::Dense(Dense {
        key: "e[0]".to_owned(),
        dtype: Some(DType::Int64),
        default: Some(RowDefault::Scalar(DefaultValue::Int(-1))),
        ..Dense::default()
    });
    assert_eq!(converted(&whole, picked).unwrap().as_i64(), Some(&[1, -1, 1][..]));
}

#[test]
fn a_dictionary_that_is_not_of_the_enum_has_no_codes() {
    let column = || dictionary::<Int32Type>(vec![Some(0), None, Some(1)], texts(&[Some("a"), Some("z")]));
    let message = |symbols: Option<&str>, dtype, casts| {
        let feature =
            Feature::Dense(Dense { key: "e".to_owned(), dtype: Some(dtype), casts, ..Dense::default() });
        converted(&batch(column(), symbols), feature).unwrap_err()
    };
    let metadata =
        "key \"e\": expected the symbols of an enum in the field's metadata avro.enum.symbols, found";
    let many = serde_json::json!((0..129).map(|i| format!("s{i}")).collect::<Vec<_>>()).to_string();
    for (symbols, dtype, casts, expected) in [
        (None, DType::Int32, Casts::Exact, format!("{metadata} Dictionary(Int32, Utf8) without them")),
        (Some("{}"), DType::Int32, Casts::Lossy, format!("{metadata} the text \"{{}}\"")),
        (Some(r#"["a","a"]"#), DType::Int32, Casts::Lossy, format!("{metadata} a symbol twice")),
        (
            Some(&many),
            DType::Int8,
            Casts::Lossy,
            "key \"e\": expected a type that holds the codes of 129 symbols, found int8".to_owned(),
        ),
        (
            Some(SYMBOLS),
            DType::Int32,
            Casts::Refused,
            "key \"e\": expected values of int32, found Dictionary(Int32, Utf8), which is bytes".to_owned(),
        ),
        (
            Some(SYMBOLS),
            DType::Float32,
            Casts::Lossy,
            "key \"e\": expected values of float32, found Dictionary(Int32, Utf8), which is bytes".to_owned(),
        ),
        (
            Some(SYMBOLS),
            DType::Int32,
            Casts::Exact,
            "key \"e\", row 2: expected a symbol of the enum, one of [\"a\", \"b\", \"c\"], found \"z\""
                .to_owned(),
        ),
    ] {
        assert_eq!(message(symbols, dtype, casts), expected);
    }
    // Values of the dictionary that no valid row has do not matter.
    let first = batch(column(), Some(SYMBOLS)).slice(0, 2);
    assert_eq!(converted(&first, codes(DType::Int32)).unwrap().as_i32(), Some(&[0, 9][..]));
}
