//! The text of a predicate.
//!
//! | file | purpose |
//! |---|---|
//! | `parse` | the parser |
//! | `display` | the canonical text |

mod display;
mod parse;

#[cfg(feature = "substrait")]
use crate::path::quoted_step;
use crate::path::split_quoted;

/// Words that are not column names, unless they are quoted. They are keywords in any case of letters.
const RESERVED: [&str; 8] = ["and", "or", "not", "in", "is", "null", "true", "false"];

/// The function whose operand is the length of a list.
const LIST_LENGTH: &str = "list_length";

/// Whether the character may be in a column name without quotes.
fn is_word(character: char) -> bool {
    !character.is_whitespace() && !character.is_control() && !r#""'`()[],;=<>!&|"#.contains(character)
}

/// The length of the column path at the start of a text: words, and names in `['..']`. 0 if there is none.
fn path_length(text: &str) -> usize {
    // A number is not a path.
    if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return 0;
    }
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let word = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let step = if word > 0 {
            word
        } else {
            split_quoted(rest).map_or(0, |(_, behind)| rest.len() - behind.len())
        };
        if step == 0 {
            return end;
        }
        end += step;
    }
}

/// Whether the path needs no quotes in the text of a predicate.
fn is_plain(path: &str) -> bool {
    let reserved = || RESERVED.iter().any(|word| path.eq_ignore_ascii_case(word));
    !path.is_empty() && path_length(path) == path.len() && !path.chars().any(char::is_control) && !reserved()
}

/// Appends the step to field `name` to a path.
#[cfg(feature = "substrait")]
pub(crate) fn push_step(path: &mut String, name: &str) {
    let is_plain = !name.is_empty() && !name.contains('.') && name.chars().all(is_word);
    match is_plain {
        true if path.is_empty() => path.push_str(name),
        true => path.extend([".", name]),
        false => path.push_str(&quoted_step(name)),
    }
}
