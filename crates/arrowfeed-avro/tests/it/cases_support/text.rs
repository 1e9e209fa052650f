//! Arrow types as the short text of the cases, such as `list<int64?>`, where a question mark means nullable.

use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};

/// `a: int32, b: utf8?`
pub(crate) fn fields(fields: &Fields) -> String {
    let named = |field: &FieldRef| format!("{}: {}", field.name(), slot(field));
    fields.iter().map(named).collect::<Vec<_>>().join(", ")
}

fn slot(field: &Field) -> String {
    format!("{}{}", data_type(field), if field.is_nullable() { "?" } else { "" })
}

fn data_type(field: &Field) -> String {
    match field.metadata().get("ARROW:extension:name").map(String::as_str) {
        None => plain(field.data_type()),
        Some("arrow.uuid") if *field.data_type() == DataType::FixedSizeBinary(16) => "uuid".to_owned(),
        Some(other) => format!("{other}({})", plain(field.data_type())),
    }
}

fn plain(data_type: &DataType) -> String {
    use DataType::*;
    match data_type {
        FixedSizeBinary(n) => format!("fixed_size_binary[{n}]"),
        Dictionary(keys, values) => format!("dictionary<{}, {}>", plain(keys), plain(values)),
        Time32(unit_) => format!("time32[{}]", unit(unit_)),
        Time64(unit_) => format!("time64[{}]", unit(unit_)),
        Timestamp(unit_, None) => format!("timestamp[{}]", unit(unit_)),
        Timestamp(unit_, Some(zone)) => format!("timestamp[{}, {zone}]", unit(unit_)),
        Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        Interval(arrow_schema::IntervalUnit::MonthDayNano) => "month_day_nano_interval".to_owned(),
        List(field) => format!("list<{}>", item(field)),
        LargeList(field) => format!("large_list<{}>", item(field)),
        FixedSizeList(field, n) => format!("fixed_size_list<{}>[{n}]", item(field)),
        Map(entries, false) => match entries.data_type() {
            Struct(entry) => format!("map<{}, {}>", slot(&entry[0]), slot(&entry[1])),
            other => panic!("the entries of a map are no struct: {other}"),
        },
        Struct(children) => format!("struct<{}>", fields(children)),
        Union(branches, arrow_schema::UnionMode::Dense) => {
            let branches: Fields = branches.iter().map(|(_, field)| field.clone()).collect();
            format!("union<{}>", fields(&branches))
        }
        LargeUtf8 => "large_utf8".to_owned(),
        Utf8View => "utf8_view".to_owned(),
        LargeBinary => "large_binary".to_owned(),
        BinaryView => "binary_view".to_owned(),
        Null | Boolean | Int32 | Int64 | Float32 | Float64 | Utf8 | Binary | Date32 => {
            data_type.to_string().to_lowercase()
        }
        other => panic!("no reader gives {other}"),
    }
}

/// An item of a list. It must be named `item`.
fn item(field: &Field) -> String {
    assert_eq!(field.name(), Field::LIST_FIELD_DEFAULT_NAME);
    slot(field)
}

fn unit(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
