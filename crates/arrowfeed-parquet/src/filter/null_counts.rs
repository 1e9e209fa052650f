//! The numbers of nulls of a leaf column, where they are reliable.
//!
//! A leaf in an optional struct is null where the struct is. `pyarrow` leaves out these nulls for dictionaries, so the counts in
//! the statistics and in the page index are not used for such leaves. The levels that a writer counts tell the number of nulls.

use parquet::file::metadata::RowGroupMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::schema::types::ColumnDescriptor;

/// The number of nulls of a leaf that is not in a list. `None`: it is unknown, or larger than the number of rows.
pub(super) fn of_group(leaf: usize, group: &RowGroupMetaData) -> Option<u64> {
    let (column, rows) = (group.columns().get(leaf)?, u64::try_from(group.num_rows()).ok()?);
    let stated = || column.statistics()?.null_count_opt();
    let levels = || column.definition_level_histogram().map(|levels| levels.values());
    checked(column.column_descr(), stated, levels, rows)
}

/// The number of nulls of each page, whose numbers of rows are `rows`.
pub(super) fn of_pages(
    descriptor: &ColumnDescriptor,
    index: &ColumnIndexMetaData,
    rows: &[u64],
) -> Vec<Option<u64>> {
    let of_page = |(page, rows): (usize, &u64)| {
        let stated = || u64::try_from(index.null_count(page)?).ok();
        checked(descriptor, stated, || index.definition_level_histogram(page), *rows)
    };
    rows.iter().enumerate().map(of_page).collect()
}

/// The number of nulls that is stated, or that of the levels if a parent is optional.
fn checked<'a>(
    descriptor: &ColumnDescriptor,
    stated: impl FnOnce() -> Option<u64>,
    levels: impl FnOnce() -> Option<&'a [i64]>,
    rows: u64,
) -> Option<u64> {
    let of_leaf = i16::from(descriptor.self_type().is_optional());
    let nulls = match descriptor.max_def_level() > of_leaf {
        false => stated()?,
        true => {
            let levels = levels().filter(|levels| levels.len() == 1 + descriptor.max_def_level() as usize)?;
            let mut counts = levels.iter().map(|count| u64::try_from(*count).ok());
            let all = counts.try_fold(0_u64, |sum, count| sum.checked_add(count?))?;
            let values = u64::try_from(*levels.last()?).ok()?;
            (all == rows).then(|| rows - values)?
        }
    };
    (nulls <= rows).then_some(nulls)
}
