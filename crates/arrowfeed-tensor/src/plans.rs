//! Compiled plans by tensor name.

use std::collections::HashMap;

use crate::conversion::TensorPlan;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::explain::Explanation;
use crate::spec::TensorSpec;
use crate::tensors::{one_of, unknown_name};

/// Plans and specs, in the same order. [`add`](Self::add) rejects a name that exists already.
#[derive(Debug, Clone)]
pub(crate) struct Plans {
    plans: Vec<(String, TensorPlan)>,
    specs: Vec<(String, TensorSpec)>,
    /// The index of the first plan of each name.
    positions: HashMap<String, usize>,
}

impl Plans {
    pub(crate) fn new() -> Self {
        Self { plans: Vec::new(), specs: Vec::new(), positions: HashMap::new() }
    }

    /// Adds the result of `compile`. `what` names the kind of definition in the message for a duplicate name.
    pub(crate) fn add(
        &mut self,
        name: String,
        what: &str,
        compile: impl FnOnce() -> Result<TensorPlan, RepresentationError>,
    ) -> Result<(), RepresentationError> {
        let made = match self.position(&name) {
            Some(_) => {
                let expected = format!("a {what} for each name");
                Err(RepresentationError::new(RepresentationErrorKind::Name, expected, "two"))
            }
            None => compile(),
        };
        let plan = made.map_err(|error| error.in_tensor(&name))?;
        let spec = plan.conversion.spec();
        self.push((name.clone(), plan), (name, spec));
        Ok(())
    }

    fn push(&mut self, plan: (String, TensorPlan), spec: (String, TensorSpec)) {
        self.positions.entry(plan.0.clone()).or_insert(self.plans.len());
        self.plans.push(plan);
        self.specs.push(spec);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, TensorPlan)> {
        self.plans.iter()
    }

    pub(crate) fn specs(&self) -> &[(String, TensorSpec)] {
        &self.specs
    }

    /// The plan with this name, for a conversion.
    pub(crate) fn get(&self, name: &str) -> Result<&(String, TensorPlan), ConversionError> {
        let position = self.position(name).ok_or_else(|| unknown_name(self.names(), name))?;
        Ok(&self.plans[position])
    }

    /// The plans with these names, in this order.
    pub(crate) fn project(&self, names: &[&str]) -> Result<Self, RepresentationError> {
        let mut this = Self::new();
        for name in names {
            let position = self.position(name).ok_or_else(|| {
                let kind = RepresentationErrorKind::Name;
                RepresentationError::new(kind, one_of(self.names()), format!("{name:?}"))
            })?;
            this.push(self.plans[position].clone(), self.specs[position].clone());
        }
        Ok(this)
    }

    pub(crate) fn explain(&self) -> Vec<Explanation> {
        let plans = self.plans.iter().zip(&self.specs);
        let explanations = plans.map(|((name, plan), (_, spec))| Explanation {
            tensor: name.clone(),
            spec: spec.clone(),
            parts: plan.conversion.explain(),
        });
        explanations.collect()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.plans.iter().map(|(name, _)| name.as_str())
    }
}
