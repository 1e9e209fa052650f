//! Complete error messages for texts that are not keys, and for keys that do not fit the schema.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_tensor::feature::{Feature, VarLen};
use arrowfeed_tensor::{ExpressionPlan, KeyExpression, RepresentationErrorKind, TensorAdapter};

use crate::support::types;

fn schema() -> SchemaRef {
    Arc::new(Schema::new(types::fields(
        "name: struct<first: utf8, last: utf8>, address: struct<street: utf8>, age: int32, when: timestamp[ms],
         day: date32, cost: decimal128(4, 2), friends: list<struct<name: utf8, age: int64, tiny: int8, h: fixed_size_binary[2],
         when: timestamp[ms], tags: list<utf8>, ok: boolean, f: float32>>, tags: list<utf8>,
         cars: map<utf8, struct<color: utf8>>, numbers: map<int32, utf8>, u: union<null: null, int: int32, string: utf8>",
    )))
}

/// The error message for a key, without the key itself.
fn message(key: &str) -> String {
    let parsed = KeyExpression::parse(key);
    let error = match parsed {
        Err(error) => error,
        Ok(parsed) => ExpressionPlan::try_new(schema(), &parsed).expect_err("an error"),
    };
    let text = error.to_string();
    let rest = text.strip_prefix(&format!("key {key:?}, ")).expect("the key comes first");
    rest.to_owned()
}

#[test]
fn texts_that_are_no_key() {
    for (key, expected) in [
        ("", r#"character 1: expected a name or "[", found the end"#),
        ("@", r#"character 2: expected a name or "[", found the end"#),
        (".a", r#"character 1: expected a name or "[", found ".""#),
        ("a.", "character 3: expected a name, found the end"),
        ("a..b", r#"character 3: expected a name, found ".""#),
        ("a b", r#"character 2: expected ".", "[", ":" or the end, found " ""#),
        ("1a", r#"character 1: expected a name or "[", found "1""#),
        ("a[", r#"character 3: expected "*", an index, a key in quotes or a filter, found the end"#),
        ("a[]", r#"character 3: expected "*", an index, a key in quotes or a filter, found "]""#),
        ("friends[*.name", r#"character 10: expected "]", found ".""#),
        ("friends[2", r#"character 10: expected "]", "=" or "!=", found the end"#),
        ("friends[2.name]", r#"character 11: expected a digit, found "n""#),
        ("friends[1.5]", r#"character 12: expected "=" or "!=", found "]""#),
        ("friends[-]", r#"character 10: expected a digit, found "]""#),
        ("friends[9223372036854775808]", "character 9: expected an index of 64 bits, found a larger one"),
        (
            "friends[99999999999999999999]",
            "character 9: expected an integer of 64 bits, found 99999999999999999999",
        ),
        ("friends[age=1e999]", "character 13: expected a finite number, found 1e999"),
        ("friends[name]", r#"character 13: expected "=" or "!=", found "]""#),
        ("friends[name!'x']", r#"character 14: expected "=" after "!", found "'""#),
        (
            "friends[name=]",
            r#"character 14: expected a path, a text in quotes, a number, true, false or null, found "]""#,
        ),
        ("friends[name='x]", "character 17: expected a closing quote, found the end"),
        ("friends[name='x'", r#"character 17: expected "]", found the end"#),
        ("friends['a'='b']", "character 9: expected a filter with a path on one side, found two constants"),
        ("friends[name='x'=name]", r#"character 17: expected "]", found "=""#),
        ("cars['it's']", r#"character 10: expected "]", "=" or "!=", found "s""#),
        ("cars['é'x]", r#"character 9: expected "]", "=" or "!=", found "x""#),
        ("u:", "character 3: expected a name, found the end"),
        ("u:[0]", r#"character 4: expected the name of a branch in quotes, found "0""#),
    ] {
        assert_eq!(message(key), expected, "{key}");
        let error = KeyExpression::parse(key).unwrap_err();
        assert_eq!(error.kind(), RepresentationErrorKind::Key);
    }
}

#[test]
fn keys_that_are_too_long_or_too_deep() {
    let long = "a".to_owned() + &"[0]".repeat(256);
    let error = KeyExpression::parse(&long).unwrap_err().to_string();
    assert!(error.ends_with("character 767: expected at most 256 steps, found more"), "{error}");
    let deep = "a[".repeat(9) + "b=1";
    let error = KeyExpression::parse(&deep).unwrap_err().to_string();
    assert!(
        error.ends_with("character 18: expected filters nested at most 8 deep, found a deeper one"),
        "{error}"
    );
    let deeper = "[".repeat(100_000);
    assert!(KeyExpression::parse(&deeper).is_err());
}

#[test]
fn steps_that_the_schema_does_not_have() {
    for (key, expected) in [
        (
            "nam",
            r#"character 1: expected a column of this name, one of ["name", "address", "age", "when", "day", "cost", "friends", "tags", "cars", "numbers", …], found "nam""#,
        ),
        (
            "name.middle",
            r#"character 5: expected a field of this name, one of ["first", "last"], found "middle""#,
        ),
        (
            "name['middle']",
            r#"character 5: expected a field of this name, one of ["first", "last"], found "middle""#,
        ),
        ("age.x", r#"character 4: expected a record with the field "x", found Int32"#),
        (
            "friends.name",
            r#"character 8: expected a record with the field "name", found an array: select all elements with [*] or one with [0]"#,
        ),
        (
            "cars.color",
            r#"character 5: expected a record with the field "color", found a map: select all values with [*] or one with ['...']"#,
        ),
        (
            "u.x",
            r#"character 2: expected a record with the field "x", found a union of ["null", "int", "string"]: select one branch with :..."#,
        ),
        (
            "u:long",
            r#"character 2: expected a branch of this name, one of ["null", "int", "string"], found "long""#,
        ),
        ("age:string", r#"character 4: expected a union with the branch "string", found Int32"#),
        ("numbers['1']", "character 8: expected a map with texts as keys, found Int32"),
    ] {
        assert_eq!(message(key), expected, "{key}");
    }
}

#[test]
fn steps_on_other_types_are_errors() {
    for (key, expected) in [
        // In the listing of the RFC, the address is a record.
        ("address[*].street", r#"character 8: expected an array or a map for "[*]", found a record"#),
        ("[*]", r#"character 1: expected an array or a map for "[*]", found a record"#),
        ("age[*]", r#"character 4: expected an array or a map for "[*]", found Int32"#),
        ("name[0]", "character 5: expected an array for an index, found a record"),
        ("cars[0]", "character 5: expected an array for an index, found a map"),
        ("cars[color='red']", "character 5: expected an array for a filter, found a map"),
        ("name[first='x']", "character 5: expected an array for a filter, found a record"),
    ] {
        assert_eq!(message(key), expected, "{key}");
    }
}

#[test]
fn filters_that_cannot_be() {
    for (key, expected) in [
        (
            "friends[nothing=1].name",
            r#"character 9: expected a field of this name, one of ["name", "age", "tiny", "h", "when", "tags", "ok", "f"], found "nothing""#,
        ),
        (
            "friends[age=@nothing].name",
            r#"character 14: expected a column of this name, one of ["name", "address", "age", "when", "day", "cost", "friends", "tags", "cars", "numbers", …], found "nothing""#,
        ),
        ("friends[age='x'].name", "character 13: expected Int64 to compare it with, found 'x'"),
        ("friends[age=1.5].name", "character 13: expected Int64 to compare it with, found 1.5"),
        ("friends[tiny=300].name", "character 14: expected Int8 to compare it with, found 300"),
        (
            "friends[h='abc'].name",
            "character 11: expected FixedSizeBinary(2) to compare it with, found 'abc'",
        ),
        ("friends[f=-1e300].name", "character 11: expected Float32 to compare it with, found -1e300"),
        ("friends[true=age].name", "character 9: expected Int64 to compare it with, found true"),
        ("friends[ok=1].name", "character 12: expected Boolean to compare it with, found 1"),
        ("friends[name=age].name", "character 14: expected Utf8 to compare it with, found Int64"),
        ("friends[age=f].name", "character 13: expected Int64 to compare it with, found Float32"),
        ("friends[when=@day].name", "character 14: expected Timestamp(ms) to compare it with, found Date32"),
        (
            "friends[@cost=1].name",
            "character 9: expected values that can be compared, found Decimal128(4, 2)",
        ),
        ("friends[tags='x'].name", "character 9: expected values that can be compared, found an array"),
        (
            "friends[tags[*]='x'].name",
            "character 9: expected one value on each side of a filter, found 1 dimension",
        ),
        (
            "friends[name=@friends[age=1].name].name",
            "character 14: expected one value on each side of a filter, found 1 dimension",
        ),
    ] {
        assert_eq!(message(key), expected, "{key}");
    }
}

#[test]
fn a_feature_names_its_tensor_unless_it_is_called_as_its_key_is() {
    let message = |name: &str, key: &str| {
        let feature = Feature::VarLen(VarLen { key: key.to_owned(), ..VarLen::default() });
        TensorAdapter::from_features(schema(), [(name, feature)]).unwrap_err().to_string()
    };
    let expected = r#"key "age.x", character 4: expected a record with the field "x", found Int32"#;
    assert_eq!(message("age.x", "age.x"), expected);
    assert_eq!(message("t", "age.x"), format!("tensor \"t\", {expected}"));
    assert_eq!(
        message("t", "a["),
        r#"tensor "t", key "a[", character 3: expected "*", an index, a key in quotes or a filter, found the end"#
    );
}

#[test]
fn names_of_features_exist_and_are_unique() {
    let feature = |key: &str| Feature::VarLen(VarLen { key: key.to_owned(), ..VarLen::default() });
    let error = TensorAdapter::from_features(schema(), [("a", feature("age")), ("a", feature("tags[*]"))])
        .unwrap_err();
    assert_eq!(error.to_string(), r#"tensor "a": expected a feature for each name, found two"#);
    // A key may be inside another key, and several features may read one field.
    let keys = ["tags[*]", "tags[0]", "u:int", "u:string", "friends[*].age", "friends[age=1].age"];
    let adapter = TensorAdapter::from_features(schema(), keys.map(|key| (key, feature(key)))).unwrap();
    let columns: Vec<String> = adapter.column_paths().iter().map(ToString::to_string).collect();
    assert_eq!(columns, ["tags", "u", "friends.age"]);
    assert_eq!(adapter.project(&["u:int"]).unwrap().specs()[0].0, "u:int");
    let error = adapter.project(&["x"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"expected the name of a tensor, one of ["tags[*]", "tags[0]", "u:int", "u:string", "friends[*].age", "friends[age=1].age"], found "x""#
    );
}
