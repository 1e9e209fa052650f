//! The encoder: a batch bound to a plan, and its rows written into the buffer of a block.
//!
//! | file | content |
//! |---|---|
//! | `buffer` | the bytes of a block, and Avro's primitive encodings |
//! | `leaf` | columns without parts |
//! | `nested` | lists, unions, dictionaries, and what may be null around them |
//! | `body` | the flat list of operations that one row is made of |
//! | `bind` | a plan and the arrays of a batch to such a list |
//! | `bind_leaf` | an Arrow array and an Avro type without parts to a leaf |
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
