//! What arrow-avro asks a field for: the metadata of sixteen bytes that are a UUID and text in Avro, and that nulls are not
//! nullable.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, UnionFields};

use crate::AvroSchema;
use crate::schema::graph::{Graph, Type, TypeId};

/// The metadata that makes arrow-avro write text.
const LOGICAL_TYPE: &str = "logicalType";

/// The Avro type at the place of an Arrow field, where a schema was given.
type Place<'a> = Option<(&'a Graph, TypeId)>;

/// The schema with its UUIDs marked: those that `avro` has as strings; without it, those of the extension type. Nulls are
/// not nullable.
pub(super) fn mark(schema: &Schema, avro: Option<&AvroSchema>) -> Schema {
    let root = avro.map(|avro| (avro.graph().as_ref(), avro.graph().root));
    Schema::new_with_metadata(mark_fields(schema.fields(), root), schema.metadata().clone())
}

fn mark_fields(fields: &Fields, record: Place<'_>) -> Fields {
    let place = |field: &Field| match record.map(|(graph, ty)| (graph, &graph.types[ty])) {
        Some((graph, Type::Record(record))) => {
            let same = record.fields.iter().find(|other| other.name == *field.name());
            same.map(|other| (graph, other.ty))
        }
        _ => None,
    };
    fields.iter().map(|field| Arc::new(mark_field(field, place(field)))).collect()
}

fn mark_field(field: &FieldRef, place: Place<'_>) -> Field {
    let place = place.map(|(graph, ty)| (graph, without_null(graph, ty)));
    let items = || match place.map(|(graph, ty)| (graph, &graph.types[ty])) {
        Some((graph, Type::Array(items) | Type::Map(items))) => Some((graph, without_null(graph, *items))),
        _ => None,
    };
    let data_type = match field.data_type() {
        // Of a nullable one, arrow-avro would make a union of null and null.
        DataType::Null => return field.as_ref().clone().with_nullable(false),
        DataType::FixedSizeBinary(16) => return mark_uuid(field, place),
        DataType::Struct(fields) => DataType::Struct(mark_fields(fields, place)),
        DataType::List(item) => DataType::List(Arc::new(mark_field(item, items()))),
        DataType::LargeList(item) => DataType::LargeList(Arc::new(mark_field(item, items()))),
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(Arc::new(mark_field(item, items())), *n),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else { return field.as_ref().clone() };
            let fields = fields.iter().map(|field| Arc::new(mark_field(field, items()))).collect();
            let entries = entries.as_ref().clone().with_data_type(DataType::Struct(fields));
            DataType::Map(Arc::new(entries), *sorted)
        }
        DataType::Union(fields, mode) => DataType::Union(mark_branches(fields, place), *mode),
        _ => return field.as_ref().clone(),
    };
    field.as_ref().clone().with_data_type(data_type)
}

/// Fields of a union and branches of Avro's are in the same order.
fn mark_branches(fields: &UnionFields, place: Place<'_>) -> UnionFields {
    let branch = |i: usize| match place.map(|(graph, ty)| (graph, &graph.types[ty])) {
        Some((graph, Type::Union(branches))) => branches.get(i).map(|ty| (graph, *ty)),
        _ => None,
    };
    let fields = fields.iter().enumerate();
    fields.map(|(i, (id, field))| (id, Arc::new(mark_field(field, branch(i))))).collect()
}

fn mark_uuid(field: &FieldRef, place: Place<'_>) -> Field {
    let is_text = match place.map(|(graph, ty)| &graph.types[ty]) {
        Some(Type::String { uuid }) => *uuid,
        Some(_) => false,
        None => field.extension_type_name() == Some("arrow.uuid"),
    };
    let mut metadata = field.metadata().clone();
    if is_text {
        metadata.insert(LOGICAL_TYPE.to_owned(), "uuid".to_owned());
    } else {
        metadata.remove(LOGICAL_TYPE);
    }
    field.as_ref().clone().with_metadata(metadata)
}

/// The branch of a union with null that is not null.
fn without_null(graph: &Graph, ty: TypeId) -> TypeId {
    match &graph.types[ty] {
        Type::Union(branches) => match branches.as_slice() {
            [null, other] | [other, null] if graph.types[*null] == Type::Null => *other,
            _ => ty,
        },
        _ => ty,
    }
}

/// The batch under a schema that differs in metadata only, nested fields included.
pub(super) fn relabel(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if batch.schema_ref().fields() == schema.fields() {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns: Result<Vec<ArrayRef>, ArrowError> = columns
        .map(|(column, field)| Ok(make_array(relabel_data(column.to_data(), field.data_type())?)))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns?, &options)
}

fn relabel_data(data: ArrayData, data_type: &DataType) -> Result<ArrayData, ArrowError> {
    if data.data_type() == data_type {
        return Ok(data);
    }
    let fields: Vec<FieldRef> = match data_type {
        DataType::Struct(fields) => fields.iter().cloned().collect(),
        DataType::List(field) | DataType::LargeList(field) => vec![field.clone()],
        DataType::FixedSizeList(field, _) | DataType::Map(field, _) => vec![field.clone()],
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.clone()).collect(),
        _ => Vec::new(),
    };
    let children = data.child_data().iter().cloned().zip(&fields);
    let children: Result<Vec<ArrayData>, ArrowError> =
        children.map(|(child, field)| relabel_data(child, field.data_type())).collect();
    data.into_builder().data_type(data_type.clone()).child_data(children?).build()
}
