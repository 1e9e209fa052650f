//! A parsed schema as an arena: every type is stored once, named types are shared by index, and recursion is a cycle.

use serde_json::Value;

/// Index of a [`Type`] in its [`Graph`].
pub(crate) type TypeId = usize;

/// Every type of one schema. The graph may be cyclic, so walks from `root` must bound their depth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graph {
    pub(crate) types: Vec<Type>,
    pub(crate) root: TypeId,
}

/// One type of the Avro specification. A logical type is kept only if it is valid for its base type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Null,
    Boolean,
    Int(Option<IntLogical>),
    Long(Option<LongLogical>),
    Float,
    Double,
    Bytes(Option<Decimal>),
    String {
        uuid: bool,
    },
    Array(TypeId),
    Map(TypeId),
    /// Branches, in the order of their index on the wire.
    Union(Vec<TypeId>),
    Record(Record),
    Enum(Enum),
    Fixed(Fixed),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntLogical {
    Date,
    TimeMillis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongLogical {
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    TimestampNanos,
    LocalTimestampMillis,
    LocalTimestampMicros,
    LocalTimestampNanos,
}

impl Type {
    /// The name of the type in a schema: `int`, `record`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Int(_) => "int",
            Type::Long(_) => "long",
            Type::Float => "float",
            Type::Double => "double",
            Type::Bytes(_) => "bytes",
            Type::String { .. } => "string",
            Type::Array(_) => "array",
            Type::Map(_) => "map",
            Type::Union(_) => "union",
            Type::Record(_) => "record",
            Type::Enum(_) => "enum",
            Type::Fixed(_) => "fixed",
        }
    }

    /// The full name and the aliases of a named type.
    pub(crate) fn name_and_aliases(&self) -> Option<(&str, &[String])> {
        match self {
            Type::Record(record) => Some((&record.name, &record.aliases)),
            Type::Enum(symbols) => Some((&symbols.name, &symbols.aliases)),
            Type::Fixed(fixed) => Some((&fixed.name, &fixed.aliases)),
            _ => None,
        }
    }
}

impl IntLogical {
    const ALL: [Self; 2] = [Self::Date, Self::TimeMillis];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|logical| logical.name() == name)
    }

    /// The name in the specification.
    pub(crate) fn name(self) -> &'static str {
        match self {
            IntLogical::Date => "date",
            IntLogical::TimeMillis => "time-millis",
        }
    }
}

impl LongLogical {
    const ALL: [Self; 7] = [
        Self::TimeMicros,
        Self::TimestampMillis,
        Self::TimestampMicros,
        Self::TimestampNanos,
        Self::LocalTimestampMillis,
        Self::LocalTimestampMicros,
        Self::LocalTimestampNanos,
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|logical| logical.name() == name)
    }

    /// The name in the specification.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LongLogical::TimeMicros => "time-micros",
            LongLogical::TimestampMillis => "timestamp-millis",
            LongLogical::TimestampMicros => "timestamp-micros",
            LongLogical::TimestampNanos => "timestamp-nanos",
            LongLogical::LocalTimestampMillis => "local-timestamp-millis",
            LongLogical::LocalTimestampMicros => "local-timestamp-micros",
            LongLogical::LocalTimestampNanos => "local-timestamp-nanos",
        }
    }
}

/// A valid decimal: `1 <= precision`, `0 <= scale <= precision`, and, for fixed, a precision that fits the size. It may
/// still be too wide for Arrow (more than 76 digits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) precision: usize,
    pub(crate) scale: usize,
}

/// A record, or a type with `"type": "error"`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// Full name.
    pub(crate) name: String,
    /// Full names.
    pub(crate) aliases: Vec<String>,
    pub(crate) fields: Vec<Field>,
}

/// Field attribute with the name of the Arrow column, for names that are not valid in Avro.
pub(crate) const COLUMN_NAME: &str = "arrowfeed.name";

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The value of [`COLUMN_NAME`]; `None` in a record in which two columns would get the same name.
    pub(crate) column: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) ty: TypeId,
    /// The JSON value, unchecked: a writer's default is never used, and a reader's is checked when it is used.
    pub(crate) default: Option<Value>,
}

impl Field {
    /// The name of the Arrow column of this field.
    pub(crate) fn column_name(&self) -> &str {
        self.column.as_deref().unwrap_or(&self.name)
    }

    /// The names that a column for this field may have, the most likely one first.
    pub(crate) fn column_names(&self) -> impl Iterator<Item = &str> {
        let names = self.column.iter().chain([&self.name]).chain(&self.aliases);
        names.map(String::as_str)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Enum {
    /// Full name.
    pub(crate) name: String,
    /// Full names.
    pub(crate) aliases: Vec<String>,
    pub(crate) symbols: Vec<String>,
    /// Index into `symbols`.
    pub(crate) default: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fixed {
    /// Full name.
    pub(crate) name: String,
    /// Full names.
    pub(crate) aliases: Vec<String>,
    pub(crate) size: usize,
    pub(crate) logical: Option<FixedLogical>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FixedLogical {
    Decimal(Decimal),
    /// For fixed(12) only.
    Duration,
    /// For fixed(16) only.
    Uuid,
}
