//! Parsing of JSON text, with stack and memory bounded before parsing starts.

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted, thousands};
use serde_json::{Deserializer, Map, Value};

/// Parses `text`, which must be one JSON value. If an object has a key twice, the last value counts, as in most readers
/// of Avro.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Value, FeedError> {
    if text.len() > limits.schema_bytes {
        let (most, found) = (thousands(limits.schema_bytes as u64), thousands(text.len() as u64));
        let message = format!("expected a schema of at most {most} bytes, found {found}");
        return Err(FeedError::limit_reached("schema_bytes", message));
    }
    check_brackets(text, limits)?;
    let mut reader = Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let mut values = reader.into_iter::<Value>();
    let invalid = |message: String| FeedError::new(FeedErrorKind::Schema, message);
    let value = match values.next() {
        Some(Ok(value)) => value,
        Some(Err(error)) => {
            return Err(invalid(format!("expected a schema in JSON, found: {error}")).with_source(error));
        }
        None => return Err(invalid("expected a schema in JSON, found nothing".into())),
    };
    match values.next() {
        None => Ok(value),
        Some(_) => Err(invalid("expected one JSON value, found more after it".into())),
    }
}

/// The maximum nesting of types.
pub(super) fn max_depth(limits: &Limits) -> usize {
    limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH)
}

/// Rejects text that would overflow the stack of a recursive parser, or whose objects would take more memory than any
/// schema within the limits. Counts at least as many brackets as a parser meets before it stops.
fn check_brackets(text: &str, limits: &Limits) -> Result<(), FeedError> {
    // A record takes three brackets: its own, one for its fields, and one for a field. The rest is for defaults and others.
    let max_depth = 4 * max_depth(limits) + 16;
    // A type is at most one object, and a field adds one more.
    let max_objects = limits.expanded_fields.saturating_mul(2);
    let (mut depth, mut objects) = (0_usize, 0_usize);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' => {
                depth += 1;
                objects += usize::from(byte == b'{');
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_depth {
            let message = format!("expected at most {max_depth} nested brackets in a schema, found more");
            return Err(FeedError::limit_reached("schema_depth", message));
        }
        if objects > max_objects {
            let most = thousands(max_objects as u64);
            let message = format!("expected at most {most} JSON objects in a schema, found more");
            return Err(FeedError::limit_reached("expanded_fields", message));
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'"' => return,
            _ => {}
        }
    }
}

/// Text for `value` in the "found" part of a message.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// An object with these members. Moves the values, which `json!` would copy.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(Map::from_iter(members.map(|(key, value)| (key.to_owned(), value))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str, limits: &Limits) -> (Option<&'static str>, String) {
        let error = parse(text, limits).unwrap_err();
        (error.limit(), error.to_string())
    }

    #[test]
    fn text_that_is_not_one_json_value_is_refused() {
        let cases = [
            ("", "expected a schema in JSON, found nothing"),
            (" \n", "expected a schema in JSON, found nothing"),
            ("int", "expected a schema in JSON, found: expected value at line 1 column 1"),
            ("\u{feff}\"int\"", "expected a schema in JSON, found: expected value at line 1 column 1"),
            (
                r#"{"type": "int""#,
                "expected a schema in JSON, found: EOF while parsing an object at line 1 column 14",
            ),
            (r#""int" "int""#, "expected one JSON value, found more after it"),
            (r#"{"type": "int"}}"#, "expected one JSON value, found more after it"),
        ];
        for (text, message) in cases {
            assert_eq!(refusal(text, &Limits::default()), (None, message.into()), "{text:?}");
        }
    }

    #[test]
    fn size_is_checked_before_parsing() {
        let limits = Limits { schema_bytes: 1000, ..Limits::default() };
        let message = "expected a schema of at most 1,000 bytes, found 1,001";
        assert_eq!(refusal(&" ".repeat(1001), &limits), (Some("schema_bytes"), message.into()));
        assert!(parse(&format!("\"{}\"", "x".repeat(998)), &limits).is_ok());
    }

    #[test]
    fn brackets_outside_of_strings_are_counted() {
        let limits = Limits { schema_depth: 1, ..Limits::default() };
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(20), &limits).is_ok());
        let message = "expected at most 20 nested brackets in a schema, found more";
        assert_eq!(refusal(&nested(21), &limits), (Some("schema_depth"), message.into()));
        assert!(parse(&format!(r#"["\"{}", "\\"]"#, "[{".repeat(100)), &limits).is_ok());
        assert_eq!(refusal(&format!(r#"["\\", {}]"#, nested(20)), &limits).0, Some("schema_depth"));
    }

    #[test]
    fn objects_are_counted() {
        let limits = Limits { expanded_fields: 2, ..Limits::default() };
        assert!(parse("[{}, {}, {}, {}]", &limits).is_ok());
        let message = "expected at most 4 JSON objects in a schema, found more";
        assert_eq!(refusal("[{}, {}, {}, {}, {}]", &limits), (Some("expanded_fields"), message.into()));
    }
}
