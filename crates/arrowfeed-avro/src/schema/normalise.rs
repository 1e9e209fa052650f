//! Validation of the JSON of a schema in one walk. Errors and warnings name the field that they concern.

use std::collections::{HashMap, HashSet};

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted, thousands};
use serde_json::{Map, Value};

use super::json::{found, max_depth, object};
use super::logical::{self, Base};
use super::name::{PRIMITIVES, full_name, split, standard_name};
use super::outline::{Named, Outline, Shape, placeholder, stand_in};
use arrowfeed_source::field_path::field_path;

/// Maximum number of warnings that are kept; further ones are only counted.
const MAX_WARNINGS: usize = 100;

/// Validates a schema and returns its outline and the warnings.
pub(super) fn normalise(json: &Value, limits: &Limits) -> Result<(Outline, Vec<String>), FeedError> {
    let mut walk = Validator::new(limits);
    let root = walk.ty(json, "")?.shape;
    if walk.uncounted > 0 {
        walk.warnings.push(format!("ignored in {} more places", thousands(walk.uncounted)));
    }
    Ok((Outline { named: walk.named, root }, walk.warnings))
}

/// A type that has been converted for the outline.
pub(super) struct OutlineType {
    pub(super) shape: Shape,
    kind: BranchKind,
}

/// The kind of a branch, which may occur only once in a union.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BranchKind {
    /// An unnamed type, by the name of its kind.
    Unnamed(&'static str),
    /// A named type, by its index.
    Named(usize),
    Union,
}

/// The state of the walk: the definitions so far and the current path. An error ends the walk, so `depth`, `path` and
/// `mentions` are restored only on success.
pub(super) struct Validator<'a> {
    pub(super) limits: &'a Limits,
    /// Types so far, by index; enclosing records have no fields yet.
    pub(super) named: Vec<Named>,
    /// Full name to index.
    pub(super) defined: HashMap<String, usize>,
    /// Indexes of the named types that the enclosing record, or the root, has mentioned so far.
    pub(super) mentions: HashSet<usize>,
    /// Names of the fields on the path to the current type.
    pub(super) path: Vec<&'a str>,
    depth: usize,
    types: usize,
    name_bytes: usize,
    warnings: Vec<String>,
    uncounted: u64,
}

impl<'a> Validator<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            named: Vec::new(),
            defined: HashMap::new(),
            mentions: HashSet::new(),
            path: Vec::new(),
            depth: 0,
            types: 0,
            name_bytes: 0,
            warnings: Vec::new(),
            uncounted: 0,
        }
    }

    /// Converts any type; `namespace` is the enclosing one.
    pub(super) fn ty(&mut self, json: &'a Value, namespace: &str) -> Result<OutlineType, FeedError> {
        self.types += 1;
        if self.types > self.limits.expanded_fields {
            let most = thousands(self.limits.expanded_fields as u64);
            let message = format!("expected a schema of at most {most} types, found more");
            return Err(self.place(FeedError::limit_reached("expanded_fields", message)));
        }
        match json {
            Value::String(name) => self.reference(name, namespace),
            Value::Array(branches) => self.union(branches, namespace),
            Value::Object(object) => self.object(object, namespace),
            other => Err(self.refuse(format!("expected a type, found {}", found(other)))),
        }
    }

    fn object(&mut self, object: &'a Map<String, Value>, namespace: &str) -> Result<OutlineType, FeedError> {
        let name = match object.get("type") {
            Some(Value::String(name)) => name.as_str(),
            Some(inner @ (Value::Object(_) | Value::Array(_))) => {
                return self.wrapped(object, inner, namespace);
            }
            other => return Err(self.wrong("type", "a type", other)),
        };
        match name {
            "record" | "error" => self.record(object, namespace),
            "enum" => self.enumeration(object, namespace),
            "fixed" => self.fixed(object, namespace),
            "array" => self.container("array", "items", object, namespace),
            "map" => self.container("map", "values", object, namespace),
            name => match PRIMITIVES.into_iter().find(|primitive| *primitive == name) {
                Some(primitive) => Ok(self.primitive(primitive, object)),
                None => {
                    self.no_logical_type(object, "a reference");
                    self.reference(name, namespace)
                }
            },
        }
    }

    /// A type inside a redundant `{"type": ...}`.
    fn wrapped(
        &mut self,
        object: &'a Map<String, Value>,
        inner: &'a Value,
        namespace: &str,
    ) -> Result<OutlineType, FeedError> {
        self.no_logical_type(object, "a nested type");
        self.enter()?;
        let node = self.ty(inner, namespace)?;
        self.leave();
        Ok(node)
    }

    fn primitive(&mut self, kind: &'static str, object: &Map<String, Value>) -> OutlineType {
        let mut attributes = self.logical_type(object, Base::Kind(kind));
        let name = Value::String(kind.into());
        let shape = if attributes.is_empty() {
            name
        } else {
            attributes.insert("type".into(), name);
            Value::Object(attributes)
        };
        OutlineType { shape, kind: BranchKind::Unnamed(kind) }
    }

    fn container(
        &mut self,
        kind: &'static str,
        key: &'static str,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<OutlineType, FeedError> {
        let element = json.get(key).ok_or_else(|| self.wrong(key, "a type", None))?;
        self.logical_type(json, Base::Kind(kind));
        self.enter()?;
        let element = self.ty(element, namespace)?.shape;
        self.leave();
        let shape = object([("type", Value::String(kind.into())), (key, element)]);
        Ok(OutlineType { shape, kind: BranchKind::Unnamed(kind) })
    }

    fn union(&mut self, branches: &'a [Value], namespace: &str) -> Result<OutlineType, FeedError> {
        if branches.is_empty() {
            return Err(self.refuse("expected a union of at least one branch, found none"));
        }
        self.enter()?;
        let mut shapes = Vec::new();
        let mut kinds = HashSet::new();
        for branch in branches {
            let OutlineType { shape, kind } = self.ty(branch, namespace)?;
            let name = match kind {
                BranchKind::Union => {
                    return Err(
                        self.refuse("expected a branch that is not a union, found a union in a union")
                    );
                }
                BranchKind::Unnamed(name) => name.to_owned(),
                BranchKind::Named(index) => quoted(&self.named[index].name),
            };
            if !kinds.insert(kind) {
                return Err(self.refuse(format!("expected each type once in a union, found {name} twice")));
            }
            shapes.push(shape);
        }
        self.leave();
        Ok(OutlineType { shape: Value::Array(shapes), kind: BranchKind::Union })
    }

    /// A reference to a primitive type or to a named type that is already defined. The name is looked up in `namespace`, then
    /// without one, because Java writes names of types without a namespace that way.
    fn reference(&mut self, name: &'a str, namespace: &str) -> Result<OutlineType, FeedError> {
        if let Some(kind) = PRIMITIVES.into_iter().find(|primitive| *primitive == name) {
            return Ok(OutlineType { shape: Value::String(kind.into()), kind: BranchKind::Unnamed(kind) });
        }
        let full_name = self.full_name(name, namespace)?;
        match self.defined.get(&full_name).or_else(|| self.defined.get(name)) {
            Some(index) => Ok(self.mention(*index)),
            None => Err(self.unknown(name)),
        }
    }

    /// The full name that `name` means in `namespace`. Its bytes are counted towards a limit, because a long namespace is
    /// written once but makes every name in it long.
    pub(super) fn full_name(&mut self, name: &str, namespace: &str) -> Result<String, FeedError> {
        let most = self.limits.schema_bytes.saturating_mul(4);
        self.name_bytes = self.name_bytes.saturating_add(name.len()).saturating_add(namespace.len());
        if self.name_bytes > most {
            let most = thousands(most as u64);
            let message = format!("expected full names of at most {most} bytes in a schema, found more");
            return Err(self.place(FeedError::limit_reached("schema_bytes", message)));
        }
        Ok(full_name(name, namespace))
    }

    /// A use of the named type `index`.
    pub(super) fn mention(&mut self, index: usize) -> OutlineType {
        let first = self.mentions.insert(index);
        let shape = if first { stand_in(index) } else { placeholder(index).into() };
        OutlineType { shape, kind: BranchKind::Named(index) }
    }

    fn unknown(&self, name: &str) -> FeedError {
        let found = format!("expected a type, found the unknown name {}", quoted(name));
        if matches!(name, "record" | "error" | "enum" | "array" | "map" | "fixed") {
            return self.refuse(format!(r#"{found}: write {{"type": "{name}", ...}} in place of it"#));
        }
        let same_name = |named: &&Named| split(&named.name).1 == split(name).1;
        let near = match standard_name(name) {
            Some(standard) => Some(standard),
            None => self.named.iter().find(same_name).map(|named| named.name.as_str()),
        };
        match near {
            Some(near) => self.refuse(format!("{found}: did you mean {}?", quoted(near))),
            None => self.refuse(found),
        }
    }

    /// Enters a type that contains other types.
    pub(super) fn enter(&mut self) -> Result<(), FeedError> {
        self.depth += 1;
        if self.depth > max_depth(self.limits) {
            let message =
                format!("expected types nested at most {} deep, found more", max_depth(self.limits));
            return Err(self.place(FeedError::limit_reached("schema_depth", message)));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The attributes of a valid logical type. For an invalid one, warns and returns none.
    pub(super) fn logical_type(&mut self, object: &Map<String, Value>, base: Base) -> Map<String, Value> {
        logical::attributes(object, base).unwrap_or_else(|warning| {
            self.warn(&warning);
            Map::new()
        })
    }

    /// Warns about a logical type on an object that is not a type.
    pub(super) fn no_logical_type(&mut self, object: &Map<String, Value>, what: &str) {
        if let Some(logical) = object.get("logicalType") {
            let logical = found(logical);
            self.warn(&format!(
                "ignored the logical type {logical} of {what}: expected it in the JSON object of the type"
            ));
        }
    }

    pub(super) fn warn(&mut self, message: &str) {
        if self.warnings.len() == MAX_WARNINGS {
            self.uncounted += 1;
            return;
        }
        self.warnings.push(match self.path() {
            Some(path) => format!("{path}: {message}"),
            None => message.into(),
        });
    }

    /// The error for an attribute `key` that is not of the expected form `what`.
    pub(super) fn wrong(&self, key: &str, what: &str, value: Option<&Value>) -> FeedError {
        let found = value.map_or_else(|| "none".into(), found);
        self.refuse(format!("expected {what} as {}, found {found}", quoted(key)))
    }

    pub(super) fn refuse(&self, message: impl Into<String>) -> FeedError {
        self.place(FeedError::new(FeedErrorKind::Schema, message))
    }

    pub(super) fn place(&self, error: FeedError) -> FeedError {
        match self.path() {
            Some(path) => error.in_field(path),
            None => error,
        }
    }

    /// The path for a message, with names cut at 200 characters; `None` at the root.
    fn path(&self) -> Option<String> {
        let cut = |name: &&str| name.chars().take(200).collect::<String>();
        (!self.path.is_empty()).then(|| field_path(self.path.iter().map(cut)))
    }
}

#[cfg(test)]
pub(super) mod tests;
