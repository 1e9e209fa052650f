//! The write plan of a file: the Arrow column for each field of the Avro schema.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::new_empty_array;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::{FeedError, FeedErrorKind, counted, quoted};

use super::encode::{self, Tags};
use crate::plan::field_default::checked_default;
use crate::schema::graph::{
    Decimal, Fixed, FixedLogical, Graph, IntLogical, LongLogical, Record, Type, TypeId,
};

/// A value of the Avro schema and its source. Compiled once for a file.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Path of the column, for messages.
    pub(super) path: Arc<str>,
    pub(super) kind: NodeKind,
}

#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    Leaf(Leaf),
    /// Items of a list, or entries of a map.
    List(Box<Node>),
    /// Values of a map whose keys are strings.
    Map(Box<Node>),
    /// Fields in the order of the schema.
    Record(Vec<FieldValues>),
    /// A union with null, for a column that is not a union.
    Optional(Tags, Box<Node>),
    Union(Vec<Child>),
}

/// The source of the values of a field.
#[derive(Debug, Clone)]
pub(super) enum FieldValues {
    /// The column with this index.
    Column(usize, Node),
    /// The encoded default of the field, because it has no column.
    Default(Arc<[u8]>),
}

/// A type without children.
#[derive(Debug, Clone)]
pub(super) enum Leaf {
    Null,
    Boolean,
    Int(Option<IntLogical>),
    Long(Option<LongLogical>),
    Float,
    Double,
    Bytes(Option<Decimal>),
    String { uuid: bool },
    Fixed { size: usize, logical: Option<FixedLogical> },
    Enum(Arc<Symbols>),
}

/// The index of each symbol of an enum.
#[derive(Debug)]
pub(super) struct Symbols {
    pub(super) index: HashMap<String, i32>,
}

/// A child of an Arrow union as a branch of the Avro union.
#[derive(Debug, Clone)]
pub(super) struct Child {
    pub(super) type_id: i8,
    pub(super) index: i64,
    /// The branch for nulls of this child.
    pub(super) null_index: Option<i64>,
    pub(super) node: Node,
}

/// The rule that assigns columns to fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// By the name of the field, or else by one of its aliases.
    Name,
    /// By position, for a schema that was derived from the columns.
    Position,
}

/// Compiles the plan for writing batches of `arrow` to a file of `graph`.
///
/// # Errors
/// A field has neither a column nor a default, the schema has no field for a column, or a column does not fit its Avro type.
pub(super) fn compile(arrow: &Schema, graph: &Graph, by: Match) -> Result<Node, FeedError> {
    let compiler = Compiler { graph, by };
    match &graph.types[graph.root] {
        Type::Record(record) => {
            let fields: Vec<&Field> = arrow.fields().iter().map(AsRef::as_ref).collect();
            compiler.record(record, &fields, "")
        }
        _ => compiler.single(arrow),
    }
}

impl Leaf {
    /// The name of the type in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Leaf::Null => "null",
            Leaf::Boolean => "boolean",
            Leaf::Int(None) => "int",
            Leaf::Int(Some(logical)) => logical.name(),
            Leaf::Long(None) => "long",
            Leaf::Long(Some(logical)) => logical.name(),
            Leaf::Float => "float",
            Leaf::Double => "double",
            Leaf::Bytes(None) => "bytes",
            Leaf::String { uuid: false } => "string",
            Leaf::String { uuid: true } | Leaf::Fixed { logical: Some(FixedLogical::Uuid), .. } => "uuid",
            Leaf::Bytes(Some(_)) | Leaf::Fixed { logical: Some(FixedLogical::Decimal(_)), .. } => "decimal",
            Leaf::Fixed { logical: Some(FixedLogical::Duration), .. } => "duration",
            Leaf::Fixed { logical: None, .. } => "fixed",
            Leaf::Enum(_) => "enum",
        }
    }
}

impl Node {
    /// The minimum number of bytes of a value.
    pub(super) fn min_bytes(&self) -> usize {
        match &self.kind {
            NodeKind::Leaf(Leaf::Null) => 0,
            NodeKind::Leaf(Leaf::Fixed { size, .. }) => *size,
            NodeKind::Record(fields) => {
                fields.iter().map(FieldValues::min_bytes).fold(0, usize::saturating_add)
            }
            _ => 1,
        }
    }
}

impl FieldValues {
    fn min_bytes(&self) -> usize {
        match self {
            Self::Column(_, node) => node.min_bytes(),
            Self::Default(value) => value.len(),
        }
    }
}

struct Compiler<'a> {
    graph: &'a Graph,
    by: Match,
}

impl Compiler<'_> {
    /// The plan for a schema whose root is not a record: a file of one column.
    fn single(&self, arrow: &Schema) -> Result<Node, FeedError> {
        let [field] = &arrow.fields()[..] else {
            let found = counted(arrow.fields().len() as u64, "column");
            let message = format!("expected one column for a schema that is not a record, found {found}");
            return Err(FeedError::new(FeedErrorKind::Schema, message));
        };
        let node = self.value(self.graph.root, field.data_type(), field.name())?;
        let path = "".into();
        Ok(Node { path, kind: NodeKind::Record(vec![FieldValues::Column(0, node)]) })
    }

    fn record(&self, record: &Record, columns: &[&Field], path: &str) -> Result<Node, FeedError> {
        let mut names = HashMap::new();
        for (index, field) in columns.iter().enumerate().filter(|_| self.by == Match::Name) {
            if names.insert(field.name().as_str(), index).is_some() {
                let found = quoted(field.name());
                return Err(error(path, format!("expected columns of different names, found {found} twice")));
            }
        }
        let mut used = vec![false; columns.len()];
        let mut fields = Vec::with_capacity(record.fields.len());
        for (position, field) in record.fields.iter().enumerate() {
            let found = match self.by {
                Match::Position => Some(position),
                Match::Name => field.column_names().find_map(|name| names.get(name).copied()),
            };
            let found = found.filter(|index| used.get(*index) == Some(&false));
            fields.push(match (found, &field.default) {
                (Some(index), _) => {
                    used[index] = true;
                    let path = joined(path, columns[index].name());
                    FieldValues::Column(index, self.value(field.ty, columns[index].data_type(), &path)?)
                }
                (None, Some(default)) => {
                    let path = joined(path, &field.name);
                    FieldValues::Default(checked_default(self.graph, field.ty, default, &path)?.into())
                }
                (None, None) => {
                    let name = quoted(&field.name);
                    let message = format!(
                        "expected a column or a default for the field {name} of the Avro schema, found neither"
                    );
                    return Err(error(path, message));
                }
            });
        }
        if let Some(index) = used.iter().position(|used| !used) {
            let (column, record) = (quoted(columns[index].name()), quoted(&record.name));
            let message = format!(
                "expected a field of the record {record} for each column, found none for the column {column}: leave the \
                 column out, or add it to the schema"
            );
            return Err(error(path, message));
        }
        Ok(Node { path: path.into(), kind: NodeKind::Record(fields) })
    }

    fn value(&self, ty: TypeId, data_type: &DataType, path: &str) -> Result<Node, FeedError> {
        let data_type = stored_type(data_type);
        let kind = match (&self.graph.types[ty], data_type) {
            (Type::Union(branches), DataType::Union(children, _)) => {
                return self.union(branches, children, path);
            }
            (Type::Union(branches), data_type) => return self.one_of(ty, branches, data_type, path),
            (Type::Record(record), DataType::Struct(fields)) => {
                let fields: Vec<&Field> = fields.iter().map(AsRef::as_ref).collect();
                return self.record(record, &fields, path);
            }
            (Type::Array(items), DataType::Map(entries, _)) => {
                NodeKind::List(Box::new(self.value(*items, entries.data_type(), path)?))
            }
            (Type::Array(items), data_type) => match list_item(data_type) {
                Some(item) => NodeKind::List(Box::new(self.value(*items, item.data_type(), path)?)),
                None => return Err(misfit(&self.graph.types[ty], data_type, path)),
            },
            (Type::Map(values), DataType::Map(entries, _)) => match map_value(entries) {
                Some(value) => NodeKind::Map(Box::new(self.value(*values, value.data_type(), path)?)),
                None => return Err(misfit(&self.graph.types[ty], data_type, path)),
            },
            (ty, data_type) => match leaf(ty) {
                Some(leaf) => NodeKind::Leaf(leaf),
                None => return Err(misfit(ty, data_type, path)),
            },
        };
        let node = Node { path: path.into(), kind };
        if let NodeKind::Leaf(_) = node.kind {
            // Only the code that binds leaves knows whether the types fit.
            encode::bind(&node, &new_empty_array(data_type))?;
        }
        Ok(node)
    }

    /// A column that is not a union: uses the first branch that fits, and the null branch for its nulls.
    fn one_of(
        &self,
        union: TypeId,
        branches: &[TypeId],
        data_type: &DataType,
        path: &str,
    ) -> Result<Node, FeedError> {
        let null = branches.iter().position(|ty| self.graph.types[*ty] == Type::Null);
        if *data_type == DataType::Null
            && let Some(null) = null
        {
            let null = tag(null);
            let value = Node { path: path.into(), kind: NodeKind::Leaf(Leaf::Null) };
            let kind = NodeKind::Optional(Tags { null, value: null }, Box::new(value));
            return Ok(Node { path: path.into(), kind });
        }
        let mut refusals = Vec::new();
        for (index, ty) in branches.iter().enumerate().filter(|(index, _)| Some(*index) != null) {
            match self.value(*ty, data_type, path) {
                Ok(value) if index < 64 && null.is_none_or(|null| null < 64) => {
                    let tags = Tags { null: null.map_or(NO_NULL, tag), value: tag(index) };
                    return Ok(Node { path: path.into(), kind: NodeKind::Optional(tags, Box::new(value)) });
                }
                Ok(_) => {}
                Err(refusal) => refusals.push(refusal),
            }
        }
        match refusals.pop() {
            Some(refusal) if refusals.is_empty() => Err(refusal),
            _ => Err(misfit(&self.graph.types[union], data_type, path)),
        }
    }

    /// The children of an Arrow union become the branches, in order. The Avro union may have a null branch besides them.
    fn union(
        &self,
        branches: &[TypeId],
        children: &arrow_schema::UnionFields,
        path: &str,
    ) -> Result<Node, FeedError> {
        let is_null = |ty: &TypeId| self.graph.types[*ty] == Type::Null;
        let null_index = branches.iter().position(is_null).map(|index| index as i64);
        let has_null_child = children.iter().any(|(_, field)| *field.data_type() == DataType::Null);
        let beside = |index: &usize| null_index == Some(*index as i64) && !has_null_child;
        let places: Vec<usize> = (0..branches.len()).filter(|index| !beside(index)).collect();
        if places.len() != children.len() {
            let (most, found) = (counted(places.len() as u64, "type"), children.len());
            let message = format!("expected a union of {most}, found one of {found}");
            return Err(error(path, message));
        }
        let children = children.iter().zip(places).map(|((type_id, field), index)| {
            let path = joined(path, field.name());
            let node = self.value(branches[index], field.data_type(), &path)?;
            Ok(Child { type_id, index: index as i64, null_index, node })
        });
        let children = children.collect::<Result<_, FeedError>>()?;
        Ok(Node { path: path.into(), kind: NodeKind::Union(children) })
    }
}

/// The null tag of a union without a null branch. It is never written.
pub(super) const NO_NULL: u8 = u8::MAX;

/// The encoded index of a branch, for an index that takes one byte.
fn tag(index: usize) -> u8 {
    u8::try_from(index * 2).unwrap_or(NO_NULL)
}

/// The written type. For dictionaries and run-end encoded columns, this is the type of their values.
pub(super) fn stored_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => stored_type(values),
        DataType::RunEndEncoded(_, values) => stored_type(values.data_type()),
        data_type => data_type,
    }
}

/// The item field of a list in any layout.
pub(super) fn list_item(data_type: &DataType) -> Option<&Field> {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView};
    match data_type {
        List(item) | LargeList(item) | ListView(item) | LargeListView(item) | FixedSizeList(item, _) => {
            Some(item)
        }
        _ => None,
    }
}

/// The value field of a map, if its keys are strings.
pub(super) fn map_value(entries: &Field) -> Option<&Field> {
    let DataType::Struct(fields) = entries.data_type() else { return None };
    let [key, value] = &fields[..] else { return None };
    use DataType::{LargeUtf8, Utf8, Utf8View};
    matches!(stored_type(key.data_type()), Utf8 | LargeUtf8 | Utf8View).then_some(value)
}

fn leaf(ty: &Type) -> Option<Leaf> {
    Some(match ty {
        Type::Null => Leaf::Null,
        Type::Boolean => Leaf::Boolean,
        Type::Int(logical) => Leaf::Int(*logical),
        Type::Long(logical) => Leaf::Long(*logical),
        Type::Float => Leaf::Float,
        Type::Double => Leaf::Double,
        Type::Bytes(decimal) => Leaf::Bytes(*decimal),
        Type::String { uuid } => Leaf::String { uuid: *uuid },
        Type::Fixed(Fixed { size, logical, .. }) => Leaf::Fixed { size: *size, logical: *logical },
        Type::Enum(symbols) => {
            let index = symbols.symbols.iter().cloned().zip(0..).collect();
            Leaf::Enum(Arc::new(Symbols { index }))
        }
        Type::Array(_) | Type::Map(_) | Type::Union(_) | Type::Record(_) => return None,
    })
}

fn misfit(ty: &Type, data_type: &DataType, path: &str) -> FeedError {
    let name = match ty {
        Type::Array(_) => "array",
        Type::Map(_) => "map",
        Type::Union(_) => "union",
        Type::Record(_) => "record",
        ty => leaf(ty).map_or("type", |leaf| leaf.name()),
    };
    error(path, format!("expected a column that fits the Avro type {name}, found {data_type}"))
}

pub(super) fn error(path: &str, message: String) -> FeedError {
    let error = FeedError::new(FeedErrorKind::Schema, message);
    if path.is_empty() { error } else { error.in_field(path) }
}

pub(super) fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
