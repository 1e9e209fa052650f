//! Avro names of Arrow columns.
//!
//! Each character other than an ASCII letter, a digit or `_` becomes `_`; a name that is empty or begins with a digit
//! gets a `_` in front; a name that is already taken gets `_2`, `_3` and so on at its end.

use std::collections::HashSet;

use crate::schema::name::PRIMITIVES;

/// Whether the text is a valid name of the Avro specification.
pub(super) fn is_avro_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Assigned names, which are unique.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Assigns a name to a field.
    pub(super) fn field(&mut self, column: &str) -> String {
        self.unique(avro_name(column), "")
    }

    /// Assigns a name to a record, an enum or a fixed in a namespace.
    pub(super) fn named_type(&mut self, column: &str, namespace: &str) -> String {
        let mut name = avro_name(column);
        if PRIMITIVES.contains(&name.as_str()) {
            name.push('_');
        }
        self.unique(name, namespace)
    }

    /// Takes the full name of a record, an enum or a fixed unchanged, and returns whether that was possible.
    pub(super) fn takes(&mut self, name: &str, namespace: &str) -> bool {
        is_avro_name(name)
            && namespace.split('.').all(is_avro_name)
            && !PRIMITIVES.contains(&name)
            && self.taken.insert(format!("{namespace}.{name}"))
    }

    /// The name itself or, if it is taken in its namespace, the name with a number.
    fn unique(&mut self, name: String, namespace: &str) -> String {
        let full = |name: &str| format!("{namespace}.{name}");
        let mut candidate = name.clone();
        let mut number = 1;
        while !self.taken.insert(full(&candidate)) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        candidate
    }
}

fn avro_name(column: &str) -> String {
    let character = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = column.chars().map(character).collect();
    if is_avro_name(&name) { name } else { format!("_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_names_of_the_specification() {
        let mut names = Names::default();
        let columns = ["id", "my col", "my-col", "my_col", "", "_", "2nd", "größe", "a.b", "id", "id_2"];
        let found = columns.map(|column| names.field(column));
        let expected =
            ["id", "my_col", "my_col_2", "my_col_3", "_", "__2", "_2nd", "gr__e", "a_b", "id_2", "id_2_2"];
        assert_eq!(found, expected);
        assert!(found.iter().all(|name| is_avro_name(name)));
    }

    #[test]
    fn types_are_never_named_like_a_primitive_type() {
        let mut names = Names::default();
        let found = [("string", "a"), ("user", "a"), ("user", "b"), ("user", "a")];
        let found = found.map(|(column, namespace)| names.named_type(column, namespace));
        assert_eq!(found, ["string_", "user", "user", "user_2"]);
    }
}
