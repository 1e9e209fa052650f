//! A check of the nesting of a schema, before the `parquet` crate recurses over it.
//!
//! A footer is a Thrift structure in the compact protocol. It has the schema as a list of elements in depth-first order, each
//! with its number of children. So 80 KB are enough for a nesting that overflows the stack. Bytes that are not such a
//! structure are left to the crate, which reports them.

use arrow_schema::{DataType, Schema};
use arrowfeed_source::field_path::list_item;
use arrowfeed_source::{FeedError, Limits};

use crate::compact::{Compact, kind};
use crate::encryption;

/// The field of the footer with the elements of the schema.
const SCHEMA: i32 = 2;

/// The field of an element with the number of its children.
const CHILDREN: i32 = 5;

/// Checks the groups of a footer. Returns whether the footer declares that columns are encrypted.
///
/// # Errors
/// They are nested more deeply than `schema_depth` allows.
pub(crate) fn check_groups(footer: &[u8], limits: &Limits) -> Result<bool, FeedError> {
    // A list or a map has two groups.
    match groups(footer) {
        Some((depth, _)) if depth > 2 * most(limits) => Err(too_deep(limits)),
        found => Ok(found.is_some_and(|(_, is_encrypted)| is_encrypted)),
    }
}

/// Checks the columns of a file.
///
/// # Errors
/// They are nested more deeply than `schema_depth` allows.
pub(crate) fn check_columns(schema: &Schema, limits: &Limits) -> Result<(), FeedError> {
    let depth = schema.fields().iter().map(|field| depth_of(field.data_type())).max();
    if depth.is_some_and(|depth| depth > most(limits)) { Err(too_deep(limits)) } else { Ok(()) }
}

fn most(limits: &Limits) -> usize {
    limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH)
}

#[cold]
fn too_deep(limits: &Limits) -> FeedError {
    let message = format!("expected types nested at most {} deep, found more", most(limits));
    FeedError::limit_reached("schema_depth", message)
}

/// Number of nested lists, structs and maps.
fn depth_of(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => {
            1 + fields.iter().map(|field| depth_of(field.data_type())).max().unwrap_or(0)
        }
        // The struct of its entries is a part of the map.
        DataType::Map(entries, _) => depth_of(entries.data_type()),
        other => list_item(other).map_or(0, |item| 1 + depth_of(item.data_type())),
    }
}

/// Number of nested groups, without the root, and whether the footer declares an encryption; `None` if the bytes are not a footer.
fn groups(footer: &[u8]) -> Option<(usize, bool)> {
    let (mut deepest, mut is_encrypted) = (0, false);
    let mut footer = Compact { bytes: footer };
    let mut id = 0;
    while let Some(field) = footer.field(&mut id)? {
        is_encrypted |= id == encryption::ALGORITHM;
        if (id, field) != (SCHEMA, kind::LIST) {
            footer.skip(field)?;
            continue;
        }
        let (len, _) = footer.list()?;
        // The numbers of children of open groups that have not come yet.
        let mut open: Vec<i32> = Vec::new();
        for _ in 0..len {
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            let children = children(&mut footer)?;
            if children > 0 {
                open.push(children);
                deepest = deepest.max(open.len() - 1);
            }
        }
    }
    Some((deepest, is_encrypted))
}

/// The number of children of an element of the schema.
fn children(element: &mut Compact<'_>) -> Option<i32> {
    let (mut id, mut children) = (0, 0);
    while let Some(field) = element.field(&mut id)? {
        match (id, field) {
            (CHILDREN, kind::I32) => children = element.integer()?,
            _ => element.skip(field)?,
        }
    }
    Some(children)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Fields};
    use parquet::arrow::ArrowWriter;

    use super::*;

    fn varint(mut n: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while n > 0x7f {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    }

    /// An element of the schema with a name of one letter: a group with this number of children, or a column of INT32.
    fn element(children: u64) -> Vec<u8> {
        match children {
            0 => vec![0x15, 2, 0x25, 0, 0x18, 1, b'x', 0],
            _ => [vec![0x35, 0, 0x18, 1, b'g', 0x15], varint(2 * children), vec![0]].concat(),
        }
    }

    /// A footer with a version, these elements below the root, no rows, and no row groups.
    fn footer(elements: &[u64]) -> Vec<u8> {
        let len = varint(elements.len() as u64 + 1);
        let elements = elements.iter().flat_map(|children| element(*children));
        [vec![0x15, 2, 0x19, 0xfc], len, element(1), elements.collect(), vec![0x16, 0, 0x19, 0x0c, 0]]
            .concat()
    }

    fn depth_of_groups(footer: &[u8]) -> Option<usize> {
        groups(footer).map(|(depth, _)| depth)
    }

    fn error_of(footer: &[u8]) -> Option<(Option<&'static str>, String)> {
        let error = check_groups(footer, &Limits::default()).err()?;
        Some((error.limit(), error.to_string()))
    }

    #[test]
    fn nested_groups_are_counted() {
        assert_eq!(depth_of_groups(&footer(&[0])), Some(0));
        assert_eq!(depth_of_groups(&footer(&[2, 0, 1, 0])), Some(2));
        // Groups beside each other are not nested.
        let beside = [vec![1000], [1, 0].repeat(1000)].concat();
        assert_eq!(depth_of_groups(&footer(&beside)), Some(2));
        for depth in [128, 129, 10_000, 1_000_000] {
            let footer = footer(&[vec![1; depth], vec![0]].concat());
            assert_eq!(depth_of_groups(&footer), Some(depth));
            let message = "expected types nested at most 64 deep, found more".to_owned();
            assert_eq!(error_of(&footer), (depth > 128).then_some((Some("schema_depth"), message)));
        }
    }

    #[test]
    fn the_footers_of_the_parquet_crate_are_understood() {
        let leaf = || Field::new("x", DataType::Int32, true);
        let struct_ = DataType::Struct(Fields::from(vec![leaf(), Field::new_list("l", leaf(), true)]));
        let entries =
            Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", struct_, true)]);
        let map = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false);
        let schema = Schema::new(vec![leaf(), Field::new("m", map, true)]);
        let mut bytes = Vec::new();
        ArrowWriter::try_new(&mut bytes, Arc::new(schema.clone()), None).unwrap().close().unwrap();
        let len = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
        let footer = &bytes[bytes.len() - 8 - len..bytes.len() - 8];
        // The map and its entries, the struct, the list and its items.
        assert_eq!(depth_of_groups(footer), Some(5));
        for end in 0..footer.len() - 1 {
            assert!(depth_of_groups(&footer[..end]).is_none_or(|depth| depth <= 5));
        }
        assert_eq!(schema.fields().iter().map(|field| depth_of(field.data_type())).max(), Some(3));
    }
}
