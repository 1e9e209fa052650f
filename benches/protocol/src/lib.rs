//! Line protocol of the benchmark workers: a worker reads one JSON job per line, and writes one JSON answer per line.
//!
//! An answer is `{"seconds": s, "rows": n}`, or `{"error": text}` if the job failed. The worker continues after a failed
//! job, so that the next job runs in a warm process.

use std::cell::RefCell;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

/// One read of one file, or one write of its rows.
#[derive(Debug, Clone, Deserialize)]
pub struct Job {
    /// Path of an Avro object container file.
    pub file: String,
    /// Number of rows per batch. `None`: the default of the reader.
    #[serde(default)]
    pub batch_size: Option<usize>,
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// Names of the top-level columns to read. `None`: all.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// A predicate that the rows must pass. `None`: all rows.
    #[serde(default)]
    pub filter: Option<String>,
    /// With `filter`: `decode all` if all rows are decoded, and filtered afterwards.
    #[serde(default)]
    pub way: Option<String>,
    /// Codec for writing the rows, by its name in the Avro specification. `None`: the job is a read.
    #[serde(default)]
    pub write: Option<String>,
}

/// A cache of the rows that were read for the last job, so that a writer reads its rows only once.
#[derive(Debug)]
pub struct Held<T>(RefCell<Option<(String, Option<usize>, T)>>);

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self(RefCell::new(None))
    }
}

impl<T> Held<T> {
    /// Calls `work` with the result of `read` for the job's file and batch size, which is cached.
    pub fn with<R, E>(
        &self,
        job: &Job,
        read: impl FnOnce() -> Result<T, E>,
        work: impl FnOnce(&T) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut held = self.0.borrow_mut();
        if let Some((file, batch_size, rows)) = &*held
            && (file, batch_size) == (&job.file, &job.batch_size)
        {
            return work(rows);
        }
        // Frees the memory of the last result before reading.
        *held = None;
        let (_, _, rows) = held.insert((job.file.clone(), job.batch_size, read()?));
        work(rows)
    }
}

/// A sink that counts the bytes written to it, and drops them.
#[derive(Debug, Default)]
pub struct CountingSink {
    /// Number of bytes so far.
    pub bytes: u64,
}

impl Write for CountingSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The time and the number of rows of one job.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    elapsed: Duration,
    rows: usize,
}

/// Measures `work`, which returns the number of rows that it read or wrote.
pub fn measure<E>(work: impl FnOnce() -> Result<usize, E>) -> Result<Measured, E> {
    let start = Instant::now();
    let rows = work()?;
    Ok(Measured { elapsed: start.elapsed(), rows })
}

/// Answers jobs from standard input until it ends.
pub fn serve(run: impl Fn(&Job) -> Result<Measured, Box<dyn Error>>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?, &run))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &str, run: impl Fn(&Job) -> Result<Measured, Box<dyn Error>>) -> Value {
    let job: Result<Job, Box<dyn Error>> = serde_json::from_str(line).map_err(Into::into);
    match job.and_then(|job| run(&job)) {
        Ok(measured) => json!({"seconds": measured.elapsed.as_secs_f64(), "rows": measured.rows}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"file": "a.avro", "batch_size": 8192, "threads": 2, "columns": ["x"]}"#;

    #[test]
    fn a_job_is_answered_with_its_rows_and_time() {
        let answered = answer(LINE, |job| {
            assert_eq!((job.file.as_str(), job.batch_size, job.threads.get()), ("a.avro", Some(8192), 2));
            assert_eq!(job.columns, Some(vec!["x".to_owned()]));
            measure(|| Ok(7))
        });
        assert_eq!(answered["rows"], 7);
        assert!(answered["seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0));
    }

    #[test]
    fn a_failed_job_is_answered_with_its_error() {
        assert_eq!(answer(LINE, |_| Err("no such file".into())), json!({"error": "no such file"}));
    }

    #[test]
    fn a_file_is_read_again_only_after_another_one() {
        let (held, reads) = (Held::default(), RefCell::new(Vec::new()));
        for file in ["a", "a", "b", "a"] {
            let job = Job { file: file.to_owned(), ..serde_json::from_str(LINE).unwrap() };
            let read = || {
                reads.borrow_mut().push(file);
                Ok::<_, ()>(file.to_owned())
            };
            assert_eq!(held.with(&job, read, |rows| Ok(rows.clone())), Ok(file.to_owned()));
        }
        assert_eq!(*reads.borrow(), ["a", "b", "a"]);
    }

    #[test]
    fn a_job_without_a_file_is_an_error() {
        let answered = answer("{}", |_| measure(|| Ok(0)));
        assert_eq!(answered, json!({"error": "missing field `file` at line 1 column 2"}));
    }
}
