//! The value of a growing tool input, changed along its open path (`InputCursor` of the web view).

use chatwire::json::partial::op;
use serde_json::{Value, json};

/// A value and the place in it where the next operation acts.
#[derive(Default, Debug)]
pub(crate) struct Cursor {
    root: Option<Value>,
    /// For each open container, the root first, the place in it of what comes next.
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
enum Slot {
    Unset,
    Key(String),
    Index(usize),
}

impl Cursor {
    /// The value so far.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.root.as_ref()
    }

    /// Applies one operation of `PartialJson`.
    pub(crate) fn apply(&mut self, code: u32, text: String) {
        match code {
            op::CLEAR => *self = Self::default(),
            op::KEY => *self.slots.last_mut().unwrap() = Slot::Key(text),
            op::ITEM => {
                let length = self.open_container().as_array().unwrap().len();
                *self.slots.last_mut().unwrap() = Slot::Index(length);
            }
            op::OPEN_OBJECT => self.open(json!({})),
            op::OPEN_ARRAY => self.open(json!([])),
            op::CLOSE => drop(self.slots.pop().unwrap()),
            op::STRING => *self.slot() = Value::String(text),
            op::APPEND => match self.slot() {
                Value::String(string) => string.push_str(&text),
                other => panic!("append to {other}"),
            },
            op::NUMBER => *self.slot() = serde_json::from_str(&text).unwrap(),
            op::TRUE => *self.slot() = json!(true),
            op::FALSE => *self.slot() = json!(false),
            op::NULL => *self.slot() = Value::Null,
            _ => panic!("no operation has the code {code}"),
        }
    }

    fn open(&mut self, container: Value) {
        *self.slot() = container;
        self.slots.push(Slot::Unset);
    }

    fn open_container(&mut self) -> &mut Value {
        let depth = self.slots.len() - 1;
        self.at(depth)
    }

    fn slot(&mut self) -> &mut Value {
        let depth = self.slots.len();
        self.at(depth)
    }

    /// The value that the first `depth` slots lead to.
    fn at(&mut self, depth: usize) -> &mut Value {
        let mut value = self.root.get_or_insert(Value::Null);
        for slot in &self.slots[..depth] {
            value = match (slot, value) {
                (Slot::Key(key), Value::Object(members)) => {
                    members.entry(key.as_str()).or_insert(Value::Null)
                }
                (Slot::Index(index), Value::Array(items)) => {
                    if *index == items.len() {
                        items.push(Value::Null);
                    }
                    &mut items[*index]
                }
                (slot, other) => panic!("{slot:?} does not lead into {other}"),
            };
        }
        value
    }
}
