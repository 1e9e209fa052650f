use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::group::Group;

const DEPTH: usize = 100;

/// The value of a record, or the reason why it is not JSON.
fn parsed(record: &[u8]) -> Result<Value, Fault> {
    let mut group = Group::default();
    group.push(record);
    let tape = Tape::of(group.slice(0..1), DEPTH)?;
    Ok(value(&tape, tape.rows()[0]))
}

fn value(tape: &Tape<'_>, index: u32) -> Value {
    let items = |end| {
        let next = move |item: &u32| Some(tape.after(*item)).filter(|next| *next < end);
        std::iter::successors(Some(index + 1).filter(|first| *first < end), next)
    };
    match tape.get(index) {
        Element::Null => Value::Null,
        Element::Bool(value) => value.into(),
        Element::Number(span) => serde_json::from_str(tape.text(span)).unwrap_or_default(),
        Element::Text(_) | Element::Unescaped(_) => tape.string(index).into(),
        Element::List(end) => items(end).map(|item| value(tape, item)).collect(),
        Element::Object(end) => {
            let keys =
                items(end).step_by(2).map(|key| (tape.string(key).unwrap().to_owned(), value(tape, key + 1)));
            Value::Object(keys.collect())
        }
    }
}

/// Compares the tape of a record with the value that `serde_json` parses.
fn check(record: &[u8]) {
    let text = String::from_utf8_lossy(record);
    match (parsed(record), serde_json::from_slice::<Value>(record)) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text:?}"),
        (Err(Fault::Syntax { reason, column }), Err(error)) => {
            let expected = error.to_string().replace(" at line 1 column ", " at column ");
            let found = format!("{reason} at column {column}");
            // `serde_json` has other names for what a text ends in after a bracket or a comma.
            let of_any = |text: &str| text.replace("an object", "a value").replace("a list", "a value");
            // It checks numbers before what follows them, and UTF-8 after the string that has the bytes; it counts lines.
            let is_other = reason == "invalid UTF-8"
                || expected.starts_with("number out of range")
                || record.contains(&b'\n')
                || record.ends_with(b"\r");
            assert!(is_other || of_any(&found) == of_any(&expected), "{text:?}: {found}, but {expected}");
        }
        (Err(Fault::Depth | Fault::Length), Err(_)) => {}
        // The grammar has no largest number.
        (Ok(_), Err(error)) => {
            assert!(error.to_string().starts_with("number out of range"), "{text:?}: {error}")
        }
        (Err(fault), Ok(_)) => panic!("{text:?}: {fault:?}"),
    }
}

/// Texts of JSON, and texts that are nearly JSON.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    " ",
    "\t",
    "\r",
    "null",
    "true",
    "false",
    "nul",
    "NaN",
    "0",
    "-",
    "1",
    "-0",
    "01",
    "1.5",
    "1.",
    ".5",
    "1e3",
    "1E+07",
    "1e",
    "+1",
    "-1e-2",
    "\"a\"",
    "\"b\\n\"",
    "\"\\u00e9\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "\"\\x\"",
    "\"é\"",
    "\"long text without escapes\"",
    "\"tab\t\"",
    "\u{1}",
    "\u{7f}",
    "\"k\":",
    "[1,2]",
    "{\"a\":1}",
    "//",
];

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>()
            .prop_filter("a number", |value| value.is_finite())
            .prop_map(|value| format!("{value:?}")),
        any::<String>().prop_map(|text| Value::from(text).to_string()),
        "[ -~]{0,20}".prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = "[a-c\n\"é]{0,3}".prop_map(|text| Value::from(text).to_string());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((key, inner), 0..6).prop_map(|entries| {
                let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key}:{value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(crate::random_config::config(200))]

    #[test]
    fn json_has_the_values_that_serde_json_finds(text in json()) {
        prop_assert!(parsed(text.as_bytes()).is_ok());
        check(text.as_bytes());
    }

    #[test]
    fn altered_json_is_json_if_serde_json_says_so(
        text in json(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4)
    ) {
        let mut bytes = text.into_bytes();
        for (place, byte, change) in changes {
            let place = place.index(bytes.len() + 1);
            match change {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => drop(bytes.remove(place)),
                _ => bytes.insert(place, byte % 128),
            }
        }
        check(&bytes);
    }

    #[test]
    fn pieces_are_json_if_serde_json_says_so(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..8)) {
        check(pieces.concat().as_bytes());
    }
}

#[test]
fn invalid_json_is_refused_at_any_position() {
    let wrong = [
        "",
        " ",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "[1,,2]",
        "[1,2,]",
        "[,1]",
        "[1",
        "1]",
        "[",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1,}",
        "{,\"a\":1}",
        "{\"a\":1,,\"b\":2}",
        "{\"a\"::1}",
        "{\"a\":1;\"b\":2}",
        "{'a':1}",
        "{a:1}",
        "{\"a\" 1}",
        "{1:1}",
        "{\"a\":1}}",
        "[]]",
        "[}",
        "{]",
        "01",
        "-01",
        "00",
        "-",
        "--1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "1.e3",
        "1e",
        "1e+",
        "1e1.5",
        "0x10",
        "1_000",
        "1 2",
        "NaN",
        "Infinity",
        "-Infinity",
        "nan",
        "tru",
        "truee",
        "nulll",
        "True",
        "\"",
        "\"a",
        "\"a\tb\"",
        "\"a\nb\"",
        "\"\u{0}\"",
        "\"\u{1f}\"",
        "\"\\x41\"",
        "\"\\'\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\n\"",
        "\"\\ud800x\"",
        "\"\\\"",
        "/* c */ 1",
        "1 // c",
        "\u{feff}1",
        "1\u{a0}",
        "1\u{c}",
        "\u{b}1",
        "1\u{0}",
        "\u{2060}1",
    ];
    for text in wrong {
        // Alone, and as values that are not read.
        for text in [text.to_owned(), format!("{{\"z\":{text}}}"), format!("[[1],{{\"y\":[{text}]}}]")] {
            if text != "[[1],{\"y\":[]}]" && text != "[[1],{\"y\":[ ]}]" {
                assert!(matches!(parsed(text.as_bytes()), Err(Fault::Syntax { .. })), "{text:?}");
            }
            check(text.as_bytes());
        }
    }
    for bytes in
        [&b"\"\xff\""[..], b"\"\xc3\"", b"\"\xed\xa0\x80\"", b"\"\xc0\xaf\"", b"\xff", b"[\"a\xe9\"]"]
    {
        let column = bytes.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
        assert_eq!(parsed(bytes), Err(Fault::Syntax { reason: "invalid UTF-8", column }));
    }
}

#[test]
fn valid_json_is_accepted() {
    let right = [
        "0",
        "-0",
        "-0.0e-0",
        "1E400",
        "123456789012345678901234567890",
        "0.1e+1",
        " [ ] ",
        "{ }",
        "\t{\"a\"\r:\t1 , \"a\" : 2}\r",
        "\"\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0000\"",
        "\"\\uD834\\uDD1E\"",
        "\"\u{7f}\"",
        "\"\u{2028}\"",
        "\"\u{ffff}\"",
        "[[],{},\"\",null,true,false,0]",
        "{\"\":{\"\":[]}}",
    ];
    for text in right {
        assert!(parsed(text.as_bytes()).is_ok(), "{text:?}");
    }
    assert_eq!(parsed(b"{\"a\":1,\"a\":2}").unwrap(), serde_json::json!({"a": 2}));
    assert_eq!(parsed(b"\"\\uD834\\uDD1E\\u00e9\"").unwrap(), Value::from("\u{1d11e}é"));
}

fn parsed_without_value(record: &[u8], depth: usize) -> Result<(), Fault> {
    let mut group = Group::default();
    group.push(record);
    Tape::of(group.slice(0..1), depth).map(drop)
}

#[test]
fn depth_is_limited_without_recursion() {
    let lists = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
    let objects = |depth| ["{\"a\":".repeat(depth), "1".into(), "}".repeat(depth)].concat().into_bytes();
    for text in [lists(1_000_000), objects(1_000_000)] {
        assert_eq!(parsed_without_value(&text, 1_000_000), Ok(()));
        assert_eq!(parsed_without_value(&text, 999_999), Err(Fault::Depth));
    }
    // Fewer closing brackets, or none at all.
    for (text, reason) in [
        (&lists(100)[..199], "EOF while parsing a list"),
        (&vec![b'['; 1_000_000], "EOF while parsing a value"),
    ] {
        let fault = Fault::Syntax { reason, column: text.len() };
        assert_eq!(parsed_without_value(text, text.len()), Err(fault));
    }
}

/// Strings of all lengths have a byte of each kind at each place, also next to bytes that a word compares with it.
#[test]
fn the_first_special_byte_of_a_string_is_found() {
    for byte in 0..=255_u8 {
        let is_special = matches!(byte, b'"' | b'\\' | 0..0x20);
        for (length, fill) in (1..20)
            .flat_map(|length| [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff].map(|fill| (length, fill)))
        {
            for place in 0..length {
                let mut bytes = vec![fill; length];
                bytes[place] = byte;
                assert_eq!(
                    plain_bytes(&bytes),
                    if is_special { place } else { length },
                    "{byte} at {place} of {length}"
                );
            }
        }
    }
}

#[test]
fn long_parts_have_their_place() {
    let mut tape = Tape::default();
    for length in [0, 1, Packed::LONG - 1, Packed::LONG, u32::MAX - 7] {
        let span = Span { start: 7, end: 7 + length };
        for element in [Element::Number(span), Element::Text(span), Element::Unescaped(span)] {
            tape.push(element);
            assert_eq!(tape.get(tape.elements.len() as u32 - 1), element);
        }
    }
    assert_eq!(tape.long.len(), 6);
}
