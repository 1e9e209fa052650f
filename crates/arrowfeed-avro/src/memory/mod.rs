//! Column memory.
//!
//! | file | what |
//! |---|---|
//! | `values` | growing values of one type, which become Arrow buffers |
//! | `column_pool` | the buffers of one column, which return when their arrays are dropped |
//! | `allocation` | memory of one buffer, which returns to the process pool when it is dropped |
//! | `process_pool` | large memory that readers leave for later readers |
//! | `aligned` | aligned memory, in huge pages where it is large |

mod aligned;
mod allocation;
mod column_pool;
mod process_pool;
mod values;

pub(crate) use values::Values;
