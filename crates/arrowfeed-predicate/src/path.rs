//! Steps of field paths: `a.b`, and `['a.b'].c` if a name needs quotes.

/// Formats a quoted step.
pub fn quoted_step(name: &str) -> String {
    format!("['{}']", name.replace('\'', "''"))
}

/// Splits a path that starts with a quoted step into the name and the rest of the path.
pub fn split_quoted(path: &str) -> Option<(String, &str)> {
    let (name, rest) = split_string(path.strip_prefix('[')?)?;
    Some((name, rest.strip_prefix(']')?))
}

/// Splits a text that starts with a string in single quotes into the string and the rest. Two quotes in the string stand
/// for one.
pub(crate) fn split_string(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut string = String::new();
    loop {
        let (part, behind) = rest.split_once('\'')?;
        string.push_str(part);
        match behind.strip_prefix('\'') {
            Some(behind) => {
                string.push('\'');
                rest = behind;
            }
            None => return Some((string, behind)),
        }
    }
}

/// Returns the rest of the path after the step to field `name`, if the path starts with that step. The rest is empty if
/// the path ends there.
///
/// ```
/// use arrowfeed_predicate::path::after_step;
///
/// assert_eq!(after_step("user.name", "user"), Some("name"));
/// assert_eq!(after_step("['a.b']", "a.b"), Some(""));
/// assert_eq!(after_step("users", "user"), None);
/// ```
pub fn after_step<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let rest = match split_quoted(path) {
        Some((quoted, rest)) if quoted == name => rest,
        Some(_) => return None,
        None => path.strip_prefix(name)?,
    };
    after_name(rest)
}

/// The rest of a path after the name of a step, if the name may end here.
pub fn after_name(rest: &str) -> Option<&str> {
    match rest.strip_prefix('.') {
        Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
        None if rest.is_empty() || rest.starts_with("['") => Some(rest),
        None => None,
    }
}
