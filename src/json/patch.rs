//! JSON Patch (RFC 6902), over values that keep their text.
//!
//! Not the crate `json-patch`: its values lose the spelling of numbers, and it is 37 KB of the
//! download. It is what the tests compare with.

use crate::limits;

use super::pointer::{Pointer, array_index, index_step};
use super::raw::{RawJson, same_value};
use super::reader::ObjectReader;
use super::scan::JsonError;
use super::string::JsonStr;
use super::text::Text;
use super::tree::Tree;

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatchOp {
    /// Adds a member or an element, or replaces a member.
    Add,
    /// Takes a value out.
    Remove,
    /// Puts a value in the place of another one.
    Replace,
    /// Takes a value out and adds it elsewhere.
    Move,
    /// Adds a value that is elsewhere.
    Copy,
    /// Changes nothing, but fails when the value is another one.
    Test,
}

/// One operation of a patch.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub op: PatchOp,
    /// To which value.
    pub path: Pointer,
    /// From where, of [`PatchOp::Move`] and [`PatchOp::Copy`].
    pub from: Option<Pointer>,
    /// With which value, of [`PatchOp::Add`], [`PatchOp::Replace`] and [`PatchOp::Test`].
    pub value: Option<RawJson>,
}

/// Why an operation cannot be applied. Each has a stable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PatchFault {
    /// `op` is missing or none of the six.
    UnknownOp,
    /// `path` or `from` is missing, or no JSON Pointer.
    InvalidPath,
    /// `value` is missing.
    MissingValue,
    /// There is nothing at `path` or `from`, or nothing that could hold it.
    MissingPath,
    /// The array has no such place.
    InvalidIndex,
    /// The value is not the tested one.
    TestFailed,
    /// A value cannot be moved into itself.
    IntoItself,
    /// The path has a key that could change a JavaScript prototype.
    ForbiddenKey,
    /// The document itself cannot be taken out.
    RemovesRoot,
    /// The document would get larger or deeper than [`limits`] allow.
    LimitExceeded,
}

impl PatchFault {
    /// The stable code, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownOp => "unknown_op",
            Self::InvalidPath => "invalid_path",
            Self::MissingValue => "missing_value",
            Self::MissingPath => "missing_path",
            Self::InvalidIndex => "invalid_index",
            Self::TestFailed => "test_failed",
            Self::IntoItself => "into_itself",
            Self::ForbiddenKey => "forbidden_key",
            Self::RemovesRoot => "removes_root",
            Self::LimitExceeded => "limit_exceeded",
        }
    }
}

impl Operation {
    /// An operation from its JSON text. Members that it does not need are passed over.
    ///
    /// # Errors
    /// It is no operation. Text that is no JSON object is one with an unknown `op`.
    pub fn parse(json: &str) -> Result<Self, PatchFault> {
        let members = Members::read(json).unwrap_or_default();
        let op = match members.op.map(JsonStr::to_utf8_lossy).as_deref() {
            Some("add") => PatchOp::Add,
            Some("remove") => PatchOp::Remove,
            Some("replace") => PatchOp::Replace,
            Some("move") => PatchOp::Move,
            Some("copy") => PatchOp::Copy,
            Some("test") => PatchOp::Test,
            _ => return Err(PatchFault::UnknownOp),
        };
        let pointer = |spelling: Option<JsonStr<'_>>| {
            let pointer = spelling.and_then(|spelling| Pointer::parse(&spelling.to_text()));
            let pointer = pointer.ok_or(PatchFault::InvalidPath)?;
            if is_forbidden(&pointer) { Err(PatchFault::ForbiddenKey) } else { Ok(pointer) }
        };
        let needs_from = matches!(op, PatchOp::Move | PatchOp::Copy);
        let needs_value = matches!(op, PatchOp::Add | PatchOp::Replace | PatchOp::Test);
        Ok(Self {
            op,
            path: pointer(members.path)?,
            from: if needs_from { Some(pointer(members.from)?) } else { None },
            value: if needs_value {
                Some(RawJson::from_validated(members.value.ok_or(PatchFault::MissingValue)?))
            } else {
                None
            },
        })
    }

    /// The JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let op = match self.op {
            PatchOp::Add => "add",
            PatchOp::Remove => "remove",
            PatchOp::Replace => "replace",
            PatchOp::Move => "move",
            PatchOp::Copy => "copy",
            PatchOp::Test => "test",
        };
        let mut json = ["{\"op\":\"", op, "\""].concat();
        if let Some(from) = &self.from {
            json.push_str(",\"from\":");
            json.push_str(RawJson::string(&from.spelling()).as_str());
        }
        json.push_str(",\"path\":");
        json.push_str(RawJson::string(&self.path.spelling()).as_str());
        if let Some(value) = &self.value {
            json.push_str(",\"value\":");
            json.push_str(value.as_str());
        }
        json.push('}');
        json
    }
}

#[derive(Default)]
struct Members<'a> {
    op: Option<JsonStr<'a>>,
    path: Option<JsonStr<'a>>,
    from: Option<JsonStr<'a>>,
    value: Option<&'a str>,
}

impl<'a> Members<'a> {
    fn read(json: &'a str) -> Result<Self, JsonError> {
        let mut members = Self::default();
        let mut reader = ObjectReader::new(json)?;
        while let Some((key, value)) = reader.next()? {
            match key.to_utf8_lossy().as_str() {
                "op" => members.op = JsonStr::from_raw_value(value),
                "path" => members.path = JsonStr::from_raw_value(value),
                "from" => members.from = JsonStr::from_raw_value(value),
                "value" => members.value = Some(value),
                _ => {}
            }
        }
        Ok(members)
    }
}

/// What an operation did.
#[derive(Clone, Debug)]
pub struct Done {
    /// Where: `path` with the index that `-` stood for.
    pub path: Pointer,
    /// The value that was there, when the operation replaced, removed or moved one.
    pub before: Option<Tree>,
    /// The value that is there now; none after [`PatchOp::Remove`].
    pub after: Option<Tree>,
    /// What takes it back, in order.
    pub inverse: Vec<Operation>,
}

/// A document and how much it may still grow.
#[derive(Clone, Debug)]
pub struct Patched {
    tree: Tree,
    /// Bytes that operations have added so far, and those that the document had.
    bytes: usize,
}

impl Patched {
    /// A document that nothing was applied to.
    #[must_use]
    pub fn new(document: RawJson) -> Self {
        Self { bytes: document.as_str().len(), tree: Tree::new(document) }
    }

    /// The document as it is now.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Applies an operation.
    ///
    /// # Errors
    /// It cannot be applied; the document means what it did before.
    pub fn apply(&mut self, operation: &Operation) -> Result<Done, PatchFault> {
        let given = operation.value.clone().map(Tree::new);
        let path = &operation.path;
        match (operation.op, &operation.from, given) {
            (PatchOp::Add, _, Some(value)) => self.add(path, value),
            (PatchOp::Replace, _, Some(value)) => self.replace(path, value),
            (PatchOp::Test, _, Some(value)) => self.test(path, &value),
            (PatchOp::Remove, ..) => self.remove(path),
            (PatchOp::Copy, Some(from), _) => {
                let value = self.tree.get(from.steps()).ok_or(PatchFault::MissingPath)?;
                self.add(path, value)
            }
            (PatchOp::Move, Some(from), _) => self.move_value(from, path),
            _ => Err(PatchFault::MissingValue),
        }
    }

    fn add(&mut self, path: &Pointer, value: Tree) -> Result<Done, PatchFault> {
        self.grow(path, &value)?;
        let (path, before) = self.put(path, value.clone())?;
        let undo = match &before {
            Some(before) => operation(PatchOp::Replace, &path, Some(before)),
            None => operation(PatchOp::Remove, &path, None),
        };
        Ok(Done { path, before, after: Some(value), inverse: vec![undo] })
    }

    fn replace(&mut self, path: &Pointer, value: Tree) -> Result<Done, PatchFault> {
        self.grow(path, &value)?;
        let place = self.tree.edit(path.steps()).ok_or(PatchFault::MissingPath)?;
        let before = std::mem::replace(place, value.clone());
        let undo = operation(PatchOp::Replace, path, Some(&before));
        Ok(Done {
            path: path.clone(),
            before: Some(before),
            after: Some(value),
            inverse: vec![undo],
        })
    }

    fn remove(&mut self, path: &Pointer) -> Result<Done, PatchFault> {
        let before = self.take(path)?;
        let undo = operation(PatchOp::Add, path, Some(&before));
        Ok(Done { path: path.clone(), before: Some(before), after: None, inverse: vec![undo] })
    }

    fn test(&self, path: &Pointer, value: &Tree) -> Result<Done, PatchFault> {
        let found = self.tree.get(path.steps()).ok_or(PatchFault::MissingPath)?;
        if !same_value(&found.to_json(), &value.to_json()) {
            return Err(PatchFault::TestFailed);
        }
        Ok(Done {
            path: path.clone(),
            before: Some(found.clone()),
            after: Some(found),
            inverse: vec![],
        })
    }

    fn move_value(&mut self, from: &Pointer, path: &Pointer) -> Result<Done, PatchFault> {
        let value = self.tree.get(from.steps()).ok_or(PatchFault::MissingPath)?;
        if from == path {
            let after = Some(value.clone());
            return Ok(Done { path: path.clone(), before: Some(value), after, inverse: vec![] });
        }
        if from.contains(path) {
            return Err(PatchFault::IntoItself);
        }
        if path.steps().is_empty() {
            // What held the value goes with everything else.
            return self.replace(path, value);
        }
        let taken = self.take(from)?;
        let (place, before) = match self.put(path, taken.clone()) {
            Ok(put) => put,
            Err(fault) => {
                self.put(from, taken)?;
                return Err(fault);
            }
        };
        let mut back = operation(PatchOp::Move, from, None);
        back.from = Some(place.clone());
        let mut inverse = vec![back];
        if let Some(before) = &before {
            inverse.push(operation(PatchOp::Add, &place, Some(before)));
        }
        Ok(Done { path: place, before, after: Some(taken), inverse })
    }

    /// Puts a value where `add` does. Gives where that is, and the member that it replaced.
    fn put(&mut self, path: &Pointer, value: Tree) -> Result<(Pointer, Option<Tree>), PatchFault> {
        let Some((parents, last)) = path.split_last() else {
            let before = std::mem::replace(&mut self.tree, value);
            return Ok((path.clone(), Some(before)));
        };
        let parent = self.tree.edit(parents).ok_or(PatchFault::MissingPath)?;
        if parent.is_object() {
            return Ok((path.clone(), parent.set_member(last, value)));
        }
        let len = parent.array_len().ok_or(PatchFault::MissingPath)?;
        let index = if last.as_bytes() == b"-" { Some(len) } else { array_index(last) };
        let index = index.filter(|&index| index <= len).ok_or(PatchFault::InvalidIndex)?;
        parent.insert_item(index, value);
        Ok((path.with_last(index_step(index)), None))
    }

    fn take(&mut self, path: &Pointer) -> Result<Tree, PatchFault> {
        let (parents, last) = path.split_last().ok_or(PatchFault::RemovesRoot)?;
        let parent = self.tree.edit(parents).ok_or(PatchFault::MissingPath)?;
        if parent.is_object() {
            return parent.remove_member(last).ok_or(PatchFault::MissingPath);
        }
        let index = array_index(last).ok_or(PatchFault::MissingPath)?;
        parent.remove_item(index).ok_or(PatchFault::MissingPath)
    }

    /// Counts what an operation adds: one that copies the document into itself doubles it.
    fn grow(&mut self, path: &Pointer, value: &Tree) -> Result<(), PatchFault> {
        let json = value.to_json();
        let depth = path.steps().len() + super::scan::depth(&json);
        let bytes = self.bytes.saturating_add(json.len());
        if depth > limits::MAX_JSON_DEPTH || bytes > limits::MAX_EVENT_BYTES {
            return Err(PatchFault::LimitExceeded);
        }
        self.bytes = bytes;
        Ok(())
    }
}

fn is_forbidden(path: &Pointer) -> bool {
    let is = |step: Option<&Text>, name: &[u8]| step.is_some_and(|step| step.as_bytes() == name);
    let steps = path.steps();
    (0..steps.len()).any(|at| {
        is(steps.get(at), b"__proto__")
            || (is(steps.get(at), b"constructor") && is(steps.get(at + 1), b"prototype"))
    })
}

fn operation(op: PatchOp, path: &Pointer, value: Option<&Tree>) -> Operation {
    let value = value.map(|value| RawJson::from_validated(&value.to_json()));
    Operation { op, path: path.clone(), from: None, value }
}
