//! Column memory.
//!
//! | file | contents |
//! |---|---|
//! | `values` | growable values of one type, which become Arrow buffers |
//! | `column_pool` | buffer pool of one column |
//! | `allocation` | memory of one buffer, which returns to the process pool when it is dropped |
//! | `process_pool` | pool of large memory, which later readers reuse |
//! | `aligned` | aligned memory, in huge pages if it is large |

mod aligned;
mod allocation;
mod column_pool;
mod process_pool;
mod values;

pub(crate) use values::Values;
