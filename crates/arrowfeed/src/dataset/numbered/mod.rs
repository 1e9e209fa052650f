//! Rows by their numbers.

// | file | contents |
// |---|---|
// | `row_reader` | a reader of rows by number |
// | `numbered_rows` | the places of rows, and the rows that were found |
// | `chunk_cache` | the decoded chunks that are kept |

pub(crate) mod chunk_cache;
pub(crate) mod numbered_rows;
pub(crate) mod row_reader;
