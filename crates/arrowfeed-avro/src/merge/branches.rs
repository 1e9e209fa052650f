//! Merge of unions with several types.

use std::mem::discriminant;

use arrowfeed_source::{FeedError, SchemaChangeKind};

use super::numbers::{is_bytes, is_number, widest};
use super::{Addition, Kind, Merger};
use crate::plan::{describe, unqualified};
use crate::schema::graph::{Type, TypeId};

impl Merger<'_> {
    /// Merges the branches of two unions other than null: each added branch with the merged branch of its type or name, or
    /// with one that it is promoted to. Other branches are added.
    pub(super) fn merge_branches(
        &mut self,
        added: &mut Addition<'_>,
        to: &[TypeId],
        from: &[TypeId],
    ) -> Result<Vec<TypeId>, FeedError> {
        let graph = added.graph;
        let new: Vec<&Type> = from.iter().map(|id| &graph.types[*id]).collect();
        let mut merged = to.to_vec();
        let mut targets = Vec::with_capacity(from.len());
        for (partner, id) in self.partners(to, &new).into_iter().zip(from) {
            let branch = match partner {
                Some(at) => {
                    merged[at] = self.merge_values(added, to[at], *id)?;
                    merged[at]
                }
                None => self.import(added, *id)?,
            };
            if !merged.contains(&branch) {
                merged.push(branch);
                let text = format!("added the branch {}", describe(&graph.types[*id]));
                self.report(SchemaChangeKind::Branch, text);
            }
            targets.push(branch);
        }
        for (ty, branch) in new.iter().zip(targets) {
            if ty.name_and_aliases().is_some() && self.branch_of(&merged, ty) != Some(branch) {
                return Err(self.conflict(branch, &describe(ty)));
            }
        }
        Ok(merged)
    }

    /// For each added branch, the position of the merged branch to merge it with. `None`: it is another branch.
    fn partners(&self, to: &[TypeId], new: &[&Type]) -> Vec<Option<usize>> {
        let mut partners: Vec<Option<usize>> = vec![None; new.len()];
        for is_partner in [Self::has_type, Self::is_renamed, Self::has_simple_name] {
            for (i, ty) in new.iter().enumerate() {
                if partners[i].is_none() {
                    let free = |at: &usize| !partners.contains(&Some(*at));
                    partners[i] = (0..to.len()).filter(free).find(|at| is_partner(self, to[*at], ty));
                }
            }
        }
        for (i, ty) in new.iter().enumerate() {
            if partners[i].is_none() {
                let free = |at: &usize| !partners.contains(&Some(*at));
                partners[i] = (0..to.len()).filter(free).find(|at| self.is_promoted((to, *at), (new, ty)));
            }
        }
        partners
    }

    /// The branch that a reader chooses for a named type of a file.
    fn branch_of(&self, branches: &[TypeId], ty: &Type) -> Option<TypeId> {
        let find = |is_branch: fn(&Self, TypeId, &Type) -> bool| {
            branches.iter().copied().filter(move |id| is_branch(self, *id, ty))
        };
        if let Some(same) = find(Self::has_type).next() {
            return Some(same);
        }
        let mut by_alias = find(Self::has_alias);
        match (by_alias.next(), by_alias.next()) {
            (Some(only), None) => Some(only),
            (Some(_), Some(_)) => None,
            (None, _) => find(Self::has_simple_name).next(),
        }
    }

    /// Whether a merged type has the kind of a type and, if it is named, its full name.
    fn has_type(&self, id: TypeId, ty: &Type) -> bool {
        self.is_of_kind(id, ty) && ty.name_and_aliases().is_none_or(|(name, _)| self.names_of(id).0 == name)
    }

    /// Whether a merged type has the name of a type as an alias.
    fn has_alias(&self, id: TypeId, ty: &Type) -> bool {
        let is_alias = |name: &str| self.names_of(id).1.iter().any(|alias| alias == name);
        self.is_of_kind(id, ty) && ty.name_and_aliases().is_some_and(|(name, _)| is_alias(name))
    }

    /// Whether one of both types has the name of the other as an alias.
    fn is_renamed(&self, id: TypeId, ty: &Type) -> bool {
        let is_alias = |aliases: &[String]| aliases.iter().any(|alias| alias == self.names_of(id).0);
        let renames = || ty.name_and_aliases().is_some_and(|(_, aliases)| is_alias(aliases));
        self.has_alias(id, ty) || (self.is_of_kind(id, ty) && renames())
    }

    fn has_simple_name(&self, id: TypeId, ty: &Type) -> bool {
        let known = unqualified(self.names_of(id).0);
        self.is_of_kind(id, ty) && ty.name_and_aliases().is_some_and(|(name, _)| unqualified(name) == known)
    }

    /// Whether a branch and an added one can be promoted to one type. Both unions have no other number then, or no other
    /// text: a reader chooses the first type that a value can be promoted to.
    fn is_promoted(&self, (to, at): (&[TypeId], usize), (new, ty): (&[&Type], &Type)) -> bool {
        let Kind::Other(known) = &self.types[to[at]].kind else { return false };
        let is_only = |is_alike: fn(&Type) -> bool| {
            let known =
                to.iter().filter(|id| matches!(&self.types[**id].kind, Kind::Other(ty) if is_alike(ty)));
            known.count() == 1 && new.iter().filter(|ty| is_alike(ty)).count() == 1
        };
        let is_alone = (is_number(ty) && is_only(is_number)) || (is_bytes(ty) && is_only(is_bytes));
        is_alone && widest(known, ty).is_some()
    }

    /// Whether a merged type and a type are of one kind.
    pub(super) fn is_of_kind(&self, id: TypeId, ty: &Type) -> bool {
        match &self.types[id].kind {
            Kind::Record(_) => matches!(ty, Type::Record(_)),
            Kind::Other(known) => discriminant(known) == discriminant(ty),
        }
    }
}
