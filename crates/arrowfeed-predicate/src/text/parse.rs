//! The parser of predicates.

use std::str::FromStr;

use super::{LIST_LENGTH, RESERVED, is_word, path_length};
use crate::path::split_string;
use crate::{Comparison, Literal, Operand, Predicate, PredicateError, col};

/// Parentheses and `not`s inside one another. The text of the deepest tree has two for each level.
const MAX_NESTING: usize = 2 * crate::MAX_DEPTH;

/// Characters of an unexpected text in a message.
const SHOWN: usize = 20;

const COMPARISONS: [(&str, Comparison); 8] = [
    ("==", Comparison::Eq),
    ("!=", Comparison::Ne),
    ("<>", Comparison::Ne),
    ("<=", Comparison::Le),
    (">=", Comparison::Ge),
    ("<", Comparison::Lt),
    (">", Comparison::Gt),
    ("=", Comparison::Eq),
];

impl Predicate {
    /// Reads a predicate: `age >= 18 and label is not null`.
    ///
    /// ```
    /// use arrowfeed_predicate::{Predicate, col};
    ///
    /// let predicate = Predicate::parse(r#"not (country in ["de", "fr"]) or list_length(tags) >= 2"#)?;
    /// assert_eq!(predicate, !col("country").is_in(["de", "fr"]) | col("tags").list_length().ge(2));
    /// # Ok::<(), arrowfeed_predicate::PredicateError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not a predicate, or it is nested too deeply.
    pub fn parse(text: &str) -> Result<Self, PredicateError> {
        let mut parser = Parser { text, rest: text, nesting: 0 };
        let predicate = parser.or()?;
        parser.skip_space();
        if !parser.rest.is_empty() {
            return Err(parser.expected("a comparison, \"and\", \"or\" or the end"));
        }
        predicate.check_depth()?;
        Ok(predicate)
    }
}

impl FromStr for Predicate {
    type Err = PredicateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    /// Parentheses and `not`s around the rest.
    nesting: usize,
}

type Parsed<T> = Result<T, PredicateError>;

impl<'a> Parser<'a> {
    fn or(&mut self) -> Parsed<Predicate> {
        let mut found = self.and()?;
        while self.keyword("or") {
            found = found | self.and()?;
        }
        Ok(found)
    }

    fn and(&mut self) -> Parsed<Predicate> {
        let mut found = self.not()?;
        while self.keyword("and") {
            found = found & self.not()?;
        }
        Ok(found)
    }

    fn not(&mut self) -> Parsed<Predicate> {
        if self.nesting > MAX_NESTING {
            return Err(self.expected(&format!("at most {MAX_NESTING} nested parentheses")));
        }
        self.nesting += 1;
        let found = if self.keyword("not") {
            !self.not()?
        } else if self.symbol("(") {
            let found = self.or()?;
            self.required(")", "\")\", \"and\" or \"or\"")?;
            found
        } else {
            self.leaf()?
        };
        self.nesting -= 1;
        Ok(found)
    }

    fn leaf(&mut self) -> Parsed<Predicate> {
        let operand = self.operand()?;
        if let Some((_, comparison)) = COMPARISONS.into_iter().find(|(symbol, _)| self.symbol(symbol)) {
            let literal = self.literal()?;
            return Ok(operand.compare(comparison, literal));
        }
        if self.keyword("is") {
            let not = self.keyword("not");
            if !self.keyword("null") {
                return Err(self.expected(if not { "\"null\"" } else { "\"null\" or \"not null\"" }));
            }
            let found = operand.is_null();
            return Ok(if not { !found } else { found });
        }
        if self.keyword("starts") {
            if !self.keyword("with") {
                return Err(self.expected("\"with\""));
            }
            let prefix = self.string()?.ok_or_else(|| self.expected("a string in quotes"))?;
            return Ok(operand.starts_with(prefix));
        }
        let not = self.keyword("not");
        if self.keyword("in") {
            let found = operand.is_in(self.literals()?);
            return Ok(if not { !found } else { found });
        }
        match operand {
            _ if not => Err(self.expected("\"in\"")),
            Operand::ListLength(_) => Err(self.expected("a comparison")),
            column @ Operand::Column(_) => Ok(column.eq(true)),
        }
    }

    fn operand(&mut self) -> Parsed<Operand> {
        self.skip_space();
        let start = self.rest;
        let word = self.word();
        if word.eq_ignore_ascii_case(LIST_LENGTH) {
            self.rest = &start[word.len()..];
            if self.symbol("(") {
                let path = self.path()?;
                self.required(")", "\")\"")?;
                return Ok(col(path).list_length());
            }
            self.rest = start;
        }
        self.path().map(col)
    }

    /// Reads `a.b`, `['a b'].c`, or any path as a JSON string in brackets.
    fn path(&mut self) -> Parsed<String> {
        self.skip_space();
        let start = self.rest;
        if start.starts_with("[\"") {
            self.rest = &start[1..];
            let path = self.json_string()?;
            self.required("]", "\"]\"")?;
            return Ok(path);
        }
        let path = &start[..path_length(start)];
        if path.is_empty() || RESERVED.iter().any(|word| path.eq_ignore_ascii_case(word)) {
            return Err(self.expected("a column"));
        }
        self.rest = &start[path.len()..];
        Ok(path.to_owned())
    }

    /// Reads `[1, 2]` or `(1, 2)`.
    fn literals(&mut self) -> Parsed<Vec<Literal>> {
        let end = if self.symbol("(") { ")" } else { "]" };
        if end == "]" {
            self.required("[", "a list of literals in brackets or parentheses")?;
        }
        let mut found = Vec::new();
        if self.symbol(end) {
            return Ok(found);
        }
        loop {
            found.push(self.literal()?);
            if !self.symbol(",") {
                self.required(end, &format!("\",\" or \"{end}\""))?;
                return Ok(found);
            }
        }
    }

    fn literal(&mut self) -> Parsed<Literal> {
        if let Some(text) = self.string()? {
            return Ok(text.into());
        }
        let word = self.word();
        let literal = match word.to_ascii_lowercase().as_str() {
            "true" => true.into(),
            "false" => false.into(),
            "inf" | "+inf" => Literal::Infinity,
            "-inf" => Literal::NegativeInfinity,
            "nan" => Literal::NaN,
            "null" => return Err(self.expected("a literal; nulls are found by \"is null\"")),
            "x" if self.rest[1..].starts_with(['"', '\'']) => return self.bytes(),
            _ if word.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) => {
                word.parse().map(Literal::Number).map_err(|expected: &str| self.expected(expected))?
            }
            _ => return Err(self.expected("a number, a string in quotes, true or false")),
        };
        self.rest = &self.rest[word.len()..];
        Ok(literal)
    }

    /// Reads `x"00ff"` or `x'00ff'`.
    fn bytes(&mut self) -> Parsed<Literal> {
        let start = self.rest;
        let quote = &start[1..2];
        let digits = start[2..].split_once(quote).map_or("", |(digits, _)| digits);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let hexadecimal =
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()) && digits.len().is_multiple_of(2);
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        match bytes {
            Some(bytes) if hexadecimal && start[2 + digits.len()..].starts_with(quote) => {
                self.rest = &start[digits.len() + 3..];
                Ok(bytes.into())
            }
            _ => Err(self.expected("bytes as pairs of hexadecimal digits, such as x\"00ff\"")),
        }
    }

    /// Reads a string in quotes of either kind, if one starts here.
    fn string(&mut self) -> Parsed<Option<String>> {
        self.skip_space();
        match self.rest.chars().next() {
            Some('"') => self.json_string().map(Some),
            Some('\'') => self.plain_string().map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a string in single quotes. It has no escapes but two quotes for one, as in SQL.
    fn plain_string(&mut self) -> Parsed<String> {
        match split_string(self.rest) {
            Some((found, rest)) => {
                self.rest = rest;
                Ok(found)
            }
            None => Err(self.expected("a string that ends with a single quote")),
        }
    }

    /// Reads a JSON string, which starts here.
    fn json_string(&mut self) -> Parsed<String> {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, character)| {
            let ends = *character == '"' && !escaped;
            escaped = *character == '\\' && !escaped;
            ends
        });
        let text = end.map_or(self.rest, |(end, _)| &self.rest[..=end]);
        let found = serde_json::from_str(text)
            .map_err(|_| self.expected("a string in double quotes with the escapes of JSON"))?;
        self.rest = &self.rest[text.len()..];
        Ok(found)
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// The word at the start of the rest.
    fn word(&mut self) -> &'a str {
        self.skip_space();
        &self.rest[..self.rest.find(|character| !is_word(character)).unwrap_or(self.rest.len())]
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let word = self.word();
        let found = word.eq_ignore_ascii_case(keyword);
        if found {
            self.rest = &self.rest[word.len()..];
        }
        found
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn required(&mut self, symbol: &str, expected: &str) -> Parsed<()> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The error of the rest.
    fn expected(&mut self, expected: &str) -> PredicateError {
        self.skip_space();
        let before = &self.text[..self.text.len() - self.rest.len()];
        let word = self.word();
        let shown = if word.is_empty() { self.rest } else { word };
        let mut found: String = shown.chars().take(SHOWN).collect();
        if found.len() < shown.len() {
            found.push('…');
        }
        PredicateError::Syntax {
            position: before.chars().count() + 1,
            expected: expected.to_owned(),
            found: if found.is_empty() { "the end".to_owned() } else { format!("{found:?}") },
        }
    }
}
