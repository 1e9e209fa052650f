//! Global batches: batches that several processes make together, from streams that are equal parts of an order.

// StreamLaps ──windows──> StreamSchedule ──parts──> StreamReader ──rows of each stream──> GlobalRows
//
// | file | contents |
// |---|---|
// | `rows` | the rows of the batches of this process |
// | `plan` `draws` `reading` | the numbers of the batches, the choices of a mixture, and the rows of the next batches |
// | `stream_lengths` `stream_laps` | equal parts of the order of an epoch, and their windows |
// | `stream_reader` `stream_schedule` `stream_lap` | the rows of streams, the order in which their parts are read, and those of one epoch |

pub(crate) mod draws;
pub(crate) mod plan;
pub(crate) mod reading;
pub(crate) mod rows;
pub(crate) mod stream_lap;
pub(crate) mod stream_laps;
pub(crate) mod stream_lengths;
pub(crate) mod stream_reader;
pub(crate) mod stream_schedule;
