//! CSV files and files of JSON lines through the engine.

mod csv;
mod json;
mod parts;
mod support;
