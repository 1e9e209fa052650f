//! The object container format.
