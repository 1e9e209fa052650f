//! What is decided from schemas, once, before the first record.
//!
//! ```text
//! writer schema × reader schema × columns ──resolve──> Column { Node } ──> DecodePlan
//! ```
//! - [`want`]: the projection; [`ending`]: all fields that do not contain themselves.
//! - [`resolve`] and [`union`]: the rules of schema resolution; [`leaf`]: the table of types; [`node`]: what comes out.
//! - [`skip`]: programs that step over what is not read.
//! - [`field_default`]: defaults of fields that a writer has no column for.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use crate::encode::Encoder;
use crate::schema::graph::Type;
use crate::{AvroSchema, ReadOptions};
use node::{Column, Node, Output, RecordNode, Step};
use resolve::Resolver;
use skip::Skips;
use want::Want;

mod ending;
pub(crate) mod field_default;
pub(crate) mod leaf;
pub(crate) mod node;
mod resolve;
pub(crate) mod skip;
mod union;
pub(crate) mod want;

/// The column of a file whose root type is not a record.
const ROOT_COLUMN: &str = "value";

/// The column of records that are kept as their bytes.
const RAW_COLUMN: &str = "record";

/// How the records of one writer's schema become rows of one Arrow schema.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    /// A record, whatever the file's root is.
    pub(crate) root: Column,
    pub(crate) skips: Arc<Skips>,
    encoder: Encoder,
    spread: bool,
    /// Whether a record may hold elements without bytes: they are counted for each record.
    pub(crate) has_zero_byte_elements: bool,
    schema: SchemaRef,
}

impl DecodePlan {
    /// All that can be wrong with schemas and options is found here.
    pub(crate) fn compile(writer: &AvroSchema, options: &ReadOptions) -> Result<Self, FeedError> {
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let want = match &options.columns {
            Some(paths) if options.raw => raw_want(paths)?,
            Some(paths) => Want::from_paths(paths, reader.graph())?,
            None => Want::All,
        };
        Self::of(writer, options, &want)
    }

    /// The same; where not all columns can be read because a type contains itself, the plan of those that do not
    /// contain themselves, and the error.
    pub(crate) fn compile_ending(
        writer: &AvroSchema,
        options: &ReadOptions,
    ) -> Result<(Self, Option<FeedError>), FeedError> {
        let error = match Self::compile(writer, options) {
            Ok(plan) => return Ok((plan, None)),
            Err(error) if options.columns.is_some() || error.kind() != FeedErrorKind::Schema => {
                return Err(error);
            }
            Err(error) => error,
        };
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let ending = ending::ending(reader.graph(), &options.limits);
        match ending.and_then(|want| Self::of(writer, options, &want)) {
            Ok(plan) => Ok((plan, Some(error))),
            Err(_) => Err(error),
        }
    }

    fn of(writer: &AvroSchema, options: &ReadOptions, want: &Want) -> Result<Self, FeedError> {
        let reader = options.reader_schema.as_ref().unwrap_or(writer);
        let mut resolver = Resolver::new(writer.graph(), reader.graph(), options);
        let root = match options.raw {
            true => raw_root(&mut resolver, want),
            false => resolve_root(&mut resolver, want)?,
        };
        let spread = is_spread(&resolver);
        let (skips, used) = resolver.finish();
        if let Some(path) = options.fixed_lengths.keys().find(|path| !used.contains(*path)) {
            let message = "expected an array to give a fixed length, found none that is read";
            return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(path));
        }
        let native = Schema::new(columns(&root, spread));
        let encoder = Encoder::new(options.encoding, &native)?;
        let schema = encoder.schema();
        let has_zero_byte_elements = skips.has_zero_byte_elements() || root.node.has_zero_byte_elements();
        Ok(Self { root, skips: Arc::new(skips), encoder, spread, has_zero_byte_elements, schema })
    }

    /// The batch of rows as the root's column has them.
    pub(crate) fn batch(&self, rows: &ArrayRef) -> RecordBatch {
        match self.spread {
            true => self.encoder.encode(rows.as_struct().column(0)),
            false => self.encoder.encode(rows),
        }
    }

    /// The schema of the batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// Whether the one column of the root is a record whose fields are the columns.
fn is_spread(resolver: &Resolver<'_>) -> bool {
    let (writer, reader) = (resolver.writer, resolver.reader);
    let is_record = |ty: &Type| matches!(ty, Type::Record(_));
    is_record(&reader.types[reader.root]) && !is_record(&writer.types[writer.root])
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

/// The columns of raw records that are asked for.
fn raw_want(paths: &[String]) -> Result<Want, FeedError> {
    match paths {
        [] => Ok(Want::Fields(Vec::new())),
        [path] if path == RAW_COLUMN => Ok(Want::All),
        [path, ..] => {
            let found = quoted(path);
            let message =
                format!("expected the column \"{RAW_COLUMN}\", which raw records have, found {found}");
            Err(FeedError::new(FeedErrorKind::Schema, message))
        }
    }
}

/// The record of one field that keeps the bytes of any root.
fn raw_root(resolver: &mut Resolver<'_>, want: &Want) -> Column {
    let step = resolver.skip(RAW_COLUMN, resolver.writer.root);
    let (step, outputs, fields) = match (want, step) {
        (Want::All, Step::Skip { name, program }) => {
            let column = Column::required(Node::Raw(program), DataType::LargeBinary);
            let fields = vec![column.field(RAW_COLUMN)].into();
            (Step::Read { name, column }, vec![Output::Read(0)], fields)
        }
        (_, step) => (step, Vec::new(), Fields::empty()),
    };
    let data_type = DataType::Struct(Fields::clone(&fields));
    Column::required(Node::Record(RecordNode { steps: vec![step], outputs, fields }), data_type)
}

/// A root that is not a record to both sides becomes the one field of a record, which adds nothing on the wire.
fn resolve_root(resolver: &mut Resolver<'_>, want: &Want) -> Result<Column, FeedError> {
    let (writer, reader) = (resolver.writer, resolver.reader);
    if let (Type::Record(_), Type::Record(_)) = (&writer.types[writer.root], &reader.types[reader.root]) {
        return resolver.resolve(writer.root, reader.root, want);
    }
    let wanted = match want {
        // The writer's union of records, and the reader's record: its fields are the columns.
        want if is_spread(resolver) => Some(want),
        Want::All => Some(&Want::All),
        Want::Fields(fields) => match fields.as_slice() {
            [] => None,
            [(name, want)] if name == ROOT_COLUMN => Some(want),
            _ => {
                let message =
                    format!("expected the column \"{ROOT_COLUMN}\": the file's root type is not a record");
                return Err(FeedError::new(FeedErrorKind::Schema, message));
            }
        },
    };
    let (step, outputs, fields) = match wanted {
        Some(want) => {
            let column =
                resolver.inside(ROOT_COLUMN, |resolver| resolver.resolve(writer.root, reader.root, want))?;
            let fields = vec![column.field(ROOT_COLUMN)].into();
            (Step::Read { name: ROOT_COLUMN.to_owned(), column }, vec![Output::Read(0)], fields)
        }
        None => (resolver.skip(ROOT_COLUMN, writer.root), Vec::new(), Fields::empty()),
    };
    let data_type = DataType::Struct(Fields::clone(&fields));
    Ok(Column::required(Node::Record(RecordNode { steps: vec![step], outputs, fields }), data_type))
}
