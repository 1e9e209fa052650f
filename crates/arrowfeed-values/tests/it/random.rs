//! Random texts, valid ones and ones with a few other characters, have the values of the oracle.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{DataType, TimeUnit};
use arrowfeed_values::of_texts;
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::oracle;
use crate::random_config::config;

/// The stored value of an array of one row.
fn stored(array: &ArrayRef) -> BigInt {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    macro_rules! value {
        ($type:ty) => {
            array.as_primitive::<$type>().value(0).into()
        };
    }
    match array.data_type() {
        DataType::Boolean => i32::from(array.as_boolean().value(0)).into(),
        DataType::Int8 => value!(Int8Type),
        DataType::Int32 => value!(Int32Type),
        DataType::Int64 => value!(Int64Type),
        DataType::UInt16 => value!(UInt16Type),
        DataType::UInt64 => value!(UInt64Type),
        DataType::Float64 => oracle::bits(array.as_primitive::<Float64Type>().value(0)),
        DataType::Decimal32(..) => value!(Decimal32Type),
        DataType::Decimal64(..) => value!(Decimal64Type),
        DataType::Decimal128(..) => value!(Decimal128Type),
        DataType::Decimal256(..) => {
            BigInt::from_signed_bytes_le(&array.as_primitive::<Decimal256Type>().value(0).to_le_bytes())
        }
        DataType::Date32 => value!(Date32Type),
        DataType::Date64 => value!(Date64Type),
        DataType::Time32(Second) => value!(Time32SecondType),
        DataType::Time32(_) => value!(Time32MillisecondType),
        DataType::Time64(Microsecond) => value!(Time64MicrosecondType),
        DataType::Time64(_) => value!(Time64NanosecondType),
        DataType::Timestamp(Second, _) => value!(TimestampSecondType),
        DataType::Timestamp(Millisecond, _) => value!(TimestampMillisecondType),
        DataType::Timestamp(Microsecond, _) => value!(TimestampMicrosecondType),
        DataType::Timestamp(Nanosecond, _) => value!(TimestampNanosecondType),
        DataType::Duration(_) => value!(DurationSecondType),
        other => panic!("{other} has no value"),
    }
}

fn found(data_type: &DataType, text: &str) -> Option<BigInt> {
    of_texts(data_type, &StringArray::from(vec![text])).ok().map(|array| stored(&array))
}

fn types() -> Vec<DataType> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let mut types = vec![
        DataType::Boolean,
        DataType::Int8,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt16,
        DataType::UInt64,
        DataType::Float64,
        DataType::Decimal32(9, 0),
        DataType::Decimal32(4, 2),
        DataType::Decimal64(18, 9),
        DataType::Decimal128(5, 2),
        DataType::Decimal128(38, 10),
        DataType::Decimal128(38, 38),
        DataType::Decimal128(6, -3),
        DataType::Decimal256(50, 2),
        DataType::Decimal256(76, 0),
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(Second),
        DataType::Time32(Millisecond),
        DataType::Time64(Microsecond),
        DataType::Time64(Nanosecond),
        DataType::Duration(Second),
    ];
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        types.extend([None, Some(Arc::from("UTC"))].map(|zone| DataType::Timestamp(unit, zone)));
    }
    types
}

/// Texts that are values of one of the types, or nearly are.
fn texts() -> impl Strategy<Value = String> {
    let date = "[0-9]{4}-(0?[1-9]|1[0-3])-(0?[1-9]|[12][0-9]|3[0-2])";
    let time = "([01]?[0-9]|2[0-5]):[0-6][0-9](:[0-6][0-9](\\.[0-9]{1,3}(000|[0-9]{3,8})?)?)?";
    let zone = "( ?(Z|[+-][0-2][0-9](:?[0-6][0-9])?))?";
    let float = "[+-]?[0-9]{0,17}(\\.[0-9]{0,17})?([eE][+-]?[0-9]{1,3})?";
    let patterns = [
        "[tT][rR][uU][eE]|[fF]alse|[tf10]|yes|no|on|off".to_owned(),
        "[ \t]?[+-]?[0-9]{1,5}[ \n]?".to_owned(),
        "[+-]?[0-9]{15,40}".to_owned(),
        float.to_owned(),
        "[+-]?(inf|nan|NaN|Infinity)".to_owned(),
        "[+-]?[0-9]{1,3}\\.[0-9]{1,3}".to_owned(),
        "[+-]?0{0,3}[0-9]{30,80}(\\.[0-9]{0,40}0{0,5})?".to_owned(),
        date.to_owned(),
        "[0-9]{8}".to_owned(),
        "[+-][0-9]{4,6}-[01]?[0-9]-[0-3]?[0-9]".to_owned(),
        time.to_owned(),
        "(0?[0-9]|1[0-3]):[0-5][0-9](:[0-5][0-9])? [aApP][mM]".to_owned(),
        format!("{date}[Tt ]{time}{zone}"),
        format!("{date}[Tt ]00:00(:00(\\.0{{1,12}})?)?{zone}"),
        format!("{date}[Tt ][0-2][0-9][0-6][0-9][0-6][0-9]{zone}"),
    ];
    prop::strategy::Union::new(patterns.map(|pattern| prop::string::string_regex(&pattern).unwrap()))
}

/// A text with some characters replaced, inserted or removed.
fn mutated() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::char::ranges(vec!['0'..='9'].into()),
        proptest::sample::select("+-:.,TZzexX _/\t\n\u{a0}é５−P".chars().collect::<Vec<_>>()),
    ];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3, character), 0..3);
    (texts(), edits).prop_map(|(text, edits)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, kind, character) in edits {
            let at = at.index(text.len() + 1);
            match kind {
                0 => text.insert(at, character),
                1 if at < text.len() => text[at] = character,
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn a_text_has_the_value_of_the_oracle_or_is_an_error(text in mutated()) {
        for data_type in types() {
            prop_assert_eq!(found(&data_type, &text), oracle::value(&data_type, &text), "{} {:?}", data_type, text);
        }
    }
}
