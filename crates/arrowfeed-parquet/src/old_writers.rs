//! Corrections of footers that some writers made wrong, as other readers make them.

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};

/// Versions of parquet-mr before this one declare column chunks without the header of their dictionary page (PARQUET-816).
const FIRST_WITH_DICTIONARY_HEADERS: [u64; 3] = [1, 2, 9];

/// The first versions of two writers whose statistics of strings, bytes and unsigned numbers have the right order.
const FIRST_WITH_ORDERED_BYTES: [(&str, [u64; 3]); 2] =
    [("parquet-mr", [1, 10, 0]), ("parquet-cpp", [1, 3, 0])];

/// Maximum size of such a header. parquet-cpp and Impala add as much.
const DICTIONARY_HEADER: u64 = 100;

/// The metadata of a file whose pages end at `pages_end`, with these corrections:
///
/// - The number of rows of the file is the sum of its row groups. The `parquet` crate reads no more rows at a time than the file
///   declares, and some writers declare none.
/// - A dictionary page at 0, where the magic bytes are, is no dictionary page.
/// - Column chunks of old versions of parquet-mr are longer than they declare.
pub(crate) fn corrected(metadata: ParquetMetaData, pages_end: u64) -> Result<ParquetMetaData, ParquetError> {
    let file = metadata.file_metadata();
    let rows = metadata.row_groups().iter().fold(0_i64, |rows, group| rows.saturating_add(group.num_rows()));
    let grow = file.created_by().is_some_and(omits_dictionary_headers);
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    if file.num_rows() == rows && !grow && columns.all(|column| column.dictionary_page_offset() != Some(0)) {
        return Ok(metadata);
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let column = |column: &ColumnChunkMetaData| {
        let dictionary = column.dictionary_page_offset().filter(|offset| *offset != 0);
        let column = column.clone().into_builder().set_dictionary_page_offset(dictionary).build()?;
        if !grow {
            return Ok(column);
        }
        let (start, len) = column.byte_range();
        let most = pages_end.saturating_sub(start).max(len);
        let len = len.saturating_add(DICTIONARY_HEADER).min(most);
        column.into_builder().set_total_compressed_size(len as i64).build()
    };
    let group = |group: &RowGroupMetaData| {
        let columns = group.columns().iter().map(column).collect::<Result<_, ParquetError>>()?;
        group.clone().into_builder().set_column_metadata(columns).build()
    };
    let groups = metadata.row_groups().iter().map(group).collect::<Result<_, ParquetError>>()?;
    Ok(ParquetMetaDataBuilder::new(file).set_row_groups(groups).build())
}

/// Whether the writer is a version of parquet-mr with the defect.
fn omits_dictionary_headers(created_by: &str) -> bool {
    is_before(created_by, "parquet-mr", FIRST_WITH_DICTIONARY_HEADERS)
}

/// Whether the writer compared bytes as signed numbers for some statistics, as parquet-cpp assumes.
pub(crate) fn orders_bytes_wrong(created_by: &str) -> bool {
    FIRST_WITH_ORDERED_BYTES.iter().any(|(writer, version)| is_before(created_by, writer, *version))
}

/// Whether a file has been written by a version of `writer` before this one. A writer without a version is an old one.
fn is_before(created_by: &str, writer: &str, first: [u64; 3]) -> bool {
    let mut words = created_by.split_whitespace();
    if words.next() != Some(writer) {
        return false;
    }
    let number = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        digits.parse().unwrap_or(0)
    };
    let mut version = match (words.next(), words.next()) {
        (Some("version"), Some(version)) => version.split('.').map(number).collect(),
        _ => Vec::new(),
    };
    version.resize(3, 0_u64);
    version < first.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_of_one_writer_have_the_defect() {
        for old in [
            "parquet-mr",
            "parquet-mr version 1.2.8",
            "parquet-mr version 1.1",
            "parquet-mr version 1.2.8-cdh5",
        ] {
            assert!(omits_dictionary_headers(old), "{old}");
        }
        for new in [
            "",
            "parquet-cpp version 1.0.0",
            "parquet-mr version 1.2.9",
            "parquet-mr version 1.12.0-2018 (build x)",
        ] {
            assert!(!omits_dictionary_headers(new), "{new}");
        }
    }
}
