//! The encoder: binds a batch to a plan, and writes its rows into the buffer of a block.
//!
//! | file | content |
//! |---|---|
//! | `buffer` | the bytes of a block, and Avro's primitive encodings |
//! | `leaf` | columns without children |
//! | `nested` | lists, unions, dictionaries, and null handling around them |
//! | `body` | the flat list of operations that write one row |
//! | `bind` | conversion of a plan and the arrays of a batch to such a list |
//! | `bind_leaf` | conversion of an Arrow array and an Avro leaf type to a leaf |
//! | `computed`, `decimal` | leaves whose values are checked or computed |

mod bind;
mod bind_leaf;
mod body;
mod buffer;
mod computed;
mod decimal;
mod leaf;
mod nested;

pub(super) use bind::bind;
pub(super) use body::Body;
pub(super) use buffer::BlockBuffer;
pub(super) use leaf::Tags;
