//! Column memory.
//!
//! | file | what |
//! |---|---|
//! | `values` | values of one type, growing; handed out as Arrow buffers |
//! | `home` | where the memory comes back to when an array is dropped |
//! | `allocation` | memory of a buffer, from the depot and back to it |
//! | `depot` | memory that one reader leaves for the next |
//! | `piece` | aligned memory, in huge pages where it is large |

mod allocation;
mod depot;
mod home;
mod piece;
mod values;

pub(crate) use values::Values;
