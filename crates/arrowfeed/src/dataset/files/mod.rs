//! The files of a dataset, and the rows of them that it has.

// files ──chunk_index──> positions of all chunks ──counting, selection──> rows that pass, or are chosen
//
// | file | contents |
// |---|---|
// | `indexed` | files with their index and checksums, which are computed once, and the rows that `take` and `skip` select |
// | `selected_files` | what a dataset says of these files: schema, number of rows, fingerprint |
// | `chunk_index` `saved_index` | the positions of all chunks, and the same as a file |
// | `filtered` `counting` | rows that pass a predicate, and their numbers |
// | `selection` `chosen_rows` | rows that a split chooses at random, and those of them in decoded pieces |
// | `counted_files` `relative_names` `checksums` | the files on which an order depends, their names below their common parent, and their checksums |
// | `row_errors` | errors for rows that differ from the index, or that memory cannot hold |

pub(crate) mod checksums;
pub(crate) mod chosen_rows;
pub(crate) mod chunk_index;
pub(crate) mod counted_files;
pub(crate) mod counting;
pub(crate) mod filtered;
pub(crate) mod indexed;
pub(crate) mod relative_names;
pub(crate) mod row_errors;
pub(crate) mod saved_index;
pub(crate) mod selected_files;
pub(crate) mod selection;
