//! Rules of names, full names, and suggestions for unknown names.

/// The types that are written as a name alone.
pub(crate) const PRIMITIVES: [&str; 8] =
    ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

/// Whether a field, a type or a branch can have this name in Arrow, whose C interface ends names at U+0000.
///
/// The specification allows only letters, digits and `_`, but writers use other names: Java's reflection ends namespaces
/// in `$`, polars leaves the name of its root record empty and names fields like the columns, and ClickHouse writes enum
/// symbols unchanged. The readers of Java and Python accept all of these, and so does this one.
pub(super) fn is_name(text: &str) -> bool {
    !text.contains('\0')
}

/// The full name that `name` means in `namespace`, where `""` is no namespace. A dotted name is already full; if its only
/// dot is the first character, it has no namespace.
pub(super) fn full_name(name: &str, namespace: &str) -> String {
    match name.rsplit_once('.') {
        Some(("", simple)) => simple.into(),
        Some(_) => name.into(),
        None if namespace.is_empty() => name.into(),
        None => format!("{namespace}.{name}"),
    }
}

/// The namespace of a full name, `""` if it has none, and its simple name.
pub(crate) fn split(full_name: &str) -> (&str, &str) {
    full_name.rsplit_once('.').unwrap_or(("", full_name))
}

/// The Avro type that is meant by a type name of another language.
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
    fn every_text_without_a_zero_is_a_name() {
        for name in ["a", "", "9", "a-b", "a b", "a.b", ".a", "a\n", "größe", "🦀", "a$", "\""] {
            assert!(is_name(name), "{name}");
        }
        assert!(!is_name("a\0") && !is_name("\0"));
    }

    #[test]
    fn a_namespace_is_put_before_simple_names_only() {
        assert_eq!(full_name("C", "a.b"), "a.b.C");
        assert_eq!(full_name("C", ""), "C");
        assert_eq!(full_name("x.C", "a.b"), "x.C");
        assert_eq!((full_name(".C", "a.b"), full_name("C", "a.B$")), ("C".into(), "a.B$.C".into()));
        assert_eq!(
            (full_name("", ""), full_name("", "a"), full_name("a.", "")),
            ("".into(), "a.".into(), "a.".into())
        );
        assert_eq!((full_name("..C", ""), full_name("C", ".")), ("..C".into(), "..C".into()));
        assert_eq!((split("a.b.C"), split("C")), (("a.b", "C"), ("", "C")));
        assert_eq!((split("a."), split("a..C"), split("..C")), (("a", ""), ("a.", "C"), (".", "C")));
    }
}
