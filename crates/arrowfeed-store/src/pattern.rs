//! Globs for names of objects, with the rules of a shell.

use arrowfeed_source::{FeedError, FeedErrorKind};
use glob::{MatchOptions, Pattern};

/// A star matches neither a separator nor a leading dot.
const SHELL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

const GLOB: [char; 3] = ['*', '?', '['];

/// Whether a name contains glob characters.
pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(GLOB)
}

/// A glob, divided into the parts that narrow a listing.
#[derive(Debug)]
pub(crate) struct Glob {
    whole: Pattern,
    /// The leading parts without glob characters, each with a trailing slash.
    pub base: String,
    /// The parts after the base.
    pub parts: Vec<GlobPart>,
}

/// A part of a glob between two slashes.
#[derive(Debug)]
pub(crate) struct GlobPart {
    pattern: Pattern,
    /// The text before the first glob character.
    pub start: String,
    /// Whether it contains no glob character.
    pub is_literal: bool,
}

impl GlobPart {
    /// Whether a name without slashes matches.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.pattern.matches_with(name, SHELL)
    }
}

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    /// It is not a valid glob.
    pub(crate) fn parse(name: &str) -> Result<Self, FeedError> {
        let compile = |text: &str| {
            Pattern::new(text).map_err(|error| {
                let message = format!("expected a glob, found an invalid one: {error}");
                FeedError::new(FeedErrorKind::Options, message)
            })
        };
        let whole = compile(name)?;
        let base = name.find(GLOB).map_or(name, |first| &name[..first]);
        let base = &base[..base.rfind('/').map_or(0, |slash| slash + 1)];
        let part = |text: &str| {
            let start = text.find(GLOB).map_or(text, |first| &text[..first]).to_owned();
            Ok(GlobPart { pattern: compile(text)?, start, is_literal: !is_glob(text) })
        };
        let parts = name[base.len()..].split('/').map(part).collect::<Result<_, FeedError>>()?;
        Ok(Self { whole, base: base.to_owned(), parts })
    }

    /// Whether one of the parts is `**`, which matches any number of parts of a name.
    pub(crate) fn is_recursive(&self) -> bool {
        self.parts.iter().any(|part| part.pattern.as_str() == "**")
    }

    /// Whether the name of an object matches.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.whole.matches_with(name, SHELL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_glob_narrows_a_listing() {
        let glob = Glob::parse("data/2024/month=*/part-[0-9]?.avro").unwrap();
        assert_eq!(glob.base, "data/2024/");
        let parts: Vec<(&str, bool)> =
            glob.parts.iter().map(|part| (part.start.as_str(), part.is_literal)).collect();
        assert_eq!(parts, [("month=", false), ("part-", false)]);
        assert!(!glob.is_recursive());
        assert!(glob.matches("data/2024/month=1/part-01.avro"));
        assert!(!glob.matches("data/2024/month=1/x/part-01.avro"));
        let glob = Glob::parse("a*/b/**/c.avro").unwrap();
        assert_eq!((glob.base.as_str(), glob.is_recursive()), ("", true));
        assert!(glob.parts[1].is_literal);
        assert!(glob.matches("ax/b/c.avro") && glob.matches("ax/b/d/e/c.avro"));
    }

    #[test]
    fn a_wrong_glob_is_refused() {
        let message = "expected a glob, found an invalid one: Pattern syntax error near position 1: invalid range pattern";
        assert_eq!(Glob::parse("a[b").unwrap_err().to_string(), message);
    }
}
