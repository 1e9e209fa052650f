//! The Arrow type of each leaf type of Avro: the table in `docs/avro-to-arrow.md`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::StringArray;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::node::{Column, DecimalWidth, EnumNode, Native, Node, Time, Wire};
use crate::options::{AvroOptions, ColumnEncoding, StringType, Unions};
use crate::schema::graph::{Decimal, Enum, FixedLogical, IntLogical, LongLogical, Type};

/// The options that affect Arrow types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mapping {
    pub(crate) encoding: ColumnEncoding,
    string_type: StringType,
    double_as_float: bool,
    pub(crate) unions: Unions,
}

/// The time zone of Avro's timestamps, which are instants.
const UTC: &str = "UTC";

/// Key of the field metadata with an enum's symbols. The name is arrow-avro's, whose writer turns such a column into an enum.
pub(crate) const ENUM_SYMBOLS: &str = "avro.enum.symbols";

/// Key of the field metadata of a union that is JSON text. Key expressions refuse to select a branch of such a column.
pub(crate) const JSON_UNION: &str = "avro.union";

impl Mapping {
    pub(crate) fn new(options: &AvroOptions) -> Self {
        let double_as_float = options.double_as_float && options.encoding == ColumnEncoding::Tfx;
        let AvroOptions { encoding, string_type, unions, .. } = *options;
        Self { encoding, string_type, double_as_float, unions }
    }

    /// The types of values that are decoded to be written as JSON.
    pub(crate) fn inside_json() -> Self {
        Self {
            encoding: ColumnEncoding::Native,
            string_type: StringType::Utf8,
            double_as_float: false,
            unions: Unions::Dense,
        }
    }

    fn is_tfx(self) -> bool {
        self.encoding == ColumnEncoding::Tfx
    }

    pub(crate) fn string(self) -> DataType {
        match (self.encoding, self.string_type) {
            (ColumnEncoding::Tfx, _) => DataType::LargeBinary,
            (_, StringType::Utf8) => DataType::Utf8,
            (_, StringType::LargeUtf8) => DataType::LargeUtf8,
            (_, StringType::Utf8View) => DataType::Utf8View,
        }
    }

    fn bytes(self) -> DataType {
        match (self.encoding, self.string_type) {
            (ColumnEncoding::Tfx, _) | (_, StringType::LargeUtf8) => DataType::LargeBinary,
            (_, StringType::Utf8) => DataType::Binary,
            (_, StringType::Utf8View) => DataType::BinaryView,
        }
    }

    /// A number that is encoded as `wire` and has the reader's type `ty`. `None` if `ty` is not a number.
    pub(crate) fn number(self, wire: Wire, ty: &Type) -> Option<Column> {
        let (to, data_type) = match ty {
            Type::Int(_) | Type::Long(_) | Type::Boolean if self.is_tfx() => (Native::I64, DataType::Int64),
            Type::Int(logical) => (Native::I32, int_type(*logical)),
            Type::Long(logical) => (Native::I64, long_type(*logical)),
            Type::Double if self.double_as_float => (Native::F32, DataType::Float32),
            Type::Float => (Native::F32, DataType::Float32),
            Type::Double => (Native::F64, DataType::Float64),
            _ => return None,
        };
        let node = match self.time(wire, ty) {
            Some(time) => Node::Time(time),
            None => Node::Number { wire, to },
        };
        Some(Column::required(node, data_type))
    }

    /// The time of day that a number represents. `None` if the column stays a number.
    fn time(self, wire: Wire, ty: &Type) -> Option<Time> {
        match ty {
            _ if self.is_tfx() => None,
            Type::Int(Some(IntLogical::TimeMillis)) => Some(Time::Millis),
            Type::Long(Some(LongLogical::TimeMicros)) if wire == Wire::Int => Some(Time::IntMicros),
            Type::Long(Some(LongLogical::TimeMicros)) => Some(Time::Micros),
            _ => None,
        }
    }

    pub(crate) fn boolean(self) -> Column {
        self.number(Wire::Boolean, &Type::Boolean)
            .unwrap_or_else(|| Column::required(Node::Boolean, DataType::Boolean))
    }

    /// A string or bytes on the wire, read as a string.
    pub(crate) fn text(self, uuid: bool) -> Column {
        if uuid && !self.is_tfx() {
            return uuid_column(Node::UuidString);
        }
        Column::required(Node::Bytes { utf8: true }, self.string())
    }

    /// A string or bytes on the wire, read as bytes.
    pub(crate) fn binary(self, decimal: Option<Decimal>) -> Column {
        match decimal.and_then(decimal_type).filter(|_| !self.is_tfx()) {
            Some((width, precision, data_type)) => {
                Column::required(Node::DecimalBytes { width, precision }, data_type)
            }
            None => Column::required(Node::Bytes { utf8: false }, self.bytes()),
        }
    }

    pub(crate) fn fixed(self, size: usize, logical: Option<FixedLogical>) -> Column {
        // Arrow stores the size of a FixedSizeBinary in 32 bits; the schema's limit is lower.
        let plain = || Column::required(Node::Fixed { size }, DataType::FixedSizeBinary(size as i32));
        match logical {
            _ if self.is_tfx() => plain(),
            Some(FixedLogical::Uuid) => uuid_column(Node::Fixed { size }),
            Some(FixedLogical::Duration) => {
                Column::required(Node::Duration, DataType::Interval(IntervalUnit::MonthDayNano))
            }
            Some(FixedLogical::Decimal(decimal)) => match decimal_type(decimal) {
                Some((width, precision, ty)) => {
                    Column::required(Node::DecimalFixed { size, width, precision }, ty)
                }
                None => plain(),
            },
            None => plain(),
        }
    }

    /// `keys`: the index of the reader's symbol for each of the writer's symbols.
    pub(crate) fn enumeration(self, writer: &Enum, reader: &Enum, keys: Vec<Option<i32>>) -> Column {
        let key = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        // A null slot has a key too, so the dictionary needs at least one value.
        let symbols = reader.symbols.iter().map(String::as_str);
        let dictionary: StringArray =
            if reader.symbols.is_empty() { vec![""].into() } else { symbols.map(Some).collect() };
        let longest = reader.symbols.iter().map(String::len).max().unwrap_or(0);
        let node = EnumNode {
            keys: keys.into(),
            symbols: writer.symbols.clone().into(),
            dictionary: Arc::new(dictionary),
            symbol_bytes: if self.is_tfx() { longest } else { 0 },
        };
        let symbols = serde_json::Value::from(reader.symbols.clone()).to_string();
        let metadata = HashMap::from([(ENUM_SYMBOLS.to_owned(), symbols)]);
        Column { metadata, ..Column::required(Node::Enum(node), key) }
    }
}

fn int_type(logical: Option<IntLogical>) -> DataType {
    match logical {
        None => DataType::Int32,
        Some(IntLogical::Date) => DataType::Date32,
        Some(IntLogical::TimeMillis) => DataType::Time32(TimeUnit::Millisecond),
    }
}

fn long_type(logical: Option<LongLogical>) -> DataType {
    use LongLogical::*;
    let utc = || Some(UTC.into());
    match logical {
        None => DataType::Int64,
        Some(TimeMicros) => DataType::Time64(TimeUnit::Microsecond),
        Some(TimestampMillis) => DataType::Timestamp(TimeUnit::Millisecond, utc()),
        Some(TimestampMicros) => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        Some(TimestampNanos) => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
        Some(LocalTimestampMillis) => DataType::Timestamp(TimeUnit::Millisecond, None),
        Some(LocalTimestampMicros) => DataType::Timestamp(TimeUnit::Microsecond, None),
        Some(LocalTimestampNanos) => DataType::Timestamp(TimeUnit::Nanosecond, None),
    }
}

/// The Arrow decimal type, or `None` if Arrow has none with that many digits.
pub(crate) fn decimal_type(decimal: Decimal) -> Option<(DecimalWidth, u8, DataType)> {
    let (precision, scale) = (u8::try_from(decimal.precision).ok()?, i8::try_from(decimal.scale).ok()?);
    match precision {
        0..=38 => Some((DecimalWidth::Bits128, precision, DataType::Decimal128(precision, scale))),
        39..=76 => Some((DecimalWidth::Bits256, precision, DataType::Decimal256(precision, scale))),
        _ => None,
    }
}

/// Sixteen bytes with Arrow's canonical extension type.
fn uuid_column(node: Node) -> Column {
    let extension = ("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
    let metadata = HashMap::from([extension]);
    Column { metadata, ..Column::required(node, DataType::FixedSizeBinary(16)) }
}
