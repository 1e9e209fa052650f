//! The rows of the next global batches: the same number of each stream, of one dataset or of those that a mixture draws.

use arrowfeed_source::{FeedError, FeedErrorKind, OnError, Report, thousands};

use super::draws::StreamDraws;
use super::stream_reader::StreamReader;
use crate::dataset::rows::gather::Gather;

/// The rows that are being read.
pub(crate) struct GlobalReading {
    /// One for each dataset.
    readers: Vec<StreamReader>,
    /// The choices of each stream of this process. Empty: there is one dataset.
    draws: Vec<StreamDraws>,
    /// The datasets of the rows of the next batch, for each stream, if they were drawn.
    drawn: Option<Vec<Vec<usize>>>,
    /// Number of batches of the epoch, or of all epochs. `None`: without end.
    pub(crate) limit: Option<u64>,
    /// Number of these batches of which this process has rows.
    own_batches: Option<u64>,
}

impl GlobalReading {
    /// `batches`: the number of batches, and of those of which this process has rows.
    pub(crate) fn new(
        readers: Vec<StreamReader>,
        draws: Vec<StreamDraws>,
        (limit, own_batches): (Option<u64>, Option<u64>),
    ) -> Self {
        Self { readers, draws, drawn: None, limit, own_batches }
    }

    /// Checks the number of batches when there are no more.
    ///
    /// # Errors
    /// Batches are missing, although no row was skipped: a defect of this library.
    pub(crate) fn check_end(&self, batches: u64, on_error: OnError) -> Result<(), FeedError> {
        match self.own_batches {
            Some(own) if batches < own && on_error == OnError::Raise => Err(FeedError::defect(format!(
                "expected a number of {} global batches, found {}",
                thousands(own),
                thousands(batches)
            ))),
            _ => Ok(()),
        }
    }

    /// Takes the counts of what has been read and skipped since the last call.
    pub(crate) fn take_report(&mut self) -> Report {
        let mut report = Report::default();
        self.readers.iter_mut().for_each(|reader| report.add(reader.take_report()));
        report
    }

    /// Moves all streams to their next epoch.
    pub(crate) fn end_lap(&mut self) -> Result<(), FeedError> {
        self.readers.iter_mut().try_for_each(StreamReader::end_lap)
    }

    /// Decodes `count` rows of each stream, or as many as there are. Returns false if `wait` is not set and rows are still being
    /// decoded.
    pub(crate) fn prepare(&mut self, streams: usize, count: u64, wait: bool) -> Result<bool, FeedError> {
        if self.draws.is_empty() {
            for stream in 0..streams {
                if !self.readers[0].prepare(stream, count, wait)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let draws = &mut self.draws;
        let drawn = self.drawn.get_or_insert_with(|| {
            let of_stream = |draws: &mut StreamDraws| (0..count).map_while(|_| draws.next()).collect();
            draws.iter_mut().map(of_stream).collect()
        });
        for (stream, drawn) in drawn.iter().enumerate() {
            for (dataset, reader) in self.readers.iter_mut().enumerate() {
                let count = of_dataset(drawn, dataset);
                if count > 0 && !reader.prepare(stream, count, wait)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Takes the rows that are prepared, in the order of the streams. `None` passes over them. Returns their number.
    pub(crate) fn take(
        &mut self,
        streams: usize,
        count: u64,
        mut gather: Option<&mut Gather>,
    ) -> Result<u64, FeedError> {
        let mut taken = 0;
        if self.draws.is_empty() {
            for stream in 0..streams {
                taken += self.readers[0].take(stream, count, gather.as_deref_mut())?;
            }
            return Ok(taken);
        }
        for (stream, drawn) in self.drawn.take().into_iter().flatten().enumerate() {
            taken += drawn.len() as u64;
            self.take_drawn(stream, &drawn, gather.as_deref_mut())?;
        }
        Ok(taken)
    }

    /// Takes rows of a stream of the datasets that were drawn, in this order.
    fn take_drawn(
        &mut self,
        stream: usize,
        drawn: &[usize],
        mut gather: Option<&mut Gather>,
    ) -> Result<(), FeedError> {
        let first = gather.as_ref().map_or(0, |gather| gather.picks.len());
        // The first pick of each dataset.
        let (mut next, mut at) = (Vec::with_capacity(self.readers.len()), 0);
        for (dataset, reader) in self.readers.iter_mut().enumerate() {
            next.push(at);
            let count = of_dataset(drawn, dataset);
            if count > 0 && reader.take(stream, count, gather.as_deref_mut())? != count {
                let message = "expected the rows of the index in a stream of a mixture, found fewer";
                return Err(FeedError::new(FeedErrorKind::Changed, message));
            }
            at += count as usize;
        }
        if let Some(gather) = gather {
            let picks = gather.picks.split_off(first);
            gather.picks.extend(drawn.iter().map(|dataset| {
                next[*dataset] += 1;
                picks[next[*dataset] - 1]
            }));
        }
        Ok(())
    }
}

/// Number of rows of a dataset among those that were drawn.
fn of_dataset(drawn: &[usize], dataset: usize) -> u64 {
    drawn.iter().filter(|drawn| **drawn == dataset).count() as u64
}
