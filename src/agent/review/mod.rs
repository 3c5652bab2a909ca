//! What a patch would do to a document, for a person who is to approve it.

mod conflicts;
mod operations;
mod words;

use crate::json::{Operation, PatchFault, PatchOp, Patched, Pointer, RawJson, Text, same_value};
use crate::limits;

use super::AgentError;
use conflicts::Base;
pub use conflicts::{Conflict, ConflictKind};

/// What [`review_patch`] gives.
#[derive(Clone, Debug)]
pub struct ReviewedPatch {
    /// The document with every operation before the first one that cannot be applied.
    pub preview: RawJson,
    /// One for each operation that is complete.
    pub rows: Vec<Row>,
    /// Where the document changes, in order, each once. Indices are those of the moment.
    pub changed_paths: Vec<Text>,
    /// What the operations touch that is not as it was in the base.
    pub conflicts: Vec<Conflict>,
    /// A patch that makes the document of the preview again.
    pub inverse: Vec<Operation>,
    /// The whole input has come.
    pub complete: bool,
}

/// What an operation does, for people.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it does.
    pub kind: RowKind,
    /// Where; as it is written, when it is no path.
    pub path: Text,
    /// From where, of what is moved or copied.
    pub from: Option<Text>,
    /// What was there.
    pub before: Option<RawJson>,
    /// What is there then.
    pub after: Option<RawJson>,
    /// The same in words, on one line, without characters that are not to be seen or turn the
    /// direction of the text.
    pub text: String,
    /// Why it cannot be applied. Such a row has neither `before` nor `after`.
    pub fault: Option<RowFault>,
}

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowKind {
    /// A value comes where none was.
    Added,
    /// A value goes.
    Removed,
    /// A value takes the place of another one.
    Changed,
    /// A value takes the place of an equal one.
    Unchanged,
    /// A value goes elsewhere.
    Moved,
    /// A value is somewhere else, too.
    Copied,
    /// A value is compared.
    Tested,
    /// It is no operation.
    Unknown,
}

impl RowKind {
    /// The stable word, for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Moved => "moved",
            Self::Copied => "copied",
            Self::Tested => "tested",
            Self::Unknown => "unknown",
        }
    }
}

/// Why an operation is not applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFault {
    /// It cannot be.
    Fault(PatchFault),
    /// One before it cannot be: a patch is applied as a whole or not at all.
    NotReached,
}

impl RowFault {
    /// The stable code, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.code(),
            Self::NotReached => "not_reached",
        }
    }
}

/// Reviews the JSON Patch (RFC 6902) in a tool's input, which may still be arriving: operations
/// that are complete count. The input is the list of operations, or an object that has it.
///
/// `base` is the document that the model saw, when the present one may be another: what the patch
/// touches and somebody else has changed meanwhile is a conflict. Nothing is put right: an array
/// whose elements are not where they were is named as such.
///
/// # Errors
/// A text is not JSON, the input has no operations, or more than [`limits::MAX_OPERATIONS`].
pub fn review_patch(
    document: &str,
    input: &str,
    base: Option<&str>,
) -> Result<ReviewedPatch, AgentError> {
    let document =
        RawJson::parse(document).map_err(|error| AgentError::InvalidDocument(error.kind))?;
    let base = base
        .map(|base| RawJson::parse(base).map_err(|error| AgentError::InvalidDocument(error.kind)))
        .transpose()?;
    let found =
        operations::find(input).map_err(|error| AgentError::InvalidPatch(Some(error.kind)))?;
    if found.is_complete && !found.is_patch && !found.has_empty_list {
        return Err(AgentError::InvalidPatch(None));
    }
    if found.operations.len() > limits::MAX_OPERATIONS {
        return Err(AgentError::TooManyOperations);
    }
    let mut review = Review {
        patched: Patched::new(document),
        base: base.map(Base::new),
        rows: Vec::new(),
        changed: Vec::new(),
        inverse: Vec::new(),
        has_failed: false,
    };
    for operation in found.operations {
        review.operation(operation);
    }
    let mut changed_paths: Vec<Text> = Vec::new();
    for path in review.changed {
        let path = path.spelling();
        if !changed_paths.contains(&path) {
            changed_paths.push(path);
        }
    }
    review.inverse.reverse();
    Ok(ReviewedPatch {
        preview: RawJson::from_validated(&review.patched.tree().to_json()),
        rows: review.rows,
        changed_paths,
        conflicts: review.base.map(Base::into_conflicts).unwrap_or_default(),
        inverse: review.inverse.into_iter().flatten().collect(),
        complete: found.is_complete,
    })
}

struct Review {
    patched: Patched,
    base: Option<Base>,
    rows: Vec<Row>,
    changed: Vec<Pointer>,
    /// What takes back each operation.
    inverse: Vec<Vec<Operation>>,
    has_failed: bool,
}

impl Review {
    fn operation(&mut self, json: &str) {
        let parsed = Operation::parse(json);
        let row = match parsed {
            _ if self.has_failed => faulty(json, parsed.as_ref().ok(), RowFault::NotReached),
            Ok(operation) => match self.apply(&operation) {
                Ok(row) => row,
                Err(fault) => faulty(json, Some(&operation), RowFault::Fault(fault)),
            },
            Err(fault) => faulty(json, None, RowFault::Fault(fault)),
        };
        self.has_failed |= row.fault.is_some();
        self.rows.push(row);
    }

    fn apply(&mut self, operation: &Operation) -> Result<Row, PatchFault> {
        if let Some(base) = &mut self.base {
            base.compare(operation, self.patched.tree());
        }
        let done = self.patched.apply(operation)?;
        let value = |tree: &crate::json::Tree| RawJson::from_validated(&tree.to_json());
        let (before, after) = (done.before.as_ref().map(value), done.after.as_ref().map(value));
        let is_same = matches!((&before, &after), (Some(before), Some(after)) if same_value(before.as_str(), after.as_str()));
        let kind = match (operation.op, &before) {
            (PatchOp::Test, _) => RowKind::Tested,
            (PatchOp::Remove, _) => RowKind::Removed,
            (PatchOp::Move, _) => RowKind::Moved,
            (PatchOp::Copy, _) => RowKind::Copied,
            (PatchOp::Add | PatchOp::Replace, None) => RowKind::Added,
            (PatchOp::Add | PatchOp::Replace, Some(_)) if is_same => RowKind::Unchanged,
            (PatchOp::Add | PatchOp::Replace, Some(_)) => RowKind::Changed,
        };
        if !matches!(kind, RowKind::Tested | RowKind::Unchanged) {
            self.changed.extend(operation.from.clone().filter(|_| kind == RowKind::Moved));
            self.changed.push(done.path.clone());
        }
        self.inverse.push(done.inverse);
        let (path, from) = (done.path.spelling(), operation.from.as_ref().map(Pointer::spelling));
        let text = words::row(kind, &path, from.as_ref(), before.as_ref(), after.as_ref());
        Ok(Row { kind, path, from, before, after, text, fault: None })
    }
}

/// The row of an operation that is not applied.
fn faulty(json: &str, operation: Option<&Operation>, fault: RowFault) -> Row {
    let written = |name| operations::string_member(json, name).unwrap_or_default();
    let path = operation
        .map_or_else(|| Text::from_utf8(&written("path")), |operation| operation.path.spelling());
    let kind = match operation.map(|operation| operation.op) {
        Some(PatchOp::Add) => RowKind::Added,
        Some(PatchOp::Remove) => RowKind::Removed,
        Some(PatchOp::Replace) => RowKind::Changed,
        Some(PatchOp::Move) => RowKind::Moved,
        Some(PatchOp::Copy) => RowKind::Copied,
        Some(PatchOp::Test) => RowKind::Tested,
        None => RowKind::Unknown,
    };
    let from = operation.and_then(|operation| operation.from.as_ref()).map(Pointer::spelling);
    let text = words::fault(&written("op"), &path, fault);
    Row { kind, path, from, before: None, after: None, text, fault: Some(fault) }
}
