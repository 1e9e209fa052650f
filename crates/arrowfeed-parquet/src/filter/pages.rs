//! The page index of a row group.

use std::collections::BTreeSet;
use std::ops::Range;

use arrow_array::UInt32Array;
use arrow_schema::DataType;
use arrowfeed_source::FeedErrorKind;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;

use super::FileFilter;
use super::bounds::{Bounds, Leaf, Place, has_known_order};
use super::null_counts;
use crate::bytes::{SourceBytes, guarded};

/// The pages of a column, and their bounds.
struct Pages {
    /// The first row of each page.
    starts: Vec<usize>,
    bounds: Bounds,
}

impl FileFilter {
    /// The rows of a row group that may pass by the page index, in order. `None`: there is no page index of a column of the
    /// predicate, or it is damaged.
    pub(super) fn rows_of_pages(&self, bytes: &SourceBytes, group: usize) -> Option<Vec<Range<usize>>> {
        let metadata = self.file.metadata().metadata();
        let rows = usize::try_from(metadata.row_group(group).num_rows()).ok()?;
        let leaves = self.places.iter().filter_map(|place| match place {
            Place::Leaf(leaf) => Some(leaf.number),
            Place::Missing | Place::Unknown => None,
        });
        let index = page_index(bytes, metadata, group, &leaves.collect::<Vec<_>>())?;
        let columns = self.filter.outcomes.columns();
        let pages: Vec<Option<Pages>> = self
            .places
            .iter()
            .zip(columns)
            .zip(&self.bounds)
            .map(|((place, column), in_groups)| match place {
                Place::Leaf(leaf) => pages_of(&index, leaf, &column.data_type, rows).filter(|pages| {
                    in_groups.as_ref().is_none_or(|in_groups| pages.bounds.reach(in_groups, group))
                }),
                Place::Missing | Place::Unknown => None,
            })
            .collect();
        // Where a page of any of the columns starts.
        let starts: BTreeSet<usize> =
            pages.iter().flatten().flat_map(|pages| &pages.starts).copied().collect();
        let starts: Vec<usize> = starts.into_iter().collect();
        let of_group = UInt32Array::from(vec![u32::try_from(group).ok()?; starts.len()]);
        let bounds: Vec<Option<Bounds>> = pages
            .iter()
            .zip(&self.bounds)
            .map(|(pages, in_groups)| match pages {
                Some(pages) => pages.bounds.take(&pages.containing(&starts)),
                None => in_groups.as_ref()?.take(&of_group),
            })
            .collect();
        let may_pass = self.filter.outcomes.may_pass(&bounds, starts.len(), &|_, _| false);
        let end = |nth: usize| starts.get(nth).copied().unwrap_or(rows);
        (!starts.is_empty()).then(|| may_pass.set_slices().map(|(from, to)| starts[from]..end(to)).collect())
    }
}

impl Pages {
    /// The number of the page that contains each of these rows.
    fn containing(&self, rows: &[usize]) -> UInt32Array {
        let page = |row: &usize| self.starts.partition_point(|start| start <= row).saturating_sub(1) as u32;
        UInt32Array::from_iter_values(rows.iter().map(page))
    }
}

/// Reads the page index of some columns of a row group.
fn page_index(
    bytes: &SourceBytes,
    metadata: &ParquetMetaData,
    group: usize,
    leaves: &[usize],
) -> Option<ParquetMetaData> {
    let group = metadata.row_group(group);
    let has_index = |leaf: &usize| {
        let column = group.columns().get(*leaf);
        column.is_some_and(|column| {
            column.column_index_offset().is_some() && column.offset_index_offset().is_some()
        })
    };
    if !leaves.iter().any(has_index) {
        return None;
    }
    let column = |(leaf, column): (usize, &ColumnChunkMetaData)| match leaves.contains(&leaf) {
        true => Ok(column.clone()),
        false => {
            let builder = column.clone().into_builder().set_column_index_offset(None);
            builder.set_column_index_length(None).build()
        }
    };
    let read = || {
        let columns = group.columns().iter().enumerate().map(column).collect::<Result<_, ParquetError>>()?;
        let group = group.clone().into_builder().set_column_metadata(columns).build()?;
        let mut found =
            ParquetMetaDataBuilder::new(metadata.file_metadata().clone()).set_row_groups(vec![group]).build();
        // The two parts are at different places of the file.
        for (of_columns, offsets) in [
            (PageIndexPolicy::Optional, PageIndexPolicy::Skip),
            (PageIndexPolicy::Skip, PageIndexPolicy::Optional),
        ] {
            let mut reader = ParquetMetaDataReader::new_with_metadata(found)
                .with_column_index_policy(of_columns)
                .with_offset_index_policy(offsets);
            reader.read_page_indexes(bytes)?;
            found = reader.finish()?;
        }
        Ok::<_, ParquetError>(found)
    };
    guarded(FeedErrorKind::Format, "a page index", read).ok()
}

/// The pages of a column, if their bounds are trusted. `index` has one row group.
fn pages_of(index: &ParquetMetaData, leaf: &Leaf, to: &DataType, rows: usize) -> Option<Pages> {
    let (columns, offsets) = (index.column_index()?, index.offset_index()?);
    let (of_column, offsets_of_column) =
        (columns.first()?.get(leaf.number)?, offsets.first()?.get(leaf.number)?);
    let starts = offsets_of_column.page_locations().iter().map(|page| usize::try_from(page.first_row_index));
    let starts = starts.collect::<Result<Vec<_>, _>>().ok()?;
    let is_valid = starts.first() == Some(&0)
        && starts.is_sorted_by(|page, next| page < next)
        && starts.last().is_some_and(|last| *last < rows);
    if !is_valid
        || matches!(of_column, ColumnIndexMetaData::NONE)
        || of_column.num_pages() != starts.len() as u64
    {
        return None;
    }
    let file = index.file_metadata();
    if !has_known_order(leaf.number, file) {
        return None;
    }
    let ends = starts[1..].iter().copied().chain([rows]);
    let counts: Vec<u64> = starts.iter().zip(ends).map(|(start, end)| (end - start) as u64).collect();
    let found = |converter: &StatisticsConverter<'_>| {
        Ok((
            converter.data_page_mins(columns, offsets, &[0])?,
            converter.data_page_maxes(columns, offsets, &[0])?,
        ))
    };
    let nulls = null_counts::of_pages(&file.schema_descr().column(leaf.number), of_column, &counts);
    let bounds = Bounds::new(leaf, to, file, found, &nulls, &vec![true; starts.len()], &counts)?;
    Some(Pages { starts, bounds })
}
