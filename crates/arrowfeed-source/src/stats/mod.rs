//! Figures of a reading: where its time goes, and how long its caller waits.
//!
//! ```text
//! enter(stage) on any thread ──> Meter <── waits of the caller
//!                                  └──> Stats ──> verdict, table
//! ```

// | file | content |
// |---|---|
// | `stage` | the stages of a reading, and the time in each |
// | `clock` | the stage in which a thread works |
// | `histogram` | durations in a fixed amount of memory |
// | `meter` | the counts and times of one iteration, which all of its threads share |
// | `summary` | the figures at one moment |
// | `verdict` | the bottleneck, in a sentence |
// | `table` | the figures as text |

mod clock;
mod histogram;
mod meter;
mod stage;
mod summary;
mod table;
mod verdict;

pub use clock::{InStage, enter, enter_for};
pub(crate) use clock::{current_meter, measured};
pub use meter::Meter;
pub use stage::{Codec, Stage, StageTimes};
pub use summary::{FormatStats, Stats, Waits};
pub use table::Table;
