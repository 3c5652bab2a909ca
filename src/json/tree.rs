//! A JSON value that can be changed. Only what holds a change is taken apart: everything else stays
//! the text that it was.

use super::pointer::array_index;
use super::raw::RawJson;
use super::reader::{ArrayReader, ObjectReader};
use super::scan::{JsonKind, kind};
use super::string::{JsonStr, write_string};
use super::text::Text;

/// A value of which some containers are taken apart.
#[derive(Clone, Debug)]
pub struct Tree(Node);

#[derive(Clone, Debug)]
enum Node {
    Raw(RawJson),
    Array(Vec<Tree>),
    /// In order; of equal keys the last value, as in JavaScript.
    Object(Vec<Member>),
}

#[derive(Clone, Debug)]
struct Member {
    name: Text,
    /// The key as it was spelled, with its quotes.
    spelling: Box<str>,
    value: Tree,
}

impl Tree {
    /// A value from its text.
    #[must_use]
    pub fn new(value: RawJson) -> Self {
        Self(Node::Raw(value))
    }

    /// The value at these steps.
    #[must_use]
    pub fn get(&self, steps: &[Text]) -> Option<Self> {
        let Some((first, rest)) = steps.split_first() else { return Some(self.clone()) };
        let opened;
        let node = match &self.0 {
            Node::Raw(raw) => {
                opened = open(raw);
                &opened
            }
            node => node,
        };
        match node {
            Node::Raw(_) => None,
            Node::Array(items) => items.get(array_index(first)?)?.get(rest),
            Node::Object(members) => {
                members.iter().find(|member| member.name == *first)?.value.get(rest)
            }
        }
    }

    /// The same to be changed: the containers on the way are taken apart.
    pub fn edit(&mut self, steps: &[Text]) -> Option<&mut Self> {
        let Some((first, rest)) = steps.split_first() else { return Some(self) };
        self.open();
        match &mut self.0 {
            Node::Raw(_) => None,
            Node::Array(items) => items.get_mut(array_index(first)?)?.edit(rest),
            Node::Object(members) => {
                members.iter_mut().find(|member| member.name == *first)?.value.edit(rest)
            }
        }
    }

    /// How many elements an array has; `None` for anything else.
    #[must_use]
    pub fn array_len(&self) -> Option<usize> {
        match &self.0 {
            Node::Array(items) => Some(items.len()),
            Node::Object(_) => None,
            Node::Raw(raw) => match open(raw) {
                Node::Array(items) => Some(items.len()),
                _ => None,
            },
        }
    }

    /// The elements of an array, or nothing.
    #[must_use]
    pub fn items(&self) -> Vec<Self> {
        match &self.0 {
            Node::Array(items) => items.clone(),
            Node::Object(_) => Vec::new(),
            Node::Raw(raw) => match open(raw) {
                Node::Array(items) => items,
                _ => Vec::new(),
            },
        }
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        match &self.0 {
            Node::Raw(raw) => kind(raw.as_str()) == Some(JsonKind::Object),
            Node::Object(_) => true,
            Node::Array(_) => false,
        }
    }

    /// Sets a member of an object. Gives the value that it had; a new member comes last.
    pub fn set_member(&mut self, name: &Text, value: Self) -> Option<Self> {
        self.open();
        let Node::Object(members) = &mut self.0 else { return None };
        if let Some(member) = members.iter_mut().find(|member| member.name == *name) {
            return Some(std::mem::replace(&mut member.value, value));
        }
        let mut spelling = Vec::new();
        write_string(&mut spelling, name.as_bytes());
        let spelling = String::from_utf8_lossy(&spelling).into();
        members.push(Member { name: name.clone(), spelling, value });
        None
    }

    /// Takes a member out of an object.
    pub fn remove_member(&mut self, name: &Text) -> Option<Self> {
        self.open();
        let Node::Object(members) = &mut self.0 else { return None };
        let at = members.iter().position(|member| member.name == *name)?;
        Some(members.remove(at).value)
    }

    /// Puts an element into an array. False when this is no array, or is shorter.
    pub fn insert_item(&mut self, index: usize, value: Self) -> bool {
        self.open();
        match &mut self.0 {
            Node::Array(items) if index <= items.len() => {
                items.insert(index, value);
                true
            }
            _ => false,
        }
    }

    /// Takes an element out of an array.
    pub fn remove_item(&mut self, index: usize) -> Option<Self> {
        self.open();
        match &mut self.0 {
            Node::Array(items) if index < items.len() => Some(items.remove(index)),
            _ => None,
        }
    }

    /// The JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match &self.0 {
            Node::Raw(raw) => out.push_str(raw.as_str()),
            Node::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&member.spelling);
                    out.push(':');
                    member.value.write(out);
                }
                out.push('}');
            }
        }
    }

    fn open(&mut self) {
        if let Node::Raw(raw) = &self.0 {
            self.0 = open(raw);
        }
    }
}

/// Takes a container apart; anything else stays as it is.
fn open(raw: &RawJson) -> Node {
    let opened = match kind(raw.as_str()) {
        Some(JsonKind::Array) => open_array(raw.as_str()),
        Some(JsonKind::Object) => open_object(raw.as_str()),
        _ => None,
    };
    opened.unwrap_or_else(|| Node::Raw(raw.clone()))
}

fn open_array(text: &str) -> Option<Node> {
    let mut items = Vec::new();
    let mut reader = ArrayReader::new(text).ok()?;
    while let Some(item) = reader.next().ok()? {
        items.push(Tree::new(RawJson::from_validated(item)));
    }
    Some(Node::Array(items))
}

fn open_object(text: &str) -> Option<Node> {
    let mut members: Vec<Member> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    let mut reader = ObjectReader::new(text).ok()?;
    while let Some((key, value)) = reader.next().ok()? {
        let name = JsonStr::to_text(key);
        let value = Tree::new(RawJson::from_validated(value));
        match places.get(&name).and_then(|&at: &usize| members.get_mut(at)) {
            Some(member) => member.value = value,
            None => {
                places.insert(name.clone(), members.len());
                let spelling = ["\"", key.raw(), "\""].concat().into();
                members.push(Member { name, spelling, value });
            }
        }
    }
    Some(Node::Object(members))
}
