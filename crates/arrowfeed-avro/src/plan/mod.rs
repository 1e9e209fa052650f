//! Decode plans, compiled from the schemas once before the first record.
//!
//! ```text
//! writer schema × reader schema × columns ──resolve──> Column { Node } ──> DecodePlan
//! ```
//! - [`projection`]: the projection; [`nonrecursive`]: the projection of all non-recursive fields.
//! - [`resolve`], [`record`] and [`union`]: the rules of schema resolution; [`leaf`]: the table of types; [`node`]: the result.
//! - [`union_form`]: the Arrow type of unions; [`json_text`]: bounds on the text of those that become JSON.
//! - [`skip`]: programs that skip fields outside the projection.
//! - [`fault`]: the slow decoder, which names the fault of a value; it checks defaults.
//! - [`field_default`]: defaults of fields that a writer has no column for.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use arrowfeed_source::field_path::quoted_step;
use arrowfeed_source::format::remaining_columns;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use crate::encode::Encoder;
use crate::schema::graph::{Graph, Type};
use crate::{AvroOptions, AvroSchema};
use node::{Column, FieldStep, Node, Output, RecordNode};
use projection::Projection;
use resolve::Resolver;
use skip::Skips;

pub(crate) mod fault;
pub(crate) mod field_default;
pub(crate) mod json_text;
pub(crate) mod leaf;
pub(crate) mod node;
mod nonrecursive;
pub(crate) mod projection;
mod record;
mod resolve;
pub(crate) mod skip;
mod union;
mod union_form;

pub(crate) use resolve::{describe, same_name, unqualified};

/// The name of the column for a file whose root type is not a record.
const ROOT_COLUMN: &str = "value";

/// The name of the column for records that are kept as bytes.
const RAW_COLUMN: &str = "record";

/// Compiled plan that decodes records of one writer schema into rows of one Arrow schema.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    /// Always a record: any other root type is wrapped in one.
    pub(crate) root: Column,
    pub(crate) skips: Arc<Skips>,
    encoder: Encoder,
    spread: bool,
    /// Whether a record may contain array elements that take no bytes. These are counted per record.
    pub(crate) has_zero_byte_elements: bool,
    schema: SchemaRef,
}

impl DecodePlan {
    /// Compiles the plan and reports every error in the schemas and options.
    pub(crate) fn compile(writer: &AvroSchema, options: &AvroOptions) -> Result<Self, FeedError> {
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let projection = match selected_columns(writer, options)? {
            Some(paths) => projection_of(&paths, reader, options)?,
            None => Projection::All,
        };
        Self::of(writer, options, &projection)
    }

    /// Compiles a plan for a part of the columns of a plan with these options. Lengths of arrays may be those of other columns.
    pub(crate) fn compile_part(
        writer: &AvroSchema,
        options: &AvroOptions,
        paths: &[&str],
    ) -> Result<Self, FeedError> {
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let projection = projection_of(paths, reader, options)?;
        Self::with_lengths(writer, options, &projection).map(|(plan, _)| plan)
    }

    /// Like `compile`, but if a recursive type prevents reading all columns, returns the plan for the non-recursive
    /// fields, together with the error.
    pub(crate) fn compile_nonrecursive(
        writer: &AvroSchema,
        options: &AvroOptions,
    ) -> Result<(Self, Option<FeedError>), FeedError> {
        let error = match Self::compile(writer, options) {
            Ok(plan) => return Ok((plan, None)),
            Err(error) if options.selects() || error.kind() != FeedErrorKind::Schema => {
                return Err(error);
            }
            Err(error) => error,
        };
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let nonrecursive = nonrecursive::nonrecursive(reader.graph(), &options.limits);
        match nonrecursive.and_then(|projection| Self::of(writer, options, &projection)) {
            Ok(plan) => Ok((plan, Some(error))),
            Err(_) => Err(error),
        }
    }

    /// The schema of all columns. Columns of recursive types are the last ones, and have the type List of Null.
    pub(crate) fn schema_of_all(writer: &AvroSchema, options: &AvroOptions) -> Result<SchemaRef, FeedError> {
        let (plan, recursion_error) = Self::compile_nonrecursive(writer, options)?;
        if recursion_error.is_none() {
            return Ok(plan.schema);
        }
        // The plan lacks recursive columns, and has only a part of columns with a recursive type inside them.
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let item = Arc::new(Field::new_list_field(DataType::Null, true));
        let (mut fields, mut recursive) = (Vec::new(), Vec::new());
        for name in root_columns(reader.graph()) {
            let alone = AvroOptions { columns: Some(vec![quoted_step(name)]), ..options.clone() };
            match Self::compile(writer, &alone) {
                Ok(plan) => fields.extend(plan.schema.fields().iter().cloned()),
                Err(_) => recursive.push(Arc::new(Field::new(name, DataType::List(item.clone()), true))),
            }
        }
        fields.append(&mut recursive);
        Ok(Arc::new(Schema::new(fields)))
    }

    fn of(writer: &AvroSchema, options: &AvroOptions, projection: &Projection) -> Result<Self, FeedError> {
        let (plan, used) = Self::with_lengths(writer, options, projection)?;
        if let Some(path) = options.fixed_lengths.keys().find(|path| !used.contains(*path)) {
            let message =
                "expected an array for this fixed length, found none among the columns that are read";
            return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(path));
        }
        Ok(plan)
    }

    /// Compiles the plan, and returns the paths of `fixed_lengths` that named an array.
    fn with_lengths(
        writer: &AvroSchema,
        options: &AvroOptions,
        projection: &Projection,
    ) -> Result<(Self, BTreeSet<String>), FeedError> {
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let mut resolver = Resolver::new(writer.graph(), reader.graph(), options);
        let root = match options.raw {
            true => raw_root(&mut resolver, projection),
            false => resolve_root(&mut resolver, projection)?,
        };
        let spread = is_spread(&resolver);
        let (skips, used) = resolver.finish();
        let native = Schema::new(columns(&root, spread));
        let encoder = Encoder::new(options.encoding, &native)?;
        let schema = encoder.schema();
        let has_zero_byte_elements = skips.has_zero_byte_elements() || root.node.has_zero_byte_elements();
        let skips = Arc::new(skips);
        Ok((Self { root, skips, encoder, spread, has_zero_byte_elements, schema }, used))
    }

    /// Makes a batch from the rows of the root column.
    pub(crate) fn batch(&self, rows: &ArrayRef) -> RecordBatch {
        match self.spread {
            true => self.encoder.encode(rows.as_struct().column(0)),
            false => self.encoder.encode(rows),
        }
    }

    /// The part of a record's `bytes` that is read, if all its fields have the same size.
    pub(crate) fn read_bytes(&self, bytes: u64) -> u64 {
        let Node::Record(record) = &self.root.node else { return bytes };
        let read = record.steps.iter().filter(|step| matches!(step, FieldStep::Read { .. })).count();
        let all = record.steps.len().max(1);
        u64::try_from(u128::from(bytes) * read as u128 / all as u128).unwrap_or(bytes)
    }

    /// The schema of the batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// Whether the reader's root is a record while the writer's is not: the fields of that record become the columns.
fn is_spread(resolver: &Resolver<'_>) -> bool {
    let (writer, reader) = (resolver.writer, resolver.reader);
    let is_record = |ty: &Type| matches!(ty, Type::Record(_));
    is_record(&reader.types[reader.root]) && !is_record(&writer.types[writer.root])
}

/// The names of all columns of a schema.
/// The field paths of the columns that the options select. `None`: all columns.
pub(crate) fn selected_columns(
    writer: &AvroSchema,
    options: &AvroOptions,
) -> Result<Option<Vec<String>>, FeedError> {
    match &options.exclude {
        Some(excluded) => remaining_columns(&column_names(writer, options), excluded).map(Some),
        None => Ok(options.columns.clone()),
    }
}

/// The names of all columns, also of those of recursive types.
pub(crate) fn column_names<'a>(writer: &'a AvroSchema, options: &'a AvroOptions) -> Vec<&'a str> {
    match options.raw {
        true => vec![RAW_COLUMN],
        false => root_columns(options.reader_schema.as_ref().unwrap_or(writer).graph()),
    }
}

fn root_columns(graph: &Graph) -> Vec<&str> {
    match &graph.types[graph.root] {
        Type::Record(record) => record.fields.iter().map(|field| field.column_name()).collect(),
        _ => vec![ROOT_COLUMN],
    }
}

fn columns(root: &Column, spread: bool) -> Fields {
    match &root.data_type {
        DataType::Struct(fields) => match fields.first().map(|field| field.data_type()) {
            Some(DataType::Struct(inner)) if spread => inner.clone(),
            _ => fields.clone(),
        },
        other => unreachable!("the root is a record, not {other}"),
    }
}

/// The projection of paths.
fn projection_of<S: AsRef<str>>(
    paths: &[S],
    reader: &AvroSchema,
    options: &AvroOptions,
) -> Result<Projection, FeedError> {
    match options.raw {
        true => raw_projection(paths),
        false => Projection::from_paths(paths, reader.graph(), options.unions),
    }
}

/// The projection of raw records.
fn raw_projection<S: AsRef<str>>(paths: &[S]) -> Result<Projection, FeedError> {
    match paths {
        [] => Ok(Projection::Fields(Vec::new())),
        [path] if path.as_ref() == RAW_COLUMN => Ok(Projection::All),
        [path, ..] => {
            let found = quoted(path.as_ref());
            let message = format!(
                "expected the column \"{RAW_COLUMN}\", the only column of raw records, found {found}"
            );
            Err(FeedError::new(FeedErrorKind::Schema, message))
        }
    }
}

/// A record with one field, which keeps each root value as bytes.
fn raw_root(resolver: &mut Resolver<'_>, projection: &Projection) -> Column {
    let step = resolver.skip(RAW_COLUMN, resolver.writer.root);
    let (step, outputs, fields) = match (projection, step) {
        (Projection::All, FieldStep::Skip { name, program }) => {
            let column = Column::required(Node::Raw(program), DataType::LargeBinary);
            let fields = vec![column.field(RAW_COLUMN)].into();
            (FieldStep::Read { name, column }, vec![Output::Read(0)], fields)
        }
        (_, step) => (step, Vec::new(), Fields::empty()),
    };
    let data_type = DataType::Struct(Fields::clone(&fields));
    Column::required(Node::Record(RecordNode { steps: vec![step], outputs, fields }), data_type)
}

/// Resolves the roots. Unless both are records, the root is wrapped in a record of one field, which adds no bytes
/// on the wire.
fn resolve_root(resolver: &mut Resolver<'_>, projection: &Projection) -> Result<Column, FeedError> {
    let (writer, reader) = (resolver.writer, resolver.reader);
    if let (Type::Record(_), Type::Record(_)) = (&writer.types[writer.root], &reader.types[reader.root]) {
        return resolver.resolve(writer.root, reader.root, projection);
    }
    let wanted = match projection {
        // The writer has a union of records and the reader a record, whose fields are the columns.
        projection if is_spread(resolver) => Some(projection),
        Projection::All => Some(&Projection::All),
        Projection::Fields(fields) => match fields.as_slice() {
            [] => None,
            [(name, projection)] if name == ROOT_COLUMN => Some(projection),
            _ => {
                let message =
                    format!("expected the column \"{ROOT_COLUMN}\": the file's root type is not a record");
                return Err(FeedError::new(FeedErrorKind::Schema, message));
            }
        },
    };
    let (step, outputs, fields) = match wanted {
        Some(projection) => {
            let column = resolver
                .inside(ROOT_COLUMN, |resolver| resolver.resolve(writer.root, reader.root, projection))?;
            let fields = vec![column.field(ROOT_COLUMN)].into();
            (FieldStep::Read { name: ROOT_COLUMN.to_owned(), column }, vec![Output::Read(0)], fields)
        }
        None => (resolver.skip(ROOT_COLUMN, writer.root), Vec::new(), Fields::empty()),
    };
    let data_type = DataType::Struct(Fields::clone(&fields));
    Ok(Column::required(Node::Record(RecordNode { steps: vec![step], outputs, fields }), data_type))
}
