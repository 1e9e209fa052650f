//! Arrays of texts: nulls, types with another layout, types without values, and long texts.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use arrowfeed_values::{holds_texts, of_texts};

#[test]
fn strings_bytes_dictionaries_and_runs_have_the_texts() {
    let texts = StringArray::from(vec![Some("a"), None, Some("a")]);
    let runs = |value| {
        let field = |name, data_type, nullable| Arc::new(Field::new(name, data_type, nullable));
        DataType::RunEndEncoded(field("run_ends", DataType::Int32, false), field("values", value, true))
    };
    let dictionary = |value| DataType::Dictionary(Box::new(DataType::Int8), Box::new(value));
    for data_type in [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        dictionary(DataType::Utf8),
        runs(DataType::Utf8),
    ] {
        let found = of_texts(&data_type, &texts).unwrap();
        assert_eq!((found.data_type(), found.len()), (&data_type, 3));
        assert_eq!(found.logical_null_count(), 1, "{data_type}");
    }
    let found = of_texts(&dictionary(DataType::Decimal128(3, 1)), &StringArray::from(vec!["1.5", "1.5"]));
    assert_eq!(found.unwrap().as_any_dictionary().values().len(), 1);
    let error = of_texts(&dictionary(DataType::Decimal128(3, 1)), &StringArray::from(vec!["1.55"]));
    assert_eq!(error.unwrap_err().to_string(), "Parser error: no value of Decimal128(3, 1)");
}

#[test]
fn other_types_have_no_texts() {
    for data_type in [
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::FixedSizeBinary(2),
        DataType::new_list(DataType::Int8, true),
        DataType::Timestamp(TimeUnit::Second, Some("+01:60".into())),
        DataType::Timestamp(TimeUnit::Second, Some("Nowhere".into())),
    ] {
        assert!(!holds_texts(&data_type), "{data_type}");
    }
    assert!(of_texts(&DataType::Null, &StringArray::new_null(2)).is_ok());
    assert!(of_texts(&DataType::Null, &StringArray::from(vec![""])).is_err());
}

#[test]
fn millions_of_digits_are_a_value_or_an_error() {
    const DIGITS: usize = 5_000_000;
    let texts = [
        ("9".repeat(DIGITS), false),
        ("0".repeat(DIGITS) + "1.5", true),
        ("1.5".to_owned() + &"0".repeat(DIGITS), true),
        ("0.".to_owned() + &"0".repeat(DIGITS) + "1", false),
        ("1".to_owned() + &"0".repeat(DIGITS) + "e-5000000", true),
        ("1e".to_owned() + &"9".repeat(DIGITS), false),
    ];
    for (text, is_value) in texts {
        let text = StringArray::from(vec![text]);
        for data_type in [DataType::Decimal128(30, 2), DataType::Decimal256(70, 2)] {
            assert_eq!(of_texts(&data_type, &text).is_ok(), is_value);
        }
        for data_type in [DataType::Int64, DataType::Date32, DataType::Time32(TimeUnit::Second)] {
            assert!(of_texts(&data_type, &text).is_err());
        }
    }
}
