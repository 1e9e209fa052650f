//! The canonical text, which the parser reads back.

use std::fmt;

use super::{LIST_LENGTH, is_plain};
use crate::literal::quoted;
use crate::{Comparison, Node, Operand, Predicate};

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        })
    }
}

impl fmt::Display for Operand {
    /// A path that the grammar does not have is a JSON string in brackets: `["c d"]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path =
            if is_plain(self.path()) { self.path().to_owned() } else { format!("[{}]", quoted(self.path())) };
        match self {
            Self::Column(_) => f.write_str(&path),
            Self::ListLength(_) => write!(f, "{LIST_LENGTH}({path})"),
        }
    }
}

/// A part of the text that is not written yet.
enum Pending<'a> {
    Text(&'static str),
    /// A predicate in a place that needs at least this binding.
    Predicate(&'a Predicate, Binding),
}

/// How strongly a predicate binds its parts.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Or,
    And,
    Not,
}

impl fmt::Display for Predicate {
    /// Writes without recursion, because a tree may have any depth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pending = vec![Pending::Predicate(self, Binding::Or)];
        while let Some(next) = pending.pop() {
            let (predicate, place) = match next {
                Pending::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Pending::Predicate(predicate, place) => (predicate, place),
            };
            let (parts, separator, binding, inner) = match predicate.node() {
                Node::Or(parts) => (parts, " or ", Binding::Or, Binding::And),
                Node::And(parts) => (parts, " and ", Binding::And, Binding::Not),
                Node::Not(inner) => {
                    write_not(f, inner, &mut pending)?;
                    continue;
                }
                leaf => {
                    write_leaf(f, leaf, "")?;
                    continue;
                }
            };
            let parentheses = binding < place;
            if parentheses {
                f.write_str("(")?;
                pending.push(Pending::Text(")"));
            }
            for (i, part) in parts.iter().enumerate().rev() {
                pending.push(Pending::Predicate(part, inner));
                if i > 0 {
                    pending.push(Pending::Text(separator));
                }
            }
        }
        Ok(())
    }
}

fn write_not<'a>(
    f: &mut fmt::Formatter<'_>,
    inner: &'a Predicate,
    pending: &mut Vec<Pending<'a>>,
) -> fmt::Result {
    match inner.node() {
        leaf @ (Node::In(..) | Node::IsNull(_)) => write_leaf(f, leaf, "not "),
        _ => {
            pending.extend([Pending::Text(")"), Pending::Predicate(inner, Binding::Or)]);
            f.write_str("not (")
        }
    }
}

fn write_leaf(f: &mut fmt::Formatter<'_>, leaf: &Node, not: &str) -> fmt::Result {
    match leaf {
        Node::Compare(operand, comparison, literal) => write!(f, "{operand} {comparison} {literal}"),
        Node::In(operand, literals) => {
            write!(f, "{operand} {not}in [")?;
            for (i, literal) in literals.iter().enumerate() {
                write!(f, "{}{literal}", if i > 0 { ", " } else { "" })?;
            }
            f.write_str("]")
        }
        Node::IsNull(operand) => write!(f, "{operand} is {not}null"),
        Node::StartsWith(operand, prefix) => write!(f, "{operand} starts with {}", quoted(prefix)),
        Node::And(_) | Node::Or(_) | Node::Not(_) => Ok(()),
    }
}
