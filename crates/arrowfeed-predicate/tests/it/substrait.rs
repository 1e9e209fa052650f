//! Expressions of Substrait. The tests of the Python package read those that pyarrow writes.

use arrow_schema::{DataType, Field, Schema};
use arrowfeed_predicate::{MAX_DEPTH, NullInList, Predicate};
use proptest::prelude::*;

/// A field of a message that has bytes.
fn bytes(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut all = vec![tag << 3 | 2];
    let mut length = content.len();
    while length > 127 {
        all.push((length & 127) as u8 | 128);
        length >>= 7;
    }
    all.push(length as u8);
    [all.as_slice(), content].concat()
}

fn schema() -> Schema {
    Schema::new(vec![Field::new("flag", DataType::Boolean, true)])
}

/// A message in which function 0 is applied `levels` times to the first column.
fn nested(name: &str, levels: usize) -> Vec<u8> {
    let mut expression = bytes(2, &[bytes(1, &bytes(2, b"")), bytes(4, b"")].concat());
    for _ in 0..levels {
        expression = bytes(3, &bytes(4, &bytes(3, &expression)));
    }
    [bytes(2, &bytes(3, &bytes(3, name.as_bytes()))), bytes(3, &bytes(1, &expression))].concat()
}

#[test]
fn functions_of_columns() {
    let read = |name, levels| Predicate::from_substrait(&nested(name, levels), &schema(), NullInList::IsNull);
    assert_eq!(read("not:bool", 0).unwrap().to_string(), "flag == true");
    assert_eq!(read("not:bool", 3).unwrap().to_string(), "not (flag == true)");
    assert_eq!(read("is_null", 1).unwrap().to_string(), "flag is null");
    let error = read("floor", 1).unwrap_err().to_string();
    assert!(error.contains("expected a comparison, and, or") && error.contains("\"floor\""), "{error}");
    assert!(read("not", MAX_DEPTH - 1).is_ok());
    let error = read("not", MAX_DEPTH).unwrap_err().to_string();
    assert_eq!(error, "expected at most 128 levels, found more");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(start in 0..200_usize, noise in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut message = nested("is_not_null", 2);
        message.truncate(start);
        message.extend(noise);
        let _ = Predicate::from_substrait(&message, &schema(), NullInList::IsCompared);
    }
}
