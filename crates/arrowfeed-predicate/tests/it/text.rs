//! The grammar, the canonical text, and messages of the parser.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrowfeed_predicate::{Lists, Literal, MAX_DEPTH, Predicate, PredicateError, col};
use proptest::prelude::*;

use crate::random_config::config;

#[track_caller]
fn parsed(text: &str) -> Predicate {
    Predicate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn assert_canonical(text: &str, canonical: &str) {
    assert_eq!(parsed(text).to_string(), canonical);
    assert_eq!(parsed(canonical).to_string(), canonical);
}

#[track_caller]
fn assert_fails(text: &str, message: &str) {
    assert_eq!(Predicate::parse(text).unwrap_err().to_string(), message, "{text:.100}");
}

#[test]
fn texts_have_one_canonical_form() {
    for (text, canonical) in [
        ("age>=18 AND label Is Not Null", "age >= 18 and label is not null"),
        ("a = 1 or b <> 2", "a == 1 or b != 2"),
        ("a == +1.50", "a == 1.5"),
        ("a == 15e-1", "a == 1.5"),
        ("a < -0.0", "a < 0"),
        ("a > 1e3", "a > 1000"),
        ("a > 1.5e400", "a > 15e399"),
        ("a != NaN or a > -INF or a < inf", "a != nan or a > -inf or a < inf"),
        ("active", "active == true"),
        ("not active", "not (active == true)"),
        ("not (a is null)", "a is not null"),
        ("not a in [1, 2]", "a not in [1, 2]"),
        ("not (a not in [1])", "a in [1]"),
        ("a in []", "a in []"),
        ("a in ()", "a in []"),
        ("a not in ('x', \"y\")", "a not in [\"x\", \"y\"]"),
        ("(a in (1, 2)) or b in [3]", "a in [1, 2] or b in [3]"),
        ("a == 'it''s \\n \"b\"'", "a == \"it's \\\\n \\\"b\\\"\""),
        ("['b c'] starts with ''", "['b c'] starts with \"\""),
        ("a == x'00fF'", "a == x\"00ff\""),
        ("not not a == 1", "a == 1"),
        ("((a == 1))", "a == 1"),
        ("name STARTS   WITH \"\\u0041\\n\"", "name starts with \"A\\n\""),
        ("list_length( tags )>=2", "list_length(tags) >= 2"),
        ("list_length == 1", "list_length == 1"),
        ("starts starts with \"with\"", "starts starts with \"with\""),
        ("a == X\"00fF\"", "a == x\"00ff\""),
        ("['and'] == 1", "['and'] == 1"),
        ("[\"and\"] == 1", "[\"and\"] == 1"),
        ("[\"a.b\"] == 1", "a.b == 1"),
        ("a['it''s b'].c == 1", "a['it''s b'].c == 1"),
        ("image/encoded is null", "image/encoded is null"),
        ("größe == \"ü\"", "größe == \"ü\""),
    ] {
        assert_canonical(text, canonical);
    }
}

#[test]
fn not_binds_before_and_and_and_before_or() {
    let (a, b, c) = (|| col("a").eq(1), || col("b").eq(2), || col("c").eq(3));
    assert_eq!(parsed("a == 1 or b == 2 and c == 3"), a() | (b() & c()));
    assert_eq!(parsed("(a == 1 or b == 2) and c == 3"), (a() | b()) & c());
    assert_eq!(parsed("not a == 1 and b == 2"), !a() & b());
    assert_eq!(parsed("not (a == 1 and b == 2)"), !(a() & b()));
    assert_ne!(parsed("a == 1 or b == 2 and c == 3"), (a() | b()) & c());
    assert_eq!(((a() | b()) & c()).to_string(), "(a == 1 or b == 2) and c == 3");
    assert_eq!((a() & (b() & c())).to_string(), "a == 1 and b == 2 and c == 3");
    assert_eq!(parsed("a == 1 and (b == 2 and c == 3)"), (a() & b()) & c());
    assert_eq!((a() & b()).columns(), ["a", "b"]);
    assert_eq!(
        parsed("a == 1 or not (b == 2 and (a is null or list_length(c) == 0))").columns(),
        ["a", "b", "c"]
    );
}

#[test]
fn literals_have_the_text_of_equal_literals() {
    for (literal, text) in [
        (Literal::from(18u8), "18"),
        (18.0.into(), "18"),
        (0.1.into(), "0.1"),
        (1e300.into(), "1e300"),
        (1e-9.into(), "0.000000001"),
        (f64::MIN_POSITIVE.into(), "22250738585072014e-324"),
        ((-0.0).into(), "0"),
        (9_007_199_254_740_992.0.into(), "9007199254740992"),
        (i128::MIN.into(), "-170141183460469231731687303715884105728"),
        (u64::MAX.into(), "18446744073709551615"),
        (f64::NAN.into(), "nan"),
        (f64::NEG_INFINITY.into(), "-inf"),
        (Literal::decimal("10.50").unwrap(), "10.5"),
        ("a\"\\\u{7}".into(), r#""a\"\\\u0007""#),
        (vec![0, 255].into(), "x\"00ff\""),
        (Literal::Date(20_484), "\"2026-01-31\""),
        (Literal::Date(-719_529), "\"-0001-12-31\""),
        (Literal::Date(2_932_897), "\"+10000-01-01\""),
        (Literal::Time(45_000_500_000_000), "\"12:30:00.5\""),
        (Literal::Timestamp(-1), "\"1969-12-31T23:59:59.999999999\""),
        (Literal::Instant(951_782_400_000_000_000), "\"2000-02-29T00:00:00Z\""),
        (Literal::Duration(-1_500_000_000), "\"-PT1.5S\""),
    ] {
        assert_eq!(literal.to_string(), text);
        assert_canonical(&format!("a == {text}"), &format!("a == {text}"));
        assert_eq!(parsed(&format!("a == {text}")), col("a").eq(literal));
    }
    assert_eq!(
        Literal::decimal("1,5").unwrap_err().to_string(),
        r#"position 1: expected a number such as 18, -1.5 or 1e6, found "1,5""#
    );
}

#[test]
fn errors_name_the_position_and_what_was_expected() {
    for (text, message) in [
        ("", "position 1: expected a column, found the end"),
        ("age >= ", "position 8: expected a number, a string in quotes, true or false, found the end"),
        ("größe > x", "position 9: expected a number, a string in quotes, true or false, found \"x\""),
        ("a == 'x", "position 6: expected a string that ends with a single quote, found \"'x\""),
        ("a == 'it's'", "position 10: expected a comparison, \"and\", \"or\" or the end, found \"s\""),
        ("a in ('x', 'y']", "position 15: expected \",\" or \")\", found \"]\""),
        (
            "a == x'0",
            "position 6: expected bytes as pairs of hexadecimal digits, such as x\"00ff\", found \"x\"",
        ),
        ("a == null", "position 6: expected a literal; nulls are found by \"is null\", found \"null\""),
        ("a in [1, NULL]", "position 10: expected a literal; nulls are found by \"is null\", found \"NULL\""),
        ("a == 1 and", "position 11: expected a column, found the end"),
        ("a == 1 b", "position 8: expected a comparison, \"and\", \"or\" or the end, found \"b\""),
        ("a + 1", "position 3: expected a comparison, \"and\", \"or\" or the end, found \"+\""),
        ("(a == 1", "position 8: expected \")\", \"and\" or \"or\", found the end"),
        ("a is 1", "position 6: expected \"null\" or \"not null\", found \"1\""),
        ("a is not 1", "position 10: expected \"null\", found \"1\""),
        ("a not 1", "position 7: expected \"in\", found \"1\""),
        ("a in 1", "position 6: expected a list of literals in brackets or parentheses, found \"1\""),
        ("a in [1 2]", "position 9: expected \",\" or \"]\", found \"2\""),
        ("a starts \"x\"", "position 10: expected \"with\", found \"\\\"x\\\"\""),
        ("a starts with 1", "position 15: expected a string in quotes, found \"1\""),
        ("list_length(a)", "position 15: expected a comparison, found the end"),
        ("list_length(a == 1)", "position 15: expected \")\", found \"== 1)\""),
        ("18 <= age", "position 1: expected a column, found \"18\""),
        ("a == 1.2.3", "position 6: expected a number such as 18, -1.5 or 1e6, found \"1.2.3\""),
        (
            "a == \"x",
            "position 6: expected a string in double quotes with the escapes of JSON, found \"\\\"x\"",
        ),
        (
            "a == \"\\x\"",
            "position 6: expected a string in double quotes with the escapes of JSON, found \"\\\"\\\\x\\\"\"",
        ),
        (
            "a == x\"0\"",
            "position 6: expected bytes as pairs of hexadecimal digits, such as x\"00ff\", found \"x\"",
        ),
        (
            "a == 12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "position 6: expected a number with at most 76 digits, found \"12345678901234567890…\"",
        ),
        ("and == 1", "position 1: expected a column, found \"and\""),
        (
            "[\"a == 1",
            "position 2: expected a string in double quotes with the escapes of JSON, found \"\\\"a == 1\"",
        ),
    ] {
        assert_fails(text, message);
    }
}

#[test]
fn deep_predicates_are_errors_and_long_ones_are_not() {
    let nested = |n: usize| format!("{}a == 1{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(parsed(&nested(2 * MAX_DEPTH)).to_string(), "a == 1");
    assert_fails(
        &nested(100_000),
        "position 258: expected at most 256 nested parentheses, found \"((((((((((((((((((((…\"",
    );
    assert_fails(
        &format!("{}a", "not ".repeat(100_000)),
        "position 1029: expected at most 256 nested parentheses, found \"not\"",
    );

    let long = vec!["a == 1"; 10_000].join(" and ");
    assert_eq!(parsed(&long).to_string(), long);

    let deep = |levels: usize| {
        (1..levels).fold(col("a").eq(1), |inner, level| match level % 3 {
            0 => !inner,
            1 => inner & col("b").eq(2),
            _ => inner | col("c").eq(3),
        })
    };
    let deepest = deep(MAX_DEPTH);
    assert_eq!(parsed(&deepest.to_string()), deepest);
    let error = Predicate::parse(&deep(MAX_DEPTH + 1).to_string()).unwrap_err();
    assert_eq!(error.to_string(), "expected a predicate with at most 128 levels, found 129");
    // The deepest predicate fits a small stack.
    let text = deepest.to_string();
    let evaluated = move || {
        let columns = ["a", "b", "c"].map(|name| (name, Arc::new(Int64Array::from(vec![1])) as ArrayRef));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let compiled = parsed(&text).compile(&batch.schema(), Lists::AreValues).unwrap();
        compiled.evaluate(&batch).unwrap().len()
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(evaluated).unwrap();
    assert_eq!(thread.join().unwrap(), 1);
    // Text, equality and drop need no stack for each level.
    let deepest = deep(300_000);
    assert_eq!(deepest.columns().len(), 3);
    assert!(deepest == deepest.clone() && deepest.to_string().len() > 1_000_000);
    let schema = arrow_schema::Schema::empty();
    let error = deepest.compile(&schema, Lists::AreValues).unwrap_err();
    assert!(matches!(error, PredicateError::Depth { depth: 300_000 }));
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn any_text_is_an_error_or_has_a_canonical_text(text in "([a-c. ]|==| and | or |not |\\(|\\)|[0-9]|\"|\\[|'|\\]|in| is null|x|starts with){0,20}") {
        if let Ok(predicate) = Predicate::parse(&text) {
            prop_assert_eq!(&parsed(&predicate.to_string()), &predicate);
        }
    }

    #[test]
    fn any_path_and_string_are_read_back(path in any::<String>(), text in any::<String>()) {
        let predicate = col(path.clone()).eq(text.clone()) | col(path.clone()).list_length().eq(1) & col(path.clone()).starts_with(text);
        let read = parsed(&predicate.to_string());
        prop_assert_eq!(&read, &predicate);
        prop_assert_eq!(read.columns(), [path]);
    }
}
