//! Conversion of JSON values to arrays.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryViewBuilder, BooleanBuilder, FixedSizeBinaryBuilder, GenericBinaryBuilder, GenericStringBuilder,
    StringViewBuilder,
};
use arrow_array::{
    ArrayRef, FixedSizeListArray, GenericListArray, GenericListViewArray, MapArray, NullArray,
    OffsetSizeTrait, StructArray,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use arrowfeed_values::Cell;

use super::tape::{Element, Tape};

/// The indices of values: any, or those of the items of a list.
pub(super) trait Indices: ExactSizeIterator<Item = u32> + Clone {}

impl<I: ExactSizeIterator<Item = u32> + Clone> Indices for I {}

/// The values at these indices as an array. A null may be at any of them: the parent of the array checks where it allows nulls.
///
/// # Errors
/// A value does not fit the type; a value that must not be null is null; JSON has no values of the type.
pub(super) fn array(tape: &Tape<'_>, at: impl Indices, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    Ok(match data_type {
        DataType::Null => {
            let rows = at.len();
            if at.into_iter().any(|index| tape.get(index) != Element::Null) {
                return Err(wrong("null"));
            }
            Arc::new(NullArray::new(rows))
        }
        DataType::Boolean => {
            let mut values = BooleanBuilder::with_capacity(at.len());
            for index in at {
                match tape.get(index) {
                    Element::Null => values.append_null(),
                    Element::Bool(value) => values.append_value(value),
                    _ => return Err(wrong("a boolean")),
                }
            }
            Arc::new(values.finish())
        }
        DataType::Utf8 => strings::<i32>(tape, at)?,
        DataType::LargeUtf8 => strings::<i64>(tape, at)?,
        DataType::Utf8View => {
            let mut values = StringViewBuilder::with_capacity(at.len());
            for index in at {
                values.append_option(text(tape, index)?);
            }
            Arc::new(values.finish())
        }
        DataType::Binary => binary::<i32>(tape, at)?,
        DataType::LargeBinary => binary::<i64>(tape, at)?,
        DataType::BinaryView => {
            let mut values = BinaryViewBuilder::with_capacity(at.len());
            each_bytes(tape, at, |bytes| {
                values.append_option(bytes);
                Ok(())
            })?;
            Arc::new(values.finish())
        }
        DataType::FixedSizeBinary(size) => {
            let mut values = FixedSizeBinaryBuilder::with_capacity(at.len(), *size);
            each_bytes(tape, at, |bytes| {
                match bytes {
                    Some(bytes) => values.append_value(bytes)?,
                    None => values.append_null(),
                }
                Ok(())
            })?;
            Arc::new(values.finish())
        }
        DataType::List(item) => list::<i32>(tape, at, item)?,
        DataType::LargeList(item) => list::<i64>(tape, at, item)?,
        DataType::ListView(item) => list_view::<i32>(tape, at, item)?,
        DataType::LargeListView(item) => list_view::<i64>(tape, at, item)?,
        DataType::FixedSizeList(item, size) => fixed_size_list(tape, at, item, *size)?,
        DataType::Struct(fields) => Arc::new(objects(tape, at, fields)?),
        DataType::Map(entries, false) => map(tape, at, entries)?,
        DataType::RunEndEncoded(_, values) => {
            arrowfeed_values::encoded(&array(tape, at, values.data_type())?, data_type)?
        }
        other => arrowfeed_values::array(other, at.map(|index| cell(tape, index)))?,
    })
}

#[cold]
fn wrong(expected: &str) -> ArrowError {
    ArrowError::JsonError(format!("expected {expected}, found another value"))
}

fn cell<'a>(tape: &'a Tape<'_>, index: u32) -> Cell<'a> {
    match tape.get(index) {
        Element::Null => Cell::Null,
        Element::Number(span) => Cell::Number(tape.text(span)),
        Element::Text(span) => Cell::Text(tape.text(span)),
        Element::Unescaped(span) => Cell::Text(tape.unescaped(span)),
        Element::Bool(_) | Element::List(_) | Element::Object(_) => Cell::Other,
    }
}

/// The text of a string, number or boolean; `None` for null.
fn text<'a>(tape: &'a Tape<'_>, index: u32) -> Result<Option<&'a str>, ArrowError> {
    match cell(tape, index) {
        Cell::Null => Ok(None),
        Cell::Text(text) | Cell::Number(text) => Ok(Some(text)),
        Cell::Other => match tape.get(index) {
            Element::Bool(true) => Ok(Some("true")),
            Element::Bool(false) => Ok(Some("false")),
            _ => Err(wrong("text")),
        },
    }
}

fn strings<O: OffsetSizeTrait>(tape: &Tape<'_>, at: impl Indices) -> Result<ArrayRef, ArrowError> {
    let mut bytes = 0;
    for index in at.clone() {
        bytes += text(tape, index)?.map_or(0, str::len);
    }
    O::from_usize(bytes).ok_or_else(|| wrong("texts that fit into an array"))?;
    let mut values = GenericStringBuilder::<O>::with_capacity(at.len(), bytes);
    for index in at {
        values.append_option(text(tape, index)?);
    }
    Ok(Arc::new(values.finish()))
}

fn binary<O: OffsetSizeTrait>(tape: &Tape<'_>, at: impl Indices) -> Result<ArrayRef, ArrowError> {
    let bytes = at.clone().map(|index| tape.string(index).map_or(0, |digits| digits.len() / 2)).sum();
    O::from_usize(bytes).ok_or_else(|| wrong("bytes that fit into an array"))?;
    let mut values = GenericBinaryBuilder::<O>::with_capacity(at.len(), bytes);
    each_bytes(tape, at, |bytes| {
        values.append_option(bytes);
        Ok(())
    })?;
    Ok(Arc::new(values.finish()))
}

/// Calls `each` with the bytes of hexadecimal texts.
fn each_bytes(
    tape: &Tape<'_>,
    at: impl Indices,
    mut each: impl FnMut(Option<&[u8]>) -> Result<(), ArrowError>,
) -> Result<(), ArrowError> {
    let mut bytes = Vec::new();
    for index in at {
        match cell(tape, index) {
            Cell::Null => each(None)?,
            Cell::Text(digits) => {
                let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
                    return Err(wrong("pairs of digits"));
                };
                bytes.clear();
                for pair in pairs {
                    let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
                    let byte = high.zip(low).map(|(high, low)| (high << 4 | low) as u8);
                    bytes.push(byte.ok_or_else(|| wrong("hexadecimal digits"))?);
                }
                each(Some(&bytes))?;
            }
            Cell::Number(_) | Cell::Other => return Err(wrong("hexadecimal digits")),
        }
    }
    Ok(())
}

/// The items of lists: an array of them, the offsets of the lists, and which lists are null.
struct Items<O> {
    values: ArrayRef,
    offsets: Vec<O>,
    nulls: Option<NullBuffer>,
}

impl<O: OffsetSizeTrait> Items<O> {
    fn of(tape: &Tape<'_>, at: impl Indices, item: &DataType) -> Result<Self, ArrowError> {
        let offset = |items| O::from_usize(items).ok_or_else(|| wrong("lists that fit into an array"));
        let first = at.clone().next().map(|list| (list, tape.get(list)));
        if let (1, false, Some((list, Element::List(end)))) = (at.len(), item.is_nested(), first) {
            // A long list of scalars, which follow one another, needs no index for each of them.
            let items = list + 1..end;
            let offsets = vec![O::zero(), offset(items.len())?];
            return Ok(Self { values: array(tape, items, item)?, offsets, nulls: None });
        }
        let (mut items, mut offsets) = (Vec::with_capacity(at.len()), Vec::with_capacity(at.len() + 1));
        let mut nulls = NullBufferBuilder::new(at.len());
        offsets.push(O::zero());
        for index in at {
            match tape.get(index) {
                Element::List(end) => {
                    nulls.append_non_null();
                    items.extend(tape.items(index, end));
                }
                Element::Null => nulls.append_null(),
                _ => return Err(wrong("a list")),
            }
            offsets.push(offset(items.len())?);
        }
        Ok(Self { values: array(tape, items.iter().copied(), item)?, offsets, nulls: nulls.finish() })
    }
}

fn list<O: OffsetSizeTrait>(
    tape: &Tape<'_>,
    at: impl Indices,
    item: &FieldRef,
) -> Result<ArrayRef, ArrowError> {
    let Items { values, offsets, nulls } = Items::<O>::of(tape, at, item.data_type())?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(Arc::new(GenericListArray::try_new(item.clone(), offsets, values, nulls)?))
}

fn list_view<O: OffsetSizeTrait>(
    tape: &Tape<'_>,
    at: impl Indices,
    item: &FieldRef,
) -> Result<ArrayRef, ArrowError> {
    let Items { values, mut offsets, nulls } = Items::<O>::of(tape, at, item.data_type())?;
    let sizes: Vec<O> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    offsets.pop();
    let (offsets, sizes) = (ScalarBuffer::from(offsets), ScalarBuffer::from(sizes));
    Ok(Arc::new(GenericListViewArray::try_new(item.clone(), offsets, sizes, values, nulls)?))
}

fn fixed_size_list(
    tape: &Tape<'_>,
    at: impl Indices,
    item: &FieldRef,
    size: i32,
) -> Result<ArrayRef, ArrowError> {
    let expected = usize::try_from(size).map_err(|_| wrong("a size of lists"))?;
    let rows = at.len();
    let (mut items, mut nulls) = (Vec::new(), NullBufferBuilder::new(rows));
    for index in at {
        let before = items.len();
        match tape.get(index) {
            Element::List(end) => {
                nulls.append_non_null();
                items.extend(tape.items(index, end));
            }
            Element::Null => {
                nulls.append_null();
                // The first element is null.
                items.resize(before + expected, 0);
            }
            _ => return Err(wrong("a list")),
        }
        if items.len() - before != expected {
            return Err(wrong("a list of the size"));
        }
    }
    let values = array(tape, items.iter().copied(), item.data_type())?;
    let (item, nulls) = (item.clone(), nulls.finish());
    Ok(Arc::new(FixedSizeListArray::try_new_with_length(item, size, values, nulls, rows)?))
}

fn map(tape: &Tape<'_>, at: impl Indices, entries: &FieldRef) -> Result<ArrayRef, ArrowError> {
    let DataType::Struct(fields) = entries.data_type() else { return Err(wrong("a map of structs")) };
    let [key, value] = &fields[..] else { return Err(wrong("a map with keys and values")) };
    let (mut keys, mut values, mut offsets) = (Vec::new(), Vec::new(), vec![0_i32]);
    let mut nulls = NullBufferBuilder::new(at.len());
    for index in at {
        match tape.get(index) {
            Element::Object(end) => {
                nulls.append_non_null();
                let mut entry = index + 1;
                while entry < end {
                    keys.push(entry);
                    values.push(entry + 1);
                    entry = tape.after(entry + 1);
                }
            }
            Element::Null => nulls.append_null(),
            _ => return Err(wrong("an object")),
        }
        offsets.push(i32::try_from(keys.len()).map_err(|_| wrong("maps that fit into an array"))?);
    }
    let columns = vec![
        array(tape, keys.iter().copied(), key.data_type())?,
        array(tape, values.iter().copied(), value.data_type())?,
    ];
    let rows = StructArray::try_new_with_length(fields.clone(), columns, None, keys.len())?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, rows, nulls.finish(), false)?))
}

/// The values of objects at the keys of fields. Other keys are ignored; of equal keys, the last one counts.
pub(super) fn objects(tape: &Tape<'_>, at: impl Indices, fields: &Fields) -> Result<StructArray, ArrowError> {
    let rows = at.len();
    let by_name: HashMap<&str, usize> =
        fields.iter().enumerate().rev().map(|(place, field)| (field.name().as_str(), place)).collect();
    let mut nulls = NullBufferBuilder::new(rows);
    // The index of the value of each row of each field. The first element is null.
    let mut found = vec![0; rows * fields.len()];
    for (row, index) in at.enumerate() {
        match tape.get(index) {
            Element::Object(end) => {
                nulls.append_non_null();
                let (mut key, mut likely) = (index + 1, 0);
                while key < end {
                    let name = tape.string(key).unwrap_or_default();
                    // The keys of an object often have the order of the fields.
                    let place = match fields.get(likely) {
                        Some(field) if field.name() == name => Some(likely),
                        _ => by_name.get(name).copied(),
                    };
                    if let Some(place) = place {
                        found[place * rows + row] = key + 1;
                        likely = place + 1;
                    }
                    key = tape.after(key + 1);
                }
            }
            Element::Null => nulls.append_null(),
            _ => return Err(wrong("an object")),
        }
    }
    let columns = fields.iter().enumerate().map(|(place, field)| {
        let at = &found[place * rows..(place + 1) * rows];
        array(tape, at.iter().copied(), field.data_type())
    });
    let columns = columns.collect::<Result<_, _>>()?;
    StructArray::try_new_with_length(fields.clone(), columns, nulls.finish(), rows)
}
