//! The nodes of a decode plan: one for each value on the wire.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields, UnionFields};

use super::skip::{Program, Skips};

/// An Arrow [`Field`] without its name, and the node that decodes its slots.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) node: Node,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
    pub(crate) metadata: HashMap<String, String>,
    /// Bytes of an item's JSON text in addition to a multiple of its encoded bytes; 0 outside unions that become JSON.
    pub(crate) item_text_bytes: usize,
}

impl Column {
    pub(crate) fn required(node: Node, data_type: DataType) -> Self {
        Self { node, data_type, nullable: false, metadata: HashMap::new(), item_text_bytes: 0 }
    }

    pub(crate) fn field(&self, name: &str) -> Field {
        Field::new(name, self.data_type.clone(), self.nullable).with_metadata(self.metadata.clone())
    }
}

/// The encoding of one value on the wire and its target in Arrow. Lists every kind of value.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// No bytes.
    Null,
    Boolean,
    /// A number, converted to the same or another number type.
    Number {
        wire: Wire,
        to: Native,
    },
    /// A number that is a time of day.
    Time(Time),
    /// Length and bytes; `utf8`: the bytes are validated.
    Bytes {
        utf8: bool,
    },
    /// A string of 36 characters as 16 bytes.
    UuidString,
    Fixed {
        size: usize,
    },
    /// Length and big-endian two's complement.
    DecimalBytes {
        width: DecimalWidth,
        precision: u8,
    },
    DecimalFixed {
        size: usize,
        width: DecimalWidth,
        precision: u8,
    },
    /// Three little-endian unsigned 32-bit numbers: months, days, milliseconds.
    Duration,
    Enum(EnumNode),
    List(ListNode),
    Map {
        values: Box<Column>,
    },
    Record(RecordNode),
    /// Any value, as its bytes.
    Raw(Program),
    /// A union of null and one other type.
    Nullable {
        null_branch: usize,
        value: Box<Node>,
    },
    Union(UnionNode),
}

/// Number types of the Avro specification, plus booleans that are read as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Boolean,
    Int,
    Long,
    Float,
    Double,
}

/// Number types of Arrow columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    I32,
    I64,
    F32,
    F64,
}

/// Times of day by their type on the wire and in the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// An int that counts milliseconds.
    Millis,
    /// A long that counts microseconds.
    Micros,
    /// An int that counts microseconds.
    IntMicros,
}

impl Time {
    /// Units in a day.
    #[inline(always)]
    pub(crate) const fn day(self) -> i64 {
        match self {
            Time::Millis => 86_400_000,
            Time::Micros | Time::IntMicros => 86_400_000_000,
        }
    }

    /// The name of the unit in messages.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Time::Millis => "milliseconds",
            Time::Micros | Time::IntMicros => "microseconds",
        }
    }

    /// Whether the number is a valid Arrow time.
    #[inline(always)]
    pub(crate) const fn contains(self, time: i64) -> bool {
        time.cast_unsigned() < self.day().cast_unsigned()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecimalWidth {
    Bits128,
    Bits256,
}

#[derive(Debug, Clone)]
pub(crate) struct EnumNode {
    /// The reader's key for each of the writer's symbols. `None` if the reader has neither the symbol nor a default.
    pub(crate) keys: Arc<[Option<i32>]>,
    /// The writer's symbols, for messages.
    pub(crate) symbols: Arc<[String]>,
    /// The reader's symbols: one array shared by all batches.
    pub(crate) dictionary: ArrayRef,
    /// Bytes of the longest symbol if the encoding writes symbols as text, else 0.
    pub(crate) symbol_bytes: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct ListNode {
    pub(crate) items: Box<Column>,
    /// The required length of every row, if the caller asked for a FixedSizeList.
    pub(crate) fixed: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct RecordNode {
    /// The writer's fields, in wire order.
    pub(crate) steps: Vec<FieldStep>,
    /// The columns, in output order.
    pub(crate) outputs: Vec<Output>,
    pub(crate) fields: Fields,
}

/// One field of the writer's record.
#[derive(Debug, Clone)]
pub(crate) enum FieldStep {
    Read { name: String, column: Column },
    Skip { name: String, program: Program },
}

/// The source of a column of a record.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    /// The n-th `FieldStep::Read`.
    Read(usize),
    /// A field that the writer does not have: the reader's default as Avro bytes, and the column that decodes them.
    Default { column: Column, bytes: Arc<[u8]>, skips: Arc<Skips> },
}

#[derive(Debug, Clone)]
pub(crate) struct UnionNode {
    /// Whether the value on the wire begins with a branch index; if not, all values are of the only branch.
    pub(crate) tagged: bool,
    /// The writer's branches.
    pub(crate) branches: Vec<Branch>,
    pub(crate) result: UnionResult,
}

#[derive(Debug, Clone)]
pub(crate) enum Branch {
    /// Values go to branch `to` of the reader's union.
    Read { to: usize, column: Column },
    /// No branch of the reader accepts these values: meeting one is an error.
    Refused { branch: String, reader: String },
}

#[derive(Debug, Clone)]
pub(crate) enum UnionResult {
    /// A dense union of the reader's branches.
    Dense(UnionFields),
    /// A dense union that is converted to another type when the batch ends.
    Converted(UnionFields, Box<UnionConversion>),
    /// The reader has one type, optionally with null: all branches are merged into one column of it.
    One,
}

impl UnionResult {
    /// The name of a branch of a dense union.
    pub(crate) fn branch_name(&self, to: usize) -> Option<&str> {
        match self {
            UnionResult::Dense(fields) | UnionResult::Converted(fields, _) => {
                fields.iter().nth(to).map(|(_, field)| field.name().as_str())
            }
            UnionResult::One => None,
        }
    }
}

/// Conversion of a finished dense union.
#[derive(Debug, Clone)]
pub(crate) enum UnionConversion {
    /// A struct whose fields are `branches` of the union, not including `null`. `slot_bytes`: Arrow bytes of a slot of
    /// all fields, without items and text.
    Struct { fields: Fields, branches: Vec<i8>, null: Option<i8>, slot_bytes: usize },
    /// JSON text as strings or bytes of this type. `text_bytes`: bytes of a slot's text in addition to a multiple of
    /// its encoded bytes.
    Json { data_type: DataType, null: Option<i8>, text_bytes: usize },
}

impl Node {
    /// The minimum number of bytes of a value on the wire.
    pub(crate) fn min_bytes(&self) -> usize {
        match self {
            Node::Null => 0,
            Node::Number { wire: Wire::Float, .. } => 4,
            Node::Number { wire: Wire::Double, .. } => 8,
            Node::Boolean | Node::Number { .. } | Node::Time(_) => 1,
            Node::Bytes { .. } | Node::DecimalBytes { .. } => 1,
            Node::UuidString => 1,
            Node::Fixed { size } | Node::DecimalFixed { size, .. } => *size,
            Node::Duration => 12,
            Node::Enum(_) | Node::List(_) | Node::Map { .. } | Node::Nullable { .. } => 1,
            Node::Raw(program) => program.min_bytes(),
            Node::Union(union) if union.tagged => 1,
            Node::Union(union) => match union.branches.first() {
                Some(Branch::Read { column, .. }) => column.node.min_bytes(),
                _ => 0,
            },
            Node::Record(record) => {
                let bytes = |step: &FieldStep| match step {
                    FieldStep::Read { column, .. } => column.node.min_bytes(),
                    FieldStep::Skip { program, .. } => program.min_bytes(),
                };
                record.steps.iter().map(bytes).fold(0, usize::saturating_add)
            }
        }
    }

    /// Bytes that one slot takes in Arrow buffers, not counting list items and string bytes.
    pub(crate) fn slot_bytes(&self) -> usize {
        match self {
            Node::Null => 0,
            Node::Boolean => 1,
            Node::Number { to: Native::I32 | Native::F32, .. } | Node::Enum(_) => 4,
            Node::Time(Time::Millis) => 4,
            Node::Number { .. } | Node::Time(_) => 8,
            Node::Bytes { .. } | Node::Raw(_) | Node::Map { .. } => 4,
            Node::UuidString | Node::Duration => 16,
            Node::Fixed { size } => *size,
            Node::DecimalBytes { width, .. } | Node::DecimalFixed { width, .. } => width.bytes(),
            Node::List(ListNode { items, fixed: Some(n) }) => n.saturating_mul(items.node.slot_bytes()),
            Node::List(_) => 4,
            Node::Nullable { value, .. } => value.slot_bytes().saturating_add(1),
            Node::Union(_) => 5,
            Node::Record(record) => {
                let bytes = |step: &FieldStep| match step {
                    FieldStep::Read { column, .. } => column.node.slot_bytes(),
                    FieldStep::Skip { .. } => 0,
                };
                record.steps.iter().map(bytes).fold(0, usize::saturating_add)
            }
        }
    }
}

impl Node {
    /// Whether the node contains an array whose items may take no bytes.
    pub(crate) fn has_zero_byte_elements(&self) -> bool {
        match self {
            Node::List(ListNode { items, .. }) => {
                items.node.min_bytes() == 0 || items.node.has_zero_byte_elements()
            }
            Node::Map { values } => values.node.has_zero_byte_elements(),
            Node::Nullable { value, .. } => value.has_zero_byte_elements(),
            Node::Record(record) => record.steps.iter().any(|step| match step {
                FieldStep::Read { column, .. } => column.node.has_zero_byte_elements(),
                FieldStep::Skip { .. } => false,
            }),
            Node::Union(union) => union.branches.iter().any(|branch| match branch {
                Branch::Read { column, .. } => column.node.has_zero_byte_elements(),
                Branch::Refused { .. } => false,
            }),
            _ => false,
        }
    }
}

/// Bytes that a null slot takes in Arrow buffers.
pub(crate) fn null_slot_bytes(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeBinary(size) => usize::try_from(*size).unwrap_or(0),
        DataType::FixedSizeList(item, n) => {
            let n = usize::try_from(*n).unwrap_or(0);
            n.saturating_mul(null_slot_bytes(item.data_type()).saturating_add(1))
        }
        DataType::Struct(fields) => {
            let slots = fields.iter().map(|field| null_slot_bytes(field.data_type()).saturating_add(1));
            slots.fold(0, usize::saturating_add)
        }
        DataType::Dictionary(key, _) => null_slot_bytes(key),
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) => size_of::<i64>(),
        DataType::Utf8View | DataType::BinaryView => size_of::<u128>(),
        DataType::Null => 0,
        DataType::Boolean => 1,
        other => other.primitive_width().unwrap_or(size_of::<i32>()),
    }
}

impl DecimalWidth {
    pub(crate) fn bytes(self) -> usize {
        match self {
            DecimalWidth::Bits128 => 16,
            DecimalWidth::Bits256 => 32,
        }
    }
}
