//! Datasets: every row once, in an order that only files and options decide, from any place on.

mod chunks;
mod columns;
mod faults;
mod files;
mod index;
mod objects;
mod order;
mod resume;
mod shards;
mod splits;
mod tensors;
