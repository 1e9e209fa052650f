//! The stage in which a thread works. Each thread adds up its times, and adds them to the meter when it leaves its outermost
//! stage. A change of the stage reads the clock once.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::meter::Meter;
use super::stage::{SLOTS, Stage};

thread_local! {
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

struct Clock {
    meter: Arc<Meter>,
    /// The format of the files that the thread reads in this stage.
    format: Option<usize>,
    /// The current stage, and the time since which it is.
    current: Option<(Stage, Instant)>,
    /// Nanoseconds in each stage that were not added to the meter yet.
    times: [u64; SLOTS],
}

impl Clock {
    /// Changes the stage. Returns the previous one.
    fn change(&mut self, to: Option<Stage>) -> Option<Stage> {
        let now = Instant::now();
        let before = self.current.map(|(stage, since)| {
            self.times[stage.slot()] += nanoseconds(now.saturating_duration_since(since));
            stage
        });
        self.current = to.map(|stage| (stage, now));
        before
    }

    fn flush(&mut self) {
        self.meter.add_times(self.format.take(), std::mem::take(&mut self.times));
    }
}

/// Runs `work`, whose stages on this thread count for `meter`.
pub(crate) fn measured<T>(meter: &Arc<Meter>, work: impl FnOnce() -> T) -> T {
    /// Restores the clock of the work around this one, also after a panic.
    struct Restored(Option<Clock>);

    impl Drop for Restored {
        fn drop(&mut self) {
            let before = self.0.take();
            let _ = CLOCK.try_with(|clock| clock.replace(before));
        }
    }

    let clock = Clock { meter: meter.clone(), format: None, current: None, times: [0; SLOTS] };
    let _restored = Restored(CLOCK.with(|own| own.replace(Some(clock))));
    work()
}

/// The meter for which this thread works.
pub(crate) fn current_meter() -> Option<Arc<Meter>> {
    CLOCK.with_borrow(|clock| clock.as_ref().map(|clock| clock.meter.clone()))
}

/// A stage of this thread, up to its drop.
#[derive(Debug)]
#[must_use = "the stage ends when this is dropped"]
pub struct InStage {
    /// The stage before, and whether a meter counts.
    before: Option<Stage>,
    is_measured: bool,
    /// The clock is that of this thread.
    _thread: PhantomData<*const ()>,
}

/// Enters a stage. Does nothing on a thread that works for no meter.
pub fn enter(stage: Stage) -> InStage {
    entered(stage, |_| None)
}

/// Like [`enter`], for the files of a format. Inside another stage, the times count for the format of that stage.
pub fn enter_for(stage: Stage, format: &'static str) -> InStage {
    entered(stage, |meter| meter.format_number(format))
}

fn entered(stage: Stage, format: impl FnOnce(&Meter) -> Option<usize>) -> InStage {
    let before = CLOCK.with_borrow_mut(|clock| {
        clock.as_mut().map(|clock| {
            if clock.current.is_none() {
                clock.format = format(&clock.meter);
            }
            clock.change(Some(stage))
        })
    });
    InStage { is_measured: before.is_some(), before: before.flatten(), _thread: PhantomData }
}

impl Drop for InStage {
    fn drop(&mut self) {
        if !self.is_measured {
            return;
        }
        let _ = CLOCK.try_with(|clock| {
            if let Some(clock) = clock.borrow_mut().as_mut() {
                clock.change(self.before);
                if self.before.is_none() {
                    clock.flush();
                }
            }
        });
    }
}

/// A time of up to 584 years in nanoseconds.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    time.as_secs().wrapping_mul(1_000_000_000).wrapping_add(u64::from(time.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const STEP: Duration = Duration::from_millis(20);

    #[test]
    fn a_stage_interrupts_the_one_around_it() {
        let meter = Arc::new(Meter::new(1, (0, 1), ["avro"]));
        let outside = enter(Stage::Copy);
        let start = Instant::now();
        measured(&meter, || {
            sleep(STEP);
            let _decode = enter_for(Stage::Decode, "avro");
            sleep(STEP);
            {
                let _read = enter_for(Stage::Read, "parquet");
                sleep(STEP);
            }
            sleep(STEP);
        });
        let took = start.elapsed();
        drop(outside);
        let stats = meter.stats();
        let (read, decode) = (stats.stages.of(Stage::Read), stats.stages.of(Stage::Decode));
        assert!(read >= STEP && decode >= 2 * STEP, "{stats:?}");
        assert!(read + decode <= took - STEP, "{stats:?}");
        assert_eq!(stats.stages.total(), read + decode);
        assert_eq!(stats.formats[0].stages, stats.stages);
    }

    #[test]
    fn a_panic_ends_its_stages() {
        let meter = Arc::new(Meter::new(1, (0, 1), []));
        let inner = Arc::new(Meter::new(1, (0, 1), []));
        measured(&meter, || {
            let _decode = enter(Stage::Decode);
            let work = || {
                let _convert = enter(Stage::Convert);
                panic!("expected");
            };
            std::panic::catch_unwind(|| measured(&inner, work)).unwrap_err();
            sleep(STEP);
        });
        assert!(meter.stats().stages.of(Stage::Decode) >= STEP);
        assert!(meter.stats().stages.of(Stage::Convert).is_zero());
        assert!(!inner.stats().stages.of(Stage::Convert).is_zero());
        assert!(current_meter().is_none());
    }
}
