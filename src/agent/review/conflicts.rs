//! What a patch touches that is not as the model saw it.

use crate::json::{
    Operation, PatchOp, Patched, Pointer, RawJson, Text, Tree, array_index, same_value,
};

/// Something that the patch touches and somebody else has changed meanwhile.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// Where, as the operation says it.
    pub path: Text,
    /// What is different.
    pub kind: ConflictKind,
    /// The value in the base; none when there was none.
    pub base: Option<RawJson>,
    /// The value in the document; none when there is none.
    pub current: Option<RawJson>,
}

/// What is different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConflictKind {
    /// The value.
    Changed,
    /// The elements of an array on the way, or their number: an index means another element.
    Drift,
}

impl ConflictKind {
    /// The stable word, for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Drift => "drift",
        }
    }
}

/// The document that the model saw, to which the same operations are applied.
#[derive(Debug)]
pub(super) struct Base {
    patched: Patched,
    conflicts: Vec<Conflict>,
}

impl Base {
    pub(super) fn new(base: RawJson) -> Self {
        Self { patched: Patched::new(base), conflicts: Vec::new() }
    }

    /// Compares what an operation touches with the document, before it is applied.
    pub(super) fn compare(&mut self, operation: &Operation, document: &Tree) {
        let is_addition = matches!(operation.op, PatchOp::Add | PatchOp::Copy | PatchOp::Move);
        for (path, is_addition) in
            operation.from.iter().map(|from| (from, false)).chain([(&operation.path, is_addition)])
        {
            self.compare_path(path, is_addition, document);
        }
        // What the base cannot take, the model has got wrong: the row says so if the document cannot.
        let _ = self.patched.apply(operation);
    }

    fn compare_path(&mut self, path: &Pointer, is_addition: bool, document: &Tree) {
        let base = self.patched.tree().clone();
        for depth in 0..path.steps().len() {
            let (parents, rest) = path.steps().split_at(depth);
            let (Some(old), Some(new)) = (base.get(parents), document.get(parents)) else { break };
            let (Some(_), Some(_), Some(step)) = (old.array_len(), new.array_len(), rest.first())
            else {
                continue;
            };
            if has_drifted(&old, &new, step) {
                return self.note(&Pointer::of(parents), ConflictKind::Drift, Some(old), Some(new));
            }
        }
        // A place between elements has no value of its own.
        let parent = path.split_last().and_then(|(parents, _)| document.get(parents));
        if is_addition && parent.is_some_and(|parent| parent.array_len().is_some()) {
            return;
        }
        let (old, new) = (base.get(path.steps()), document.get(path.steps()));
        let is_same = match (&old, &new) {
            (Some(old), Some(new)) => same_value(&old.to_json(), &new.to_json()),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.note(path, ConflictKind::Changed, old, new);
        }
    }

    fn note(
        &mut self,
        path: &Pointer,
        kind: ConflictKind,
        base: Option<Tree>,
        current: Option<Tree>,
    ) {
        let path = path.spelling();
        if self.conflicts.iter().any(|conflict| conflict.path == path && conflict.kind == kind) {
            return;
        }
        let value = |tree: Option<Tree>| tree.map(|tree| RawJson::from_validated(&tree.to_json()));
        self.conflicts.push(Conflict { path, kind, base: value(base), current: value(current) });
    }

    pub(super) fn into_conflicts(self) -> Vec<Conflict> {
        self.conflicts
    }
}

/// Whether a step into an array may lead to another element than it did. An array of the same length
/// whose element at the step is now elsewhere was sorted or shifted; one whose element merely differs
/// was edited.
fn has_drifted(old: &Tree, new: &Tree, step: &Text) -> bool {
    let (old, new) = (old.items(), new.items());
    if old.len() != new.len() {
        return true;
    }
    let Some(index) = array_index(step) else { return false };
    let texts = |items: &[Tree]| items.iter().map(Tree::to_json).collect::<Vec<_>>();
    let (old, new) = (texts(&old), texts(&new));
    match (old.get(index), new.get(index)) {
        (Some(was), Some(is)) => {
            !same_value(was, is) && new.iter().any(|other| same_value(was, other))
        }
        _ => false,
    }
}
