//! Parser of key expressions. An error names the character where it occurs.

use super::key::{Filter, KeyStep, Literal, Operand, OperandKind, Path, StepKind};
use crate::error::{RepresentationError, RepresentationErrorKind};

/// Limit on the steps of a key: more than any schema needs, and few enough for one nested call each.
const MAX_STEPS: usize = 256;
/// Limit on the depth of nested filters.
const MAX_NESTED: usize = 8;

pub(super) fn parse(text: &str) -> Result<Path, RepresentationError> {
    let mut parser = Parser { text, characters: text.chars().collect(), at: 0, steps: 0 };
    let path = parser.path(0)?;
    match parser.peek() {
        None => Ok(path),
        Some(_) => Err(parser.expected("\".\", \"[\", \":\" or the end")),
    }
}

/// Whether the text is a name that needs no quotes.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(begins_name) && text.chars().all(in_name)
}

fn begins_name(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn in_name(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

struct Parser<'a> {
    text: &'a str,
    characters: Vec<char>,
    /// Index of the next character.
    at: usize,
    steps: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        self.at += usize::from(found);
        found
    }

    fn spaces(&mut self) {
        while self.take(' ') {}
    }

    fn expected(&self, what: &str) -> RepresentationError {
        let found =
            self.peek().map_or("the end".to_owned(), |character| format!("{:?}", character.to_string()));
        self.error(self.at, what, found)
    }

    fn error(&self, at: usize, expected: &str, found: impl Into<String>) -> RepresentationError {
        let error = RepresentationError::new(RepresentationErrorKind::Key, expected, found);
        error.in_key(self.text, Some(at + 1))
    }

    fn path(&mut self, nested: usize) -> Result<Path, RepresentationError> {
        let mut path = Path { from_root: self.take('@'), steps: Vec::new() };
        while let Some(step) = self.step(path.steps.is_empty(), nested)? {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(self.error(step.at - 1, &format!("at most {MAX_STEPS} steps"), "more"));
            }
            path.steps.push(step);
        }
        match path.steps.is_empty() {
            true => Err(self.expected("a name or \"[\"")),
            false => Ok(path),
        }
    }

    /// Parses one step, `None` if no step begins here.
    fn step(&mut self, first: bool, nested: usize) -> Result<Option<KeyStep>, RepresentationError> {
        let at = self.at + 1;
        let kind = match self.peek() {
            Some(character) if first && begins_name(character) => StepKind::Name(self.name()?),
            Some('.') if !first => {
                self.at += 1;
                StepKind::Name(self.name()?)
            }
            Some('[') => self.bracket(nested)?,
            Some(':') => {
                self.at += 1;
                StepKind::Branch(self.branch()?)
            }
            _ => return Ok(None),
        };
        Ok(Some(KeyStep { at, kind }))
    }

    fn name(&mut self) -> Result<String, RepresentationError> {
        if !self.peek().is_some_and(begins_name) {
            return Err(self.expected("a name"));
        }
        let rest = &self.characters[self.at..];
        let name: String = rest.iter().take_while(|character| in_name(**character)).collect();
        self.at += name.chars().count();
        Ok(name)
    }

    fn branch(&mut self) -> Result<String, RepresentationError> {
        if !self.take('[') {
            return self.name();
        }
        if self.peek() != Some('\'') {
            return Err(self.expected("the name of a branch in quotes"));
        }
        let name = self.quoted()?;
        self.closed().map(|()| name)
    }

    fn bracket(&mut self, nested: usize) -> Result<StepKind, RepresentationError> {
        self.at += 1;
        if self.take('*') {
            return self.closed().map(|()| StepKind::Each);
        }
        if nested >= MAX_NESTED {
            let expected = format!("filters nested at most {MAX_NESTED} deep");
            return Err(self.error(self.at - 1, &expected, "a deeper one"));
        }
        let left = self.operand("\"*\", an index, a key in quotes or a filter", nested)?;
        self.spaces();
        let negated = self.take('!');
        if self.take('=') {
            let right = self.operand("a path, a text in quotes, a number, true, false or null", nested)?;
            self.spaces();
            self.closed()?;
            if let (OperandKind::Literal(_), OperandKind::Literal(_)) = (&left.kind, &right.kind) {
                return Err(self.error(left.at - 1, "a filter with a path on one side", "two constants"));
            }
            return Ok(StepKind::Filter(Box::new(Filter { left, negated, right })));
        }
        if negated {
            return Err(self.expected("\"=\" after \"!\""));
        }
        let kind = match (left.kind, self.peek()) {
            (OperandKind::Literal(Literal::Integer(index)), Some(']')) => {
                i64::try_from(index).map(StepKind::Index)
            }
            (OperandKind::Literal(Literal::Text(key)), Some(']')) => Ok(StepKind::Quoted(key)),
            (OperandKind::Path(_), _) | (_, Some(']')) => return Err(self.expected("\"=\" or \"!=\"")),
            (OperandKind::Literal(_), _) => return Err(self.expected("\"]\", \"=\" or \"!=\"")),
        };
        let kind = kind.map_err(|_| self.error(left.at - 1, "an index of 64 bits", "a larger one"))?;
        self.closed().map(|()| kind)
    }

    fn closed(&mut self) -> Result<(), RepresentationError> {
        if self.take(']') { Ok(()) } else { Err(self.expected("\"]\"")) }
    }

    fn operand(&mut self, expected: &str, nested: usize) -> Result<Operand, RepresentationError> {
        self.spaces();
        let at = self.at + 1;
        let kind = match self.peek() {
            Some('\'') => OperandKind::Literal(Literal::Text(self.quoted()?)),
            Some(character) if character == '-' || character.is_ascii_digit() => {
                OperandKind::Literal(self.number()?)
            }
            Some(character) if begins_name(character) => match self.word() {
                Some(literal) => OperandKind::Literal(literal),
                None => OperandKind::Path(self.path(nested + 1)?),
            },
            Some('@' | '[' | ':') => OperandKind::Path(self.path(nested + 1)?),
            _ => return Err(self.expected(expected)),
        };
        Ok(Operand { at, kind })
    }

    /// Parses a name that stands for a value. A field with such a name must be quoted.
    fn word(&mut self) -> Option<Literal> {
        let rest = &self.characters[self.at..];
        let word: String = rest.iter().take_while(|character| in_name(**character)).take(6).collect();
        let literal = match word.as_str() {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" => Literal::Null,
            _ => return None,
        };
        self.at += word.len();
        Some(literal)
    }

    /// Parses a text in quotes. Quotes inside the text are doubled.
    fn quoted(&mut self) -> Result<String, RepresentationError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.expected("a closing quote")),
                Some('\'') => {
                    self.at += 1;
                    if !self.take('\'') {
                        return Ok(text);
                    }
                    text.push('\'');
                }
                Some(character) => {
                    self.at += 1;
                    text.push(character);
                }
            }
        }
    }

    fn number(&mut self) -> Result<Literal, RepresentationError> {
        let start = self.at;
        self.take('-');
        self.digits()?;
        let mut whole = true;
        if self.take('.') {
            whole = false;
            self.digits()?;
        }
        if self.take('e') || self.take('E') {
            whole = false;
            let _sign = self.take('-') || self.take('+');
            self.digits()?;
        }
        let text: String = self.characters[start..self.at].iter().collect();
        if whole {
            let number =
                text.parse().ok().filter(|number| (i64::MIN.into()..=u64::MAX.into()).contains(number));
            return number
                .map(Literal::Integer)
                .ok_or_else(|| self.error(start, "an integer of 64 bits", text));
        }
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Literal::Float).ok_or_else(|| self.error(start, "a finite number", text))
    }

    fn digits(&mut self) -> Result<(), RepresentationError> {
        let start = self.at;
        while self.peek().is_some_and(|character| character.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }
}
