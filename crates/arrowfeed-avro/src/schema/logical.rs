//! Validation of logical types. The specification has readers ignore those that do not fit their type.

use std::f64::consts::LOG10_2;

use arrowfeed_source::thousands;
use serde_json::{Map, Value};

use super::graph::{Decimal, IntLogical, LongLogical};
use super::json::found;

/// A type without a logical type.
#[derive(Clone, Copy)]
pub(super) enum Base {
    /// A type other than fixed, by the name of its kind.
    Kind(&'static str),
    /// A fixed type, by its size.
    Fixed(usize),
}

/// A logical type, valid on its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logical {
    Decimal(Decimal),
    Uuid,
    Duration,
    Int(IntLogical),
    Long(LongLogical),
}

/// The logical type of `object`, if it has one. If the logical type is not valid on `base`, the error is the text of a
/// warning.
pub(super) fn parse(object: &Map<String, Value>, base: Base) -> Result<Option<Logical>, String> {
    let Some(logical) = object.get("logicalType") else { return Ok(None) };
    let base_name = match base {
        Base::Kind(kind) => kind.to_owned(),
        Base::Fixed(size) => format!("fixed({size})"),
    };
    let ignored = |why: String| format!("ignored the logical type {} of {base_name}: {why}", found(logical));
    let Value::String(name) = logical else { return Err(ignored("expected a string".into())) };
    let (bases, parsed): (&[&str], _) = match name.as_str() {
        "decimal" => (&["bytes", "fixed"], None),
        "uuid" => (&["string", "fixed(16)"], Some(Logical::Uuid)),
        "duration" => (&["fixed(12)"], Some(Logical::Duration)),
        name => match (IntLogical::from_name(name), LongLogical::from_name(name)) {
            (Some(logical), _) => (&["int"], Some(Logical::Int(logical))),
            (_, Some(logical)) => (&["long"], Some(Logical::Long(logical))),
            _ => return Err(ignored("the Avro specification does not define it".into())),
        },
    };
    let any_fixed = matches!(base, Base::Fixed(_)) && bases.contains(&"fixed");
    if !any_fixed && !bases.contains(&base_name.as_str()) {
        return Err(ignored(format!("expected {}", bases.join(" or "))));
    }
    match parsed {
        Some(logical) => Ok(Some(logical)),
        None => decimal(object, base).map(|decimal| Some(Logical::Decimal(decimal))).map_err(ignored),
    }
}

fn decimal(object: &Map<String, Value>, base: Base) -> Result<Decimal, String> {
    let integer = |value: &Value| value.as_u64().and_then(|value| usize::try_from(value).ok());
    let found_at = |key: &str| object.get(key).map_or_else(|| "none".into(), found);
    let Some(precision @ 1..) = object.get("precision").and_then(integer) else {
        return Err(format!("expected a precision of 1 or more, found {}", found_at("precision")));
    };
    let scale = match object.get("scale") {
        Some(scale) => integer(scale).filter(|scale| *scale <= precision).ok_or_else(|| {
            let most = thousands(precision as u64);
            format!("expected a scale from 0 to the precision of {most}, found {}", found_at("scale"))
        })?,
        None => 0,
    };
    match base {
        Base::Fixed(size) if precision > max_precision(size) => {
            let most = thousands(max_precision(size) as u64);
            Err(format!("expected a precision of at most {most}, found {}", thousands(precision as u64)))
        }
        _ => Ok(Decimal { precision, scale }),
    }
}

/// The number of digits that always fit in a two's complement number of `size` bytes. The `- 1` in the largest value does
/// not affect rounding down, since no power of two but 1 is a power of ten. A double is precise enough for all valid sizes.
fn max_precision(size: usize) -> usize {
    let bits = size.saturating_mul(8).saturating_sub(1);
    (bits as f64 * LOG10_2) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str, base: Base) -> Result<Option<Logical>, String> {
        let object: Map<String, Value> = serde_json::from_str(json).unwrap();
        parse(&object, base)
    }

    #[test]
    fn a_type_may_have_no_logical_type() {
        assert_eq!(of(r#"{"type": "int", "precision": 3}"#, Base::Kind("int")), Ok(None));
    }

    #[test]
    fn every_logical_type_is_valid_on_its_base_only() {
        let long = |logical| (Logical::Long(logical), &["long"][..]);
        let valid = [
            ("date", (Logical::Int(IntLogical::Date), &["int"][..])),
            ("time-millis", (Logical::Int(IntLogical::TimeMillis), &["int"])),
            ("time-micros", long(LongLogical::TimeMicros)),
            ("timestamp-millis", long(LongLogical::TimestampMillis)),
            ("timestamp-micros", long(LongLogical::TimestampMicros)),
            ("timestamp-nanos", long(LongLogical::TimestampNanos)),
            ("local-timestamp-millis", long(LongLogical::LocalTimestampMillis)),
            ("local-timestamp-micros", long(LongLogical::LocalTimestampMicros)),
            ("local-timestamp-nanos", long(LongLogical::LocalTimestampNanos)),
            ("uuid", (Logical::Uuid, &["string", "fixed(16)"])),
            ("duration", (Logical::Duration, &["fixed(12)"])),
        ];
        let kinds = super::super::name::PRIMITIVES.into_iter().chain(["array", "map", "record", "enum"]);
        let bases: Vec<Base> = kinds.map(Base::Kind).chain([0, 12, 16].map(Base::Fixed)).collect();
        for (name, (logical, allowed)) in valid {
            for base in &bases {
                let base_name = match base {
                    Base::Kind(kind) => (*kind).to_owned(),
                    Base::Fixed(size) => format!("fixed({size})"),
                };
                let expected = if allowed.contains(&base_name.as_str()) {
                    Ok(Some(logical))
                } else {
                    let allowed = allowed.join(" or ");
                    Err(format!(r#"ignored the logical type "{name}" of {base_name}: expected {allowed}"#))
                };
                assert_eq!(of(&format!(r#"{{"logicalType": "{name}"}}"#), *base), expected);
            }
        }
    }

    #[test]
    fn decimals_need_a_precision_and_a_scale_within_it() {
        let decimal = |rest: &str| of(&format!(r#"{{"logicalType": "decimal"{rest}}}"#), Base::Kind("bytes"));
        let valid = |precision, scale| Ok(Some(Logical::Decimal(Decimal { precision, scale })));
        assert_eq!(decimal(r#", "precision": 4"#), valid(4, 0));
        assert_eq!(decimal(r#", "precision": 4, "scale": 4"#), valid(4, 4));
        assert_eq!(decimal(r#", "precision": 2147483648, "scale": 0"#), valid(2_147_483_648, 0));
        let cases = [
            ("", "a precision of 1 or more, found none"),
            (r#", "precision": 0"#, "a precision of 1 or more, found 0"),
            (r#", "precision": -1"#, "a precision of 1 or more, found -1"),
            (r#", "precision": 4.0"#, "a precision of 1 or more, found 4.0"),
            (r#", "precision": "4""#, r#"a precision of 1 or more, found "4""#),
            (r#", "precision": 4, "scale": 5"#, "a scale from 0 to the precision of 4, found 5"),
            (r#", "precision": 4, "scale": -1"#, "a scale from 0 to the precision of 4, found -1"),
            (r#", "precision": 4, "scale": null"#, "a scale from 0 to the precision of 4, found null"),
        ];
        for (rest, why) in cases {
            let warning = format!(r#"ignored the logical type "decimal" of bytes: expected {why}"#);
            assert_eq!(decimal(rest), Err(warning));
        }
        assert_eq!(
            of(r#"{"logicalType": "decimal", "precision": 4}"#, Base::Kind("string")),
            Err(r#"ignored the logical type "decimal" of string: expected bytes or fixed"#.into())
        );
    }

    #[test]
    fn the_precision_of_a_decimal_fits_its_fixed_size() {
        for (size, most) in [(1, 2), (2, 4), (4, 9), (8, 18), (12, 28), (16, 38), (32, 76), (1000, 2407)] {
            let json = |precision| format!(r#"{{"logicalType": "decimal", "precision": {precision}}}"#);
            assert!(of(&json(most), Base::Fixed(size)).is_ok(), "{size}");
            let (found, most) = (thousands(most + 1), thousands(most));
            let why = format!("expected a precision of at most {most}, found {found}");
            let warning = format!(r#"ignored the logical type "decimal" of fixed({size}): {why}"#);
            assert_eq!(of(&json(found.replace(',', "").parse().unwrap()), Base::Fixed(size)), Err(warning));
        }
        let warning =
            "ignored the logical type \"decimal\" of fixed(0): expected a precision of at most 0, found 1";
        assert_eq!(of(r#"{"logicalType": "decimal", "precision": 1}"#, Base::Fixed(0)), Err(warning.into()));
    }

    #[test]
    fn an_unknown_logical_type_is_ignored() {
        let why = "the Avro specification does not define it";
        for name in ["big-decimal", "Date", "", "a\\\"b"] {
            let warning = format!(r#"ignored the logical type "{name}" of bytes: {why}"#);
            assert_eq!(of(&format!(r#"{{"logicalType": "{name}"}}"#), Base::Kind("bytes")), Err(warning));
        }
    }

    #[test]
    fn a_logical_type_that_is_not_a_string_is_ignored() {
        for (json, text) in [("5", "5"), ("null", "null"), (r#"{"a": 1}"#, "an object"), ("[]", "an array")] {
            let warning = format!("ignored the logical type {text} of int: expected a string");
            assert_eq!(of(&format!(r#"{{"logicalType": {json}}}"#), Base::Kind("int")), Err(warning));
        }
    }
}
