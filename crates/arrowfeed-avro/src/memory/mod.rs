//! Column memory.
//!
//! | file | what |
//! |---|---|
//! | `values` | values of one type, growing; handed out as Arrow buffers |
//! | `home` | where the memory comes back to when an array is dropped |
//! | `allocation` | aligned memory, in huge pages where it is large |
//! | `depot` | memory that one reader leaves for the next |

mod allocation;
mod depot;
mod home;
mod values;

pub(crate) use values::Values;
