//! Schema resolution: compiles a writer type, a reader type and a projection into a [`Column`].
//!
//! The rules are those of the specification's "Schema Resolution". Where it is silent, the rules of Java's
//! `GenericDatumReader` apply: a union branch is chosen by an exact match before a promotion, record names are
//! compared only to choose a branch of a union, and an alias counts as much as the name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, counted, quoted, thousands};

use super::fault::check_default;
use super::leaf::Mapping;
use super::node::{Column, FieldStep, ListNode, Node, Output, Wire};
use super::projection::Projection;
use super::skip::{SkipCompiler, Skips};
use crate::AvroOptions;
use crate::decode::counted_bytes;
use crate::options::Unions;
use crate::schema::default::encode_default;
use crate::schema::graph::{Decimal, Enum, Field as AvroField, Fixed, FixedLogical, Graph, Type, TypeId};
use arrowfeed_source::field_path;

/// Compiles one root type. The path locates the current field, for messages.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    pub(super) writer: &'a Graph,
    pub(super) reader: &'a Graph,
    pub(super) mapping: Mapping,
    /// Whether values may become much larger when a batch ends, because unions become structs or text.
    converts_unions: bool,
    fixed_lengths: &'a BTreeMap<String, i32>,
    limits: &'a Limits,
    skips: SkipCompiler<'a>,
    /// Names of fields, starting at the root; `[]` for items.
    path: Vec<String>,
    /// Records that are being resolved. A type that occurs again inside itself is recursive.
    pub(super) open: Vec<(TypeId, TypeId)>,
    expanded: usize,
    depth: usize,
    used_lengths: BTreeSet<String>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(writer: &'a Graph, reader: &'a Graph, options: &'a AvroOptions) -> Self {
        Self {
            writer,
            reader,
            mapping: Mapping::new(options),
            converts_unions: options.unions != Unions::Dense,
            fixed_lengths: &options.fixed_lengths,
            limits: &options.limits,
            skips: SkipCompiler::new(writer),
            path: Vec::new(),
            open: Vec::new(),
            expanded: 0,
            depth: 0,
            used_lengths: BTreeSet::new(),
        }
    }

    /// The compiled skip programs, and the paths of `fixed_lengths` that named an array.
    pub(super) fn finish(self) -> (Skips, BTreeSet<String>) {
        (self.skips.finish(), self.used_lengths)
    }

    /// A resolver for values that already have the reader's schema: defaults, and types of branches that the writer
    /// does not have.
    fn of_reader(&self) -> Resolver<'a> {
        Resolver {
            writer: self.reader,
            reader: self.reader,
            mapping: self.mapping,
            converts_unions: self.converts_unions,
            fixed_lengths: self.fixed_lengths,
            limits: self.limits,
            skips: SkipCompiler::new(self.reader),
            path: self.path.clone(),
            open: self.open.iter().map(|(_, reader)| (*reader, *reader)).collect(),
            expanded: self.expanded,
            depth: self.depth,
            used_lengths: BTreeSet::new(),
        }
    }

    /// The column of a reader type, resolved as if the reader's schema had also written the value.
    pub(super) fn reader_column(&mut self, ty: TypeId, projection: &Projection) -> Result<Column, FeedError> {
        let mut of_reader = self.of_reader();
        let column = of_reader.resolve(ty, ty, projection)?;
        self.expanded = of_reader.expanded;
        Ok(column)
    }

    pub(super) fn error(&self, message: String) -> FeedError {
        let error = FeedError::new(FeedErrorKind::Schema, message);
        if self.path.is_empty() { error } else { error.in_field(self.path.concat()) }
    }

    /// Resolves one pair of types within the limits on schemas.
    pub(super) fn resolve(
        &mut self,
        writer: TypeId,
        reader: TypeId,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        self.expanded += 1;
        let expanded = ("expanded_fields", self.expanded, self.limits.expanded_fields);
        // References can make a schema deeper than its text.
        let most = self.limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH) + 1;
        for (name, found, most) in [expanded, ("schema_depth", self.depth, most)] {
            if found > most {
                let message = format!("the schema is over the limit {name} of {}", thousands(most as u64));
                return Err(FeedError::limit_reached(name, message).in_field(self.path.concat()));
            }
        }
        self.depth += 1;
        let column = self.resolve_kind(writer, reader, projection);
        self.depth -= 1;
        column
    }

    /// Resolves by the kinds of both types.
    fn resolve_kind(
        &mut self,
        writer: TypeId,
        reader: TypeId,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        let (w, r) = (&self.writer.types[writer], &self.reader.types[reader]);
        if let (
            Projection::Fields(_),
            Type::Null
            | Type::Boolean
            | Type::Int(_)
            | Type::Long(_)
            | Type::Float
            | Type::Double
            | Type::Bytes(_)
            | Type::String { .. }
            | Type::Enum(_)
            | Type::Fixed(_),
        ) = (projection, r)
        {
            return Err(self.error(format!("expected a record to select fields from, found {}", describe(r))));
        }
        let column = match (w, r) {
            (Type::Union(_), _) => return self.resolve_writer_union(writer, reader, projection),
            (_, Type::Union(_)) => return self.resolve_reader_union(writer, reader, projection),
            (Type::Null, Type::Null) => {
                Column { nullable: true, ..Column::required(Node::Null, DataType::Null) }
            }
            (Type::Boolean, Type::Boolean) => self.mapping.boolean(),
            (Type::Int(from), Type::Int(to)) => {
                self.same_logical(from, to, w, r)?;
                self.number(Wire::Int, w, r)?
            }
            (Type::Int(from), Type::Long(to)) => {
                if from.is_some() && to.is_some() {
                    return Err(self.mismatch(w, r));
                }
                self.number(Wire::Int, w, r)?
            }
            (Type::Int(_), Type::Float | Type::Double) => self.number(Wire::Int, w, r)?,
            (Type::Long(from), Type::Long(to)) => {
                self.same_logical(from, to, w, r)?;
                self.number(Wire::Long, w, r)?
            }
            (Type::Long(_), Type::Float | Type::Double) => self.number(Wire::Long, w, r)?,
            (Type::Float, Type::Float | Type::Double) => self.number(Wire::Float, w, r)?,
            (Type::Double, Type::Double) => self.number(Wire::Double, w, r)?,
            (Type::String { .. } | Type::Bytes(_), Type::String { uuid }) => self.mapping.text(*uuid),
            (Type::String { .. }, Type::Bytes(decimal)) => self.mapping.binary(*decimal),
            (Type::Bytes(from), Type::Bytes(to)) => {
                self.same_logical(from, to, w, r)?;
                self.mapping.binary(*to)
            }
            (Type::Fixed(w), Type::Fixed(r)) => self.resolve_fixed(w, r)?,
            (Type::Enum(w), Type::Enum(r)) => self.resolve_enum(w, r)?,
            (Type::Array(w), Type::Array(r)) => self.resolve_array(*w, *r, projection)?,
            (Type::Map(w), Type::Map(r)) => self.resolve_map(*w, *r, projection)?,
            (Type::Record(w), Type::Record(r)) => self.resolve_record(writer, reader, w, r, projection)?,
            (w, r) => return Err(self.mismatch(w, r)),
        };
        Ok(column)
    }

    pub(super) fn mismatch(&self, w: &Type, r: &Type) -> FeedError {
        let (w, r) = (describe(w), describe(r));
        self.error(format!("expected {r} as in the reader's schema, found {w} in the writer's schema"))
    }

    /// Rejects a change of logical type, which would make the numbers wrong. Adding or removing one is allowed.
    fn same_logical<T: PartialEq>(
        &self,
        from: &Option<T>,
        to: &Option<T>,
        w: &Type,
        r: &Type,
    ) -> Result<(), FeedError> {
        match (from, to) {
            (Some(from), Some(to)) if from != to => Err(self.mismatch(w, r)),
            _ => Ok(()),
        }
    }

    fn number(&self, wire: Wire, w: &Type, r: &Type) -> Result<Column, FeedError> {
        self.mapping.number(wire, r).ok_or_else(|| self.mismatch(w, r))
    }

    fn resolve_fixed(&self, w: &Fixed, r: &Fixed) -> Result<Column, FeedError> {
        self.same_name("fixed", &w.name, &r.name, &r.aliases)?;
        if w.size != r.size {
            let (w, r) = (counted(w.size as u64, "byte"), counted(r.size as u64, "byte"));
            return Err(self.error(format!(
                "expected a fixed of {r} as in the reader's schema, found {w} in the writer's schema"
            )));
        }
        self.same_logical(&w.logical, &r.logical, &Type::Fixed(w.clone()), &Type::Fixed(r.clone()))?;
        Ok(self.mapping.fixed(w.size, r.logical))
    }

    fn resolve_enum(&self, w: &Enum, r: &Enum) -> Result<Column, FeedError> {
        self.same_name("enum", &w.name, &r.name, &r.aliases)?;
        let keys = first_indices(r.symbols.iter().map(String::as_str));
        let key = |symbol: &String| {
            let same = keys.get(symbol.as_str()).copied();
            same.or(r.default).and_then(|key| i32::try_from(key).ok())
        };
        Ok(self.mapping.enumeration(w, r, w.symbols.iter().map(key).collect()))
    }

    fn same_name(&self, kind: &str, w: &str, r: &str, aliases: &[String]) -> Result<(), FeedError> {
        if same_name(w, r, aliases) {
            return Ok(());
        }
        let (w, r) = (quoted(w), quoted(r));
        Err(self.error(format!(
            "expected {kind} {r} as in the reader's schema, found {kind} {w} in the writer's schema"
        )))
    }

    fn resolve_array(&mut self, w: TypeId, r: TypeId, projection: &Projection) -> Result<Column, FeedError> {
        let fixed = self.fixed_length()?;
        self.path.push("[]".to_owned());
        let items = self.resolve(w, r, projection);
        self.path.pop();
        let items = Box::new(items?);
        let field: FieldRef = Arc::new(items.field(Field::LIST_FIELD_DEFAULT_NAME));
        let data_type = match fixed {
            Some(n) => DataType::FixedSizeList(field, n),
            None => DataType::List(field),
        };
        let fixed = fixed.and_then(|n| usize::try_from(n).ok());
        Ok(Column::required(Node::List(ListNode { items, fixed }), data_type))
    }

    /// The path as written in `columns`, without steps for arrays and maps, followed by one `[]` for each array or map
    /// that the current type is directly an item of.
    fn column_path(&self) -> String {
        let is_item = |step: &&String| *step == "[]";
        let items = self.path.iter().rev().take_while(is_item).count();
        let names = self.path.iter().filter(|step| !is_item(step)).map(String::as_str);
        names.chain(std::iter::repeat_n("[]", items)).collect()
    }

    fn fixed_length(&mut self) -> Result<Option<i32>, FeedError> {
        let path = self.column_path();
        let Some(n) = self.fixed_lengths.get(&path) else {
            return Ok(None);
        };
        if *n < 0 {
            return Err(self.error(format!("expected a fixed length of 0 or more, found {n}")));
        }
        self.used_lengths.insert(path);
        Ok(Some(*n))
    }

    fn resolve_map(&mut self, w: TypeId, r: TypeId, projection: &Projection) -> Result<Column, FeedError> {
        self.path.push("[]".to_owned());
        let values = self.resolve(w, r, projection);
        self.path.pop();
        let values = Box::new(values?);
        let key = Field::new("key", self.mapping.string(), false);
        let entries = Fields::from(vec![key, values.field("value")]);
        let entries = Field::new("entries", DataType::Struct(entries), false);
        Ok(Column::required(Node::Map { values }, DataType::Map(Arc::new(entries), false)))
    }

    /// The column of a reader's field that the writer does not have, from its default.
    pub(super) fn default_of(
        &mut self,
        field: &AvroField,
        projection: &Projection,
    ) -> Result<(Column, Output), FeedError> {
        let Some(default) = &field.default else {
            return Err(self.error("expected the field in the writer's schema, found none, and the reader's schema has no default for it".to_owned()));
        };
        let place = self.path.concat();
        let bytes = encode_default(self.reader, field.ty, default).map_err(|error| error.in_field(place))?;
        let mut of_reader = self.of_reader();
        let column = of_reader.resolve(field.ty, field.ty, projection)?;
        self.expanded = of_reader.expanded;
        let skips = Arc::new(of_reader.skips.finish());
        check_default("reader's schema", &self.path.concat(), &column.node, &skips, self.limits, &bytes)?;
        if self.converts_unions && counted_bytes(&column, &bytes, skips.clone()) > self.limits.batch_bytes {
            let limit = thousands(self.limits.batch_bytes as u64);
            let message =
                format!("the default of the reader's schema is over the limit batch_bytes of {limit}");
            return Err(FeedError::limit_reached("batch_bytes", message).in_field(self.path.concat()));
        }
        Ok((column.clone(), Output::Default { column, bytes: bytes.into(), skips }))
    }

    /// Compiles a step that skips a field of the writer.
    pub(super) fn skip(&mut self, name: &str, ty: TypeId) -> FieldStep {
        FieldStep::Skip { name: name.to_owned(), program: self.skips.compile(ty) }
    }

    /// Calls `work` with the field's name appended to the path.
    pub(super) fn inside<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Self) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        self.path.push(field_path::step(name, self.path.is_empty()));
        let result = work(self);
        self.path.pop();
        result
    }
}

/// The index of each name; the first one of a name that occurs several times.
pub(super) fn first_indices<'a>(
    names: impl DoubleEndedIterator<Item = &'a str> + ExactSizeIterator,
) -> HashMap<&'a str, usize> {
    names.enumerate().rev().map(|(index, name)| (name, index)).collect()
}

/// Whether the unqualified names are equal or an alias of the reader matches.
pub(crate) fn same_name(w: &str, r: &str, aliases: &[String]) -> bool {
    unqualified(w) == unqualified(r)
        || aliases.iter().any(|alias| alias == w || unqualified(alias) == unqualified(w))
}

pub(crate) fn unqualified(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

/// Display name of a type in messages.
pub(crate) fn describe(ty: &Type) -> String {
    let logical = |base: String, logical: Option<String>| match logical {
        Some(logical) => format!("{base} ({logical})"),
        None => base,
    };
    let decimal = |d: Decimal| format!("decimal {}, {}", d.precision, d.scale);
    match ty {
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Int(l) => logical("int".to_owned(), l.map(|l| l.name().to_owned())),
        Type::Long(l) => logical("long".to_owned(), l.map(|l| l.name().to_owned())),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Bytes(d) => logical("bytes".to_owned(), d.map(decimal)),
        Type::String { uuid } => logical("string".to_owned(), uuid.then(|| "uuid".to_owned())),
        Type::Array(_) => "array".to_owned(),
        Type::Map(_) => "map".to_owned(),
        Type::Union(_) => "union".to_owned(),
        Type::Record(record) => format!("record {}", quoted(&record.name)),
        Type::Enum(symbols) => format!("enum {}", quoted(&symbols.name)),
        Type::Fixed(fixed) => {
            let name = |l| match l {
                FixedLogical::Decimal(d) => decimal(d),
                FixedLogical::Duration => "duration".to_owned(),
                FixedLogical::Uuid => "uuid".to_owned(),
            };
            logical(format!("fixed {}", quoted(&fixed.name)), fixed.logical.map(name))
        }
    }
}
