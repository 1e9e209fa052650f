//! Conversion of the JSON of a schema to a graph, and its validation, in one walk. Errors and warnings name the field that
//! they concern.

use std::collections::{HashMap, HashSet};

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted, thousands};
use serde_json::{Map, Value};

use super::graph::{Graph, Type, TypeId};
use super::json::{found, max_depth};
use super::logical::{self, Base, Logical};
use super::name::{PRIMITIVES, full_name, split, standard_name};
use arrowfeed_source::field_path::field_path;

/// Maximum number of warnings that are kept; further ones are only counted.
const MAX_WARNINGS: usize = 100;

/// Validates a schema and returns its graph and the warnings. Named types are in the graph once, and other types once for each
/// use.
pub(super) fn normalise(json: &Value, limits: &Limits) -> Result<(Graph, Vec<String>), FeedError> {
    let mut walk = Validator::new(limits);
    let root = walk.ty(json, "")?.id;
    if walk.uncounted > 0 {
        walk.warnings.push(format!("ignored in {} more places", thousands(walk.uncounted)));
    }
    Ok((Graph { types: walk.types, root }, walk.warnings))
}

/// A type that has been added to the graph.
pub(super) struct AddedType {
    pub(super) id: TypeId,
    kind: BranchKind,
}

/// The kind of a branch, which may occur only once in a union.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BranchKind {
    /// An unnamed type, by the name of its kind.
    Unnamed(&'static str),
    Named(TypeId),
    Union,
}

/// The state of the walk: the types so far and the current path. An error ends the walk, so `depth` and `path` are restored
/// only on success.
pub(super) struct Validator<'a> {
    pub(super) limits: &'a Limits,
    /// Enclosing records have no fields yet.
    pub(super) types: Vec<Type>,
    /// The named types, by full name.
    pub(super) defined: HashMap<String, TypeId>,
    /// Names of the fields on the path to the current type.
    pub(super) path: Vec<&'a str>,
    depth: usize,
    /// The types in the JSON, of which some are references.
    type_count: usize,
    name_bytes: usize,
    warnings: Vec<String>,
    uncounted: u64,
}

impl<'a> Validator<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            types: Vec::new(),
            defined: HashMap::new(),
            path: Vec::new(),
            depth: 0,
            type_count: 0,
            name_bytes: 0,
            warnings: Vec::new(),
            uncounted: 0,
        }
    }

    /// Converts any type; `namespace` is the enclosing one.
    pub(super) fn ty(&mut self, json: &'a Value, namespace: &str) -> Result<AddedType, FeedError> {
        self.type_count += 1;
        if self.type_count > self.limits.expanded_fields {
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

    fn object(&mut self, object: &'a Map<String, Value>, namespace: &str) -> Result<AddedType, FeedError> {
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
            "array" => self.container("array", "items", Type::Array, object, namespace),
            "map" => self.container("map", "values", Type::Map, object, namespace),
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
    ) -> Result<AddedType, FeedError> {
        self.no_logical_type(object, "a nested type");
        self.enter()?;
        let node = self.ty(inner, namespace)?;
        self.leave();
        Ok(node)
    }

    fn primitive(&mut self, kind: &'static str, object: &Map<String, Value>) -> AddedType {
        let logical = self.logical_type(object, Base::Kind(kind));
        self.add(kind, primitive_type(kind, logical))
    }

    fn container(
        &mut self,
        kind: &'static str,
        key: &'static str,
        of: fn(TypeId) -> Type,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<AddedType, FeedError> {
        let element = json.get(key).ok_or_else(|| self.wrong(key, "a type", None))?;
        self.logical_type(json, Base::Kind(kind));
        self.enter()?;
        let element = self.ty(element, namespace)?.id;
        self.leave();
        Ok(self.add(kind, of(element)))
    }

    /// Adds a type without a name.
    fn add(&mut self, kind: &'static str, ty: Type) -> AddedType {
        self.types.push(ty);
        AddedType { id: self.types.len() - 1, kind: BranchKind::Unnamed(kind) }
    }

    fn union(&mut self, branches: &'a [Value], namespace: &str) -> Result<AddedType, FeedError> {
        if branches.is_empty() {
            return Err(self.refuse("expected a union of at least one branch, found none"));
        }
        self.enter()?;
        let mut ids = Vec::new();
        let mut kinds = HashSet::new();
        for branch in branches {
            let AddedType { id, kind } = self.ty(branch, namespace)?;
            let name = match kind {
                BranchKind::Union => {
                    return Err(
                        self.refuse("expected a branch that is not a union, found a union in a union")
                    );
                }
                BranchKind::Unnamed(name) => name.to_owned(),
                BranchKind::Named(id) => quoted(self.name(id)),
            };
            if !kinds.insert(kind) {
                return Err(self.refuse(format!("expected each type once in a union, found {name} twice")));
            }
            ids.push(id);
        }
        self.leave();
        self.types.push(Type::Union(ids));
        Ok(AddedType { id: self.types.len() - 1, kind: BranchKind::Union })
    }

    /// A reference to a primitive type or to a named type that is already defined. The name is looked up in `namespace`, then
    /// without one, because Java writes names of types without a namespace that way.
    fn reference(&mut self, name: &'a str, namespace: &str) -> Result<AddedType, FeedError> {
        if let Some(kind) = PRIMITIVES.into_iter().find(|primitive| *primitive == name) {
            return Ok(self.add(kind, primitive_type(kind, None)));
        }
        let full_name = self.full_name(name, namespace)?;
        match self.defined.get(&full_name).or_else(|| self.defined.get(name)) {
            Some(id) => Ok(AddedType::named(*id)),
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

    /// The full name of a named type.
    pub(super) fn name(&self, id: TypeId) -> &str {
        self.types[id].name_and_aliases().map_or("", |(name, _)| name)
    }

    fn unknown(&self, name: &str) -> FeedError {
        let found = format!("expected a type, found the unknown name {}", quoted(name));
        if matches!(name, "record" | "error" | "enum" | "array" | "map" | "fixed") {
            return self.refuse(format!(r#"{found}: write {{"type": "{name}", ...}} in place of it"#));
        }
        let mut named = self.types.iter().filter_map(Type::name_and_aliases).map(|(name, _)| name);
        let near = match standard_name(name) {
            Some(standard) => Some(standard),
            None => named.find(|named| split(named).1 == split(name).1),
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

    /// The logical type if it is valid. For an invalid one, warns and returns `None`.
    pub(super) fn logical_type(&mut self, object: &Map<String, Value>, base: Base) -> Option<Logical> {
        logical::parse(object, base).unwrap_or_else(|warning| {
            self.warn(&warning);
            None
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

impl AddedType {
    /// A use of a named type.
    pub(super) fn named(id: TypeId) -> Self {
        Self { id, kind: BranchKind::Named(id) }
    }
}

/// The primitive type `kind` with a logical type that is valid for it.
fn primitive_type(kind: &str, logical: Option<Logical>) -> Type {
    match (kind, logical) {
        ("boolean", _) => Type::Boolean,
        ("int", Some(Logical::Int(logical))) => Type::Int(Some(logical)),
        ("int", _) => Type::Int(None),
        ("long", Some(Logical::Long(logical))) => Type::Long(Some(logical)),
        ("long", _) => Type::Long(None),
        ("float", _) => Type::Float,
        ("double", _) => Type::Double,
        ("bytes", Some(Logical::Decimal(decimal))) => Type::Bytes(Some(decimal)),
        ("bytes", _) => Type::Bytes(None),
        ("string", logical) => Type::String { uuid: logical == Some(Logical::Uuid) },
        _ => Type::Null,
    }
}

#[cfg(test)]
pub(super) mod tests;
