//! CSV and JSON Lines files read through the engine.

mod csv;
mod json;
mod parts;
mod support;
