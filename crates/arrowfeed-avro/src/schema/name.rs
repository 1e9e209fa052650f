//! The specification's rules for names, and help with wrong ones.

/// The types that are named by a string alone.
pub(super) const PRIMITIVES: [&str; 8] =
    ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

/// Whether `text` is a name: a letter or `_`, then letters, digits and `_`. Letters and digits of every script
/// count, because Java and Python write them; the specification stops at ASCII.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    starts && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether `text` is names joined by dots.
pub(super) fn is_dotted_name(text: &str) -> bool {
    text.split('.').all(is_name)
}

/// The full name that `name` means in `namespace`, where `""` is no namespace. A dotted name is full already.
pub(super) fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() { name.into() } else { format!("{namespace}.{name}") }
}

/// A full name in its namespace, `""` for none, and its simple name.
pub(super) fn split(full_name: &str) -> (&str, &str) {
    full_name.rsplit_once('.').unwrap_or(("", full_name))
}

/// The Avro type that a name from another language or an older habit stands for.
pub(super) fn standard_name(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "null" | "none" | "void" => "null",
        "bool" | "boolean" => "boolean",
        "int" | "int8" | "int16" | "int32" | "integer" | "short" => "int",
        "long" | "int64" | "bigint" => "long",
        "float" | "float32" => "float",
        "double" | "float64" => "double",
        "bytes" | "binary" | "blob" => "bytes",
        "string" | "str" | "text" | "utf8" | "varchar" => "string",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for name in ["a", "_", "A9_", "__class__", "größe", "名前", "naïve2"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "9", "a-b", "a b", "a.b", ".a", "a\0", "a\n", "../x", "🦀", "a$"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn dotted_names_have_no_empty_part() {
        assert!(is_dotted_name("a.b.C") && is_dotted_name("C"));
        for name in ["", ".", ".C", "a.", "a..C", "a.9"] {
            assert!(!is_dotted_name(name), "{name}");
        }
    }

    #[test]
    fn a_namespace_is_put_before_simple_names_only() {
        assert_eq!(full_name("C", "a.b"), "a.b.C");
        assert_eq!(full_name("C", ""), "C");
        assert_eq!(full_name("x.C", "a.b"), "x.C");
        assert_eq!((split("a.b.C"), split("C")), (("a.b", "C"), ("", "C")));
    }
}
