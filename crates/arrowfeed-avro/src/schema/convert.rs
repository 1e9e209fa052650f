//! Conversion of an outline to a graph: apache-avro parses the shapes, and the parts beside them are added again.

use apache_avro::Schema;
use apache_avro::schema::{DecimalSchema, FixedSchema, InnerDecimalSchema, UuidSchema};
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::graph::{
    Decimal, Enum, Field, Fixed, FixedLogical, Graph, IntLogical, LongLogical, Record, Type, TypeId,
};
use super::json::object;
use super::outline::{Body, Named, Outline, OutlineField, Shape, placeholder, placeholder_index};

/// Converts an outline. Named types have the first indexes of the graph, in order of definition.
pub(super) fn graph(outline: Outline) -> Result<Graph, FeedError> {
    let Outline { named, root } = outline;
    let mut arena = Arena { named: named.len(), types: Vec::new() };
    arena.types.resize(named.len(), Type::Null);
    for (index, named) in named.into_iter().enumerate() {
        arena.types[index] = arena.definition(index, named)?;
    }
    let root = arena.add(&parse(&root)?)?;
    Ok(Graph { types: arena.types, root })
}

struct Arena {
    named: usize,
    types: Vec<Type>,
}

impl Arena {
    fn definition(&mut self, index: usize, named: Named) -> Result<Type, FeedError> {
        let Named { name, aliases, body } = named;
        Ok(match body {
            Body::Record(fields) => {
                Type::Record(Record { name, aliases, fields: self.fields(index, fields)? })
            }
            Body::Enum { symbols, default } => Type::Enum(Enum { name, aliases, symbols, default }),
            Body::Fixed(shape) => {
                let (size, logical) = fixed(&parse(&shape)?)?;
                Type::Fixed(Fixed { name, aliases, size, logical })
            }
        })
    }

    fn fields(&mut self, index: usize, outline: Vec<OutlineField>) -> Result<Vec<Field>, FeedError> {
        let mut shapes = Vec::with_capacity(outline.len());
        let mut fields = Vec::with_capacity(outline.len());
        for (i, OutlineField { name, column, aliases, default, shape }) in outline.into_iter().enumerate() {
            shapes.push(object([("name", format!("f{i}").into()), ("type", shape)]));
            fields.push(Field { name, column, aliases, ty: 0, default });
        }
        let record =
            [("type", "record".into()), ("name", placeholder(index).into()), ("fields", shapes.into())];
        let Schema::Record(record) = parse(&object(record))? else { return Err(mangled()) };
        if record.fields.len() != fields.len() {
            return Err(mangled());
        }
        for (field, parsed) in fields.iter_mut().zip(&record.fields) {
            field.ty = self.add(&parsed.schema)?;
        }
        Ok(fields)
    }

    /// Adds a type at its use, not at its definition.
    fn add(&mut self, schema: &Schema) -> Result<TypeId, FeedError> {
        let ty = match schema {
            // A placeholder or a stand-in.
            Schema::Ref { name } | Schema::Fixed(FixedSchema { name, .. }) => {
                return placeholder_index(name.name()).filter(|id| *id < self.named).ok_or_else(mangled);
            }
            Schema::Array(array) => Type::Array(self.add(&array.items)?),
            Schema::Map(map) => Type::Map(self.add(&map.types)?),
            Schema::Union(union) => {
                Type::Union(union.variants().iter().map(|branch| self.add(branch)).collect::<Result<_, _>>()?)
            }
            other => primitive(other)?,
        };
        self.types.push(ty);
        Ok(self.types.len() - 1)
    }
}

fn primitive(schema: &Schema) -> Result<Type, FeedError> {
    Ok(match schema {
        Schema::Null => Type::Null,
        Schema::Boolean => Type::Boolean,
        Schema::Int => Type::Int(None),
        Schema::Date => Type::Int(Some(IntLogical::Date)),
        Schema::TimeMillis => Type::Int(Some(IntLogical::TimeMillis)),
        Schema::Long => Type::Long(None),
        Schema::TimeMicros => Type::Long(Some(LongLogical::TimeMicros)),
        Schema::TimestampMillis => Type::Long(Some(LongLogical::TimestampMillis)),
        Schema::TimestampMicros => Type::Long(Some(LongLogical::TimestampMicros)),
        Schema::TimestampNanos => Type::Long(Some(LongLogical::TimestampNanos)),
        Schema::LocalTimestampMillis => Type::Long(Some(LongLogical::LocalTimestampMillis)),
        Schema::LocalTimestampMicros => Type::Long(Some(LongLogical::LocalTimestampMicros)),
        Schema::LocalTimestampNanos => Type::Long(Some(LongLogical::LocalTimestampNanos)),
        Schema::Float => Type::Float,
        Schema::Double => Type::Double,
        Schema::Bytes => Type::Bytes(None),
        Schema::Decimal(DecimalSchema { precision, scale, inner: InnerDecimalSchema::Bytes }) => {
            Type::Bytes(Some(Decimal { precision: *precision, scale: *scale }))
        }
        Schema::String => Type::String { uuid: false },
        Schema::Uuid(UuidSchema::String) => Type::String { uuid: true },
        _ => return Err(mangled()),
    })
}

fn fixed(schema: &Schema) -> Result<(usize, Option<FixedLogical>), FeedError> {
    let (FixedSchema { size, .. }, logical) = match schema {
        Schema::Fixed(fixed) => (fixed, None),
        Schema::Duration(fixed) => (fixed, Some(FixedLogical::Duration)),
        Schema::Uuid(UuidSchema::Fixed(fixed)) => (fixed, Some(FixedLogical::Uuid)),
        Schema::Decimal(DecimalSchema { precision, scale, inner: InnerDecimalSchema::Fixed(fixed) }) => {
            (fixed, Some(FixedLogical::Decimal(Decimal { precision: *precision, scale: *scale })))
        }
        _ => return Err(mangled()),
    };
    Ok((*size, logical))
}

fn parse(shape: &Shape) -> Result<Schema, FeedError> {
    Schema::parse(shape).map_err(|error| {
        let message = format!("expected a schema that apache-avro accepts, found: {error}");
        FeedError::new(FeedErrorKind::Internal, message)
    })
}

/// The error for a shape that apache-avro parsed as a different type.
#[cold]
fn mangled() -> FeedError {
    FeedError::new(
        FeedErrorKind::Internal,
        "expected apache-avro to keep the types of the schema, found a different type",
    )
}
