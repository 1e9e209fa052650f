//! Tests of the crate through its public interface: one program, with a module for each topic.
