//! The tree of a predicate, and the functions that build it.

use std::fmt;
use std::mem;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use crate::Literal;

/// Levels of the deepest predicate that is parsed or compiled.
pub const MAX_DEPTH: usize = 128;

/// A predicate over the rows of a schema that it does not know yet.
///
/// Predicates are equal if they have the same canonical text. A copy shares the tree.
///
/// ```
/// use arrowfeed_predicate::{Predicate, col};
///
/// let predicate = col("label").is_not_null() & col("age").ge(18);
/// assert_eq!(predicate.to_string(), "label is not null and age >= 18");
/// assert_eq!(Predicate::parse("label IS NOT NULL AND (age >= 18)").unwrap(), predicate);
/// ```
#[derive(Clone)]
pub struct Predicate(Arc<Node>);

/// A node of the tree.
///
/// [`Predicate`] has an example.
#[derive(Debug, Clone)]
pub enum Node {
    /// An operand is compared with a literal.
    Compare(Operand, Comparison, Literal),
    /// An operand is equal to one of these literals.
    In(Operand, Vec<Literal>),
    /// An operand is null.
    IsNull(Operand),
    /// An operand starts with a string.
    StartsWith(Operand, String),
    /// All of them are true. There are at least two, and none is an `And`. One without parts cannot be compiled.
    And(Vec<Predicate>),
    /// One of them is true. There are at least two, and none is an `Or`. One without parts cannot be compiled.
    Or(Vec<Predicate>),
    /// The predicate is false. It is not a `Not`.
    Not(Predicate),
}

/// What is compared.
///
/// [`Predicate`] has an example.
#[derive(Debug, Clone)]
pub enum Operand {
    /// The value of the column at a path.
    Column(String),
    /// The number of values of the list at a path.
    ListLength(String),
}

/// An operator of comparison.
///
/// [`Predicate`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Names the column at a path: `a.b` is the field `b` of the struct `a`, and `['a.b']` is a column with this name.
pub fn col(path: impl Into<String>) -> Operand {
    Operand::Column(path.into())
}

macro_rules! comparisons {
    ($($name:ident $comparison:ident $text:literal;)*) => {$(
        #[doc = concat!("Builds `operand ", $text, " literal`.")]
        #[must_use]
        pub fn $name(self, literal: impl Into<Literal>) -> Predicate {
            self.compare(Comparison::$comparison, literal)
        }
    )*};
}

impl Operand {
    comparisons! {
        eq Eq "==";
        ne Ne "!=";
        lt Lt "<";
        le Le "<=";
        gt Gt ">";
        ge Ge ">=";
    }

    /// Compares with a literal.
    #[must_use]
    pub fn compare(self, comparison: Comparison, literal: impl Into<Literal>) -> Predicate {
        Node::Compare(self, comparison, literal.into()).into()
    }

    /// Builds `operand in [literals]`.
    #[must_use]
    pub fn is_in<L: Into<Literal>>(self, literals: impl IntoIterator<Item = L>) -> Predicate {
        Node::In(self, literals.into_iter().map(Into::into).collect()).into()
    }

    /// Builds `operand is null`.
    #[must_use]
    pub fn is_null(self) -> Predicate {
        Node::IsNull(self).into()
    }

    /// Builds `operand is not null`.
    #[must_use]
    pub fn is_not_null(self) -> Predicate {
        !self.is_null()
    }

    /// Builds `operand starts with prefix`.
    #[must_use]
    pub fn starts_with(self, prefix: impl Into<String>) -> Predicate {
        Node::StartsWith(self, prefix.into()).into()
    }

    /// The number of values of the list.
    #[must_use]
    pub fn list_length(self) -> Operand {
        let (Self::Column(path) | Self::ListLength(path)) = self;
        Self::ListLength(path)
    }

    /// The path of the column.
    pub fn path(&self) -> &str {
        let (Self::Column(path) | Self::ListLength(path)) = self;
        path
    }
}

impl From<Node> for Predicate {
    fn from(node: Node) -> Self {
        Self(Arc::new(node))
    }
}

impl Predicate {
    /// The root of the tree.
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// The paths of the columns, each once, in the order of the text.
    pub fn columns(&self) -> Vec<&str> {
        let mut paths = Vec::new();
        self.visit(|node, _| match node {
            Node::Compare(operand, ..)
            | Node::In(operand, _)
            | Node::IsNull(operand)
            | Node::StartsWith(operand, _)
                if !paths.contains(&operand.path()) =>
            {
                paths.push(operand.path());
            }
            _ => {}
        });
        paths
    }

    /// Fails if the tree has too many levels for a recursion.
    pub(crate) fn check_depth(&self) -> Result<(), crate::PredicateError> {
        let mut depth = 0;
        self.visit(|_, level| depth = depth.max(level));
        if depth > MAX_DEPTH { Err(crate::PredicateError::Depth { depth }) } else { Ok(()) }
    }

    /// Fails if an `And` or `Or` has no parts, which no text has.
    pub(crate) fn check_parts(&self) -> Result<(), crate::PredicateError> {
        let mut empty = None;
        self.visit(|node, _| match node {
            Node::And(parts) if parts.is_empty() => empty = Some("and"),
            Node::Or(parts) if parts.is_empty() => empty = Some("or"),
            _ => {}
        });
        empty.map_or(Ok(()), |operator| Err(crate::PredicateError::NoParts { operator }))
    }

    /// Visits all nodes with their levels, without recursion. The root has level 1.
    fn visit<'a>(&'a self, mut visitor: impl FnMut(&'a Node, usize)) {
        let mut stack = vec![(self, 1)];
        while let Some((predicate, level)) = stack.pop() {
            visitor(predicate.node(), level);
            match predicate.node() {
                Node::And(parts) | Node::Or(parts) => {
                    stack.extend(parts.iter().rev().map(|part| (part, level + 1)));
                }
                Node::Not(inner) => stack.push((inner, level + 1)),
                _ => {}
            }
        }
    }

    /// Joins two predicates. The parts of a predicate of the kind that `join` makes become parts of the result.
    fn joined(self, other: Self, join: fn(Vec<Self>) -> Node) -> Self {
        let kind = mem::discriminant(&join(Vec::new()));
        let mut all = Vec::new();
        for mut side in [self, other] {
            if mem::discriminant(side.node()) != kind {
                all.push(side);
            } else if let Node::And(parts) | Node::Or(parts) = Arc::make_mut(&mut side.0) {
                // A long chain is not copied for each of its parts.
                if all.is_empty() { mem::swap(&mut all, parts) } else { all.append(parts) }
            }
        }
        join(all).into()
    }
}

impl BitAnd for Predicate {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.joined(other, Node::And)
    }
}

impl BitOr for Predicate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.joined(other, Node::Or)
    }
}

impl Not for Predicate {
    type Output = Self;

    /// The `not` of a `not` is the predicate itself, also where it is null.
    fn not(self) -> Self {
        match self.node() {
            Node::Not(inner) => inner.clone(),
            _ => Node::Not(self).into(),
        }
    }
}

impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_string() == other.to_string()
    }
}

impl Eq for Predicate {}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Predicate({self})")
    }
}

impl Drop for Predicate {
    /// Drops the nodes without recursion.
    fn drop(&mut self) {
        let mut stack = Vec::new();
        self.take_children(&mut stack);
        while let Some(mut predicate) = stack.pop() {
            predicate.take_children(&mut stack);
        }
    }
}

impl Predicate {
    /// Moves the children of a node that has no other owner.
    fn take_children(&mut self, children: &mut Vec<Self>) {
        match Arc::get_mut(&mut self.0) {
            Some(Node::And(parts) | Node::Or(parts)) => children.append(parts),
            Some(node @ Node::Not(_)) => {
                if let Node::Not(inner) = mem::replace(node, Node::And(Vec::new())) {
                    children.push(inner);
                }
            }
            _ => {}
        }
    }
}
