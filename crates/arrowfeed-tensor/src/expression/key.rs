//! Parsed key expressions, and their text.

use std::fmt;
use std::str::FromStr;

use super::parse;
use crate::error::RepresentationError;

/// A path that selects values from each record: at least one step, outermost first.
///
/// ```text
/// key    := ["@"] step { step }          step := name | "." name | "[*]" | "[" int "]" | "['" key "']" | "[" filter "]" | ":" branch
/// filter := operand ("=" | "!=") operand    operand := path | "@" path | 'text' | number | true | false | null
/// ```
///
/// A name consists of letters, digits and `_`, and does not begin with a digit. Any other name is written in `['...']`, with
/// quotes doubled. Two expressions are equal if they have the same steps, even if their texts differ.
///
/// ```
/// use arrowfeed_tensor::KeyExpression;
///
/// let key: KeyExpression = "friends[ gender = 'unknown' ].name.first".parse()?;
/// assert_eq!(key.to_string(), "friends[gender='unknown'].name.first");
///
/// let error = "friends[*.name".parse::<KeyExpression>().unwrap_err();
/// assert_eq!(error.to_string(), r#"key "friends[*.name", character 10: expected "]", found ".""#);
/// # Ok::<(), arrowfeed_tensor::RepresentationError>(())
/// ```
#[derive(Debug, Clone)]
pub struct KeyExpression {
    text: String,
    path: Path,
}

/// Steps from the record, or from the element that a filter tests.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    /// Whether it begins with `@`.
    pub(crate) from_root: bool,
    pub(crate) steps: Vec<KeyStep>,
}

#[derive(Debug, Clone)]
pub(crate) struct KeyStep {
    /// The position of its first character in the text, counted from 1.
    pub(crate) at: usize,
    pub(crate) kind: StepKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StepKind {
    /// A field.
    Name(String),
    /// A field of a record, or the value of a key in a map.
    Quoted(String),
    /// All elements.
    Each,
    /// One element, counted from the end if the index is negative.
    Index(i64),
    /// The elements that a filter keeps.
    Filter(Box<Filter>),
    /// One branch of a union.
    Branch(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter {
    pub(crate) left: Operand,
    /// `!=`
    pub(crate) negated: bool,
    pub(crate) right: Operand,
}

#[derive(Debug, Clone)]
pub(crate) struct Operand {
    pub(crate) at: usize,
    pub(crate) kind: OperandKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OperandKind {
    Path(Path),
    Literal(Literal),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    /// Between the least int64 and the largest uint64.
    Integer(i128),
    /// Finite.
    Float(f64),
    Bool(bool),
    Null,
}

impl KeyExpression {
    /// Parses a key.
    ///
    /// # Errors
    /// The text is not a key. The message names the character, and says what was expected and found there.
    pub fn parse(text: &str) -> Result<Self, RepresentationError> {
        Ok(Self { text: text.to_owned(), path: parse::parse(text)? })
    }

    /// The key as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// This key with `[*]` at its end: the elements of the arrays that this key selects.
    pub(crate) fn each(&self) -> Result<Self, RepresentationError> {
        Self::parse(&format!("{}[*]", self.text))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of dimensions after the batch dimension: one for each `[*]` and each filter.
    pub fn rank(&self) -> usize {
        self.path.rank()
    }

    /// Whether the key begins with `@`, so that it is never relative to another key.
    pub fn is_from_root(&self) -> bool {
        self.path.from_root
    }

    pub(crate) fn first_step(&self) -> &StepKind {
        &self.path.steps[0].kind
    }

    /// Resolves this key relative to `outer`, unless it begins with `@`. If `each` is true, puts the implied `[*]` between the
    /// two keys.
    pub(crate) fn inside(&self, outer: &Self, each: bool) -> Result<Self, RepresentationError> {
        if self.path.from_root {
            return Ok(self.clone());
        }
        let each = if each { "[*]" } else { "" };
        let dot = if matches!(self.path.steps[0].kind, StepKind::Name(_)) { "." } else { "" };
        Self::parse(&format!("{}{each}{dot}{}", outer.text, self.text))
    }
}

impl Path {
    pub(crate) fn rank(&self) -> usize {
        let adds = |step: &&KeyStep| matches!(step.kind, StepKind::Each | StepKind::Filter(_));
        self.steps.iter().filter(adds).count()
    }
}

impl FromStr for KeyExpression {
    type Err = RepresentationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl PartialEq for KeyExpression {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

/// Ignores the position in the text.
impl PartialEq for KeyStep {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// Ignores the position in the text.
impl PartialEq for Operand {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// Writes the shortest text for this key.
impl fmt::Display for KeyExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from_root {
            f.write_str("@")?;
        }
        for (i, step) in self.steps.iter().enumerate() {
            match &step.kind {
                StepKind::Name(name) if i == 0 => f.write_str(name)?,
                StepKind::Name(name) => write!(f, ".{name}")?,
                StepKind::Quoted(name) => write!(f, "[{}]", quoted(name))?,
                StepKind::Each => f.write_str("[*]")?,
                StepKind::Index(index) => write!(f, "[{index}]")?,
                StepKind::Filter(filter) => write!(f, "[{filter}]")?,
                StepKind::Branch(name) if parse::is_name(name) => write!(f, ":{name}")?,
                StepKind::Branch(name) => write!(f, ":[{}]", quoted(name))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.left, if self.negated { "!=" } else { "=" }, self.right)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Path(path) => path.fmt(f),
            OperandKind::Literal(literal) => literal.fmt(f),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Integer(number) => number.fmt(f),
            // `Debug` writes a point or an exponent, so that the parser reads a float again.
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Bool(value) => value.fmt(f),
            Self::Null => f.write_str("null"),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
