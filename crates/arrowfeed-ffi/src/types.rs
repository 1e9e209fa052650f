//! Rejection of types that arrow-rs imports from a schema struct, but of which it cannot build arrays.

use arrow_schema::{DataType, Field};

use crate::invalid::{Checked, Invalid};

/// Rejects a type of which no array can be built. The type is nested no deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
pub(crate) fn check(data_type: &DataType) -> Checked<()> {
    use DataType::*;
    match data_type {
        FixedSizeBinary(size) if *size < 0 => Err(Invalid::new(format!("values of {size} bytes"))),
        FixedSizeList(_, size) if *size < 0 => Err(Invalid::new(format!("lists of {size} values"))),
        Decimal32(precision, _) => decimal(*precision, 9),
        Decimal64(precision, _) => decimal(*precision, 18),
        Decimal128(precision, _) => decimal(*precision, 38),
        Decimal256(precision, _) => decimal(*precision, 76),
        Dictionary(keys, _) if !keys.is_integer() => {
            Err(Invalid::new(format!("dictionary indices of {keys}")))
        }
        Dictionary(_, values) => check(values),
        Map(entries, _) if !is_pairs(entries) => {
            Err(Invalid::new(format!("a map of {} instead of keys and values", entries.data_type())))
        }
        RunEndEncoded(ends, _) if !matches!(ends.data_type(), Int16 | Int32 | Int64) => {
            Err(Invalid::new(format!("run ends of {}", ends.data_type())))
        }
        RunEndEncoded(_, values) => inside(values),
        Union(fields, _) if fields.is_empty() => Err(Invalid::new("a union without types")),
        Union(fields, _) => fields.iter().try_for_each(|(_, field)| inside(field)),
        Struct(fields) => fields.iter().try_for_each(|field| inside(field)),
        List(items) | LargeList(items) | ListView(items) | LargeListView(items) => check(items.data_type()),
        FixedSizeList(items, _) | Map(items, _) => check(items.data_type()),
        _ => Ok(()),
    }
}

/// The type in messages: the beginning of its text form, because a type may have thousands of fields.
pub(crate) fn name(data_type: &DataType) -> String {
    const SHOWN: usize = 60;
    let text = data_type.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn inside(field: &Field) -> Checked<()> {
    check(field.data_type()).map_err(|invalid| invalid.inside(field.name()))
}

fn decimal(precision: u8, most: u8) -> Checked<()> {
    if (1..=most).contains(&precision) {
        return Ok(());
    }
    Err(Invalid::new(format!("a decimal of {precision} digits, where at most {most} fit")))
}

fn is_pairs(entries: &Field) -> bool {
    matches!(entries.data_type(), DataType::Struct(fields) if fields.len() == 2)
}
