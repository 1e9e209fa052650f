//! Holds the benchmarks of `benches`.
