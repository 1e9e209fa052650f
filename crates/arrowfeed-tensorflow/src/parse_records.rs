//! The op that parses records.

#![expect(clippy::disallowed_types, reason = "the parser of the op; as above")]

use std::sync::{Arc, Mutex, PoisonError};

use crate::api::{Api, OpKernelConstruction, OpKernelContext};
use crate::input::Strings;
use crate::kernel::{Kernel, attribute};
use crate::op::Registered;
use crate::output::Outputs;
use crate::source::{Failure, Parser};

pub(crate) struct ParseRecords {
    config: Vec<u8>,
    /// The parser, opened with the first records.
    parser: Mutex<Option<Arc<dyn Parser>>>,
}

impl ParseRecords {
    fn parser(&self, registered: &Registered) -> Result<Arc<dyn Parser>, Failure> {
        let mut parser = self.parser.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parser) = &*parser {
            return Ok(parser.clone());
        }
        Ok(parser.insert(registered.open.parser(&self.config)?).clone())
    }
}

impl Kernel for ParseRecords {
    fn new(api: &Api, construction: *mut OpKernelConstruction) -> Result<Self, Failure> {
        Ok(Self { config: attribute(api, construction, c"config")?, parser: Mutex::default() })
    }

    fn step(&self, registered: &Registered, context: *mut OpKernelContext) -> Result<(), Failure> {
        let records = Strings::input(&registered.api, context, 0, "records", 1)?;
        let tensors = self.parser(registered)?.parse(&mut records.iter())?;
        let mut outputs = Outputs::new(&registered.api, context);
        outputs.tensors(&tensors)?;
        outputs.finish()
    }
}
