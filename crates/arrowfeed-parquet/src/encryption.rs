//! Columns that are encrypted in a file whose footer is not.

use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::schema::types::SchemaDescriptor;

use crate::compact::{Compact, kind};

/// The last bytes of a file whose footer is encrypted.
pub(crate) const MAGIC: &[u8] = b"PARE";

/// The field of the footer that a file with encrypted columns has.
pub(crate) const ALGORITHM: i32 = 8;

/// The field of the footer with the row groups, and the field of a row group with its column chunks.
const ROW_GROUPS: i32 = 4;
const COLUMNS: i32 = 1;

/// The field of a column chunk that is encrypted.
const CRYPTO: i32 = 8;

/// The error of a file whose footer is encrypted.
#[cold]
pub(crate) fn encrypted_footer() -> FeedError {
    let message =
        "expected a Parquet file that is not encrypted, found one with an encrypted footer: decrypt it first";
    FeedError::new(FeedErrorKind::Format, message)
}

/// Numbers of the leaf columns that are encrypted in a row group. Bytes that are not a footer have none.
pub(crate) fn encrypted_leaves(footer: &[u8]) -> Vec<usize> {
    let mut leaves = Vec::new();
    // The columns before the first invalid byte are known.
    let _ = of_footer(&mut Compact { bytes: footer }, &mut leaves);
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

fn of_footer(footer: &mut Compact<'_>, leaves: &mut Vec<usize>) -> Option<()> {
    let mut id = 0;
    while let Some(field) = footer.field(&mut id)? {
        if (id, field) != (ROW_GROUPS, kind::LIST) {
            footer.skip(field)?;
            continue;
        }
        for _ in 0..footer.list()?.0 {
            of_row_group(footer, leaves)?;
        }
    }
    Some(())
}

fn of_row_group(group: &mut Compact<'_>, leaves: &mut Vec<usize>) -> Option<()> {
    let mut id = 0;
    while let Some(field) = group.field(&mut id)? {
        if (id, field) != (COLUMNS, kind::LIST) {
            group.skip(field)?;
            continue;
        }
        for leaf in 0..group.list()?.0 {
            let mut id = 0;
            while let Some(field) = group.field(&mut id)? {
                if id == CRYPTO {
                    leaves.push(usize::try_from(leaf).ok()?);
                }
                group.skip(field)?;
            }
        }
    }
    Some(())
}

/// Checks that the columns `read` are not encrypted.
///
/// # Errors
/// One of them is.
pub(crate) fn check(encrypted: &[usize], read: &[usize], schema: &SchemaDescriptor) -> Result<(), FeedError> {
    let Some(leaf) = read.iter().find(|leaf| encrypted.binary_search(leaf).is_ok()) else { return Ok(()) };
    let message = "expected a column that is not encrypted, found an encrypted one: leave it out, or decrypt the file first";
    let error = FeedError::new(FeedErrorKind::Format, message);
    Err(error.in_field(schema.column(*leaf).path().string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with a version, and two row groups whose columns have these fields.
    fn footer(columns: [&[&[u8]]; 2]) -> Vec<u8> {
        let group = |columns: &[&[u8]]| {
            let columns: Vec<u8> = columns.iter().flat_map(|fields| [*fields, &[0]].concat()).collect();
            [&[0x19, 0x3c], &columns[..], &[0x26, 2, 0]].concat()
        };
        [&[0x15, 2, 0x39, 0x2c][..], &group(columns[0]), &group(columns[1]), &[0]].concat()
    }

    #[test]
    fn encrypted_columns_of_any_row_group_are_found() {
        // The offset of the file, and the structure of an encrypted column with a key of its own.
        let plain: &[u8] = &[0x26, 8];
        let encrypted: &[u8] = &[0x26, 8, 0x6c, 0x2c, 0x19, 0x18, 1, b'x', 0, 0];
        let whole = footer([&[plain, plain, encrypted], &[encrypted, plain, encrypted]]);
        assert_eq!(encrypted_leaves(&whole), [0, 2]);
        assert_eq!(encrypted_leaves(&footer([&[plain; 3]; 2])), [0; 0]);
        for end in 0..whole.len() {
            let found = encrypted_leaves(&whole[..end]);
            assert!(found.iter().all(|leaf| [0, 2].contains(leaf)), "{end}: {found:?}");
        }
    }
}
