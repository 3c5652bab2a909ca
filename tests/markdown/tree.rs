//! What a reader of the lists of changes has.

use chatwire::markdown::{Markdown, UrlPolicy};
use serde_json::{Value, json};

/// A text and the tree that its changes built.
pub(crate) struct Reader {
    pub(crate) markdown: Markdown,
    pub(crate) tree: Value,
}

impl Reader {
    pub(crate) fn new() -> Self {
        let tree = json!({"type": "root", "children": []});
        Self { markdown: Markdown::new(UrlPolicy::default()), tree }
    }

    /// Reads the pieces, and the changes after each.
    pub(crate) fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let mut reader = Self::new();
        for piece in pieces {
            reader.push(piece);
        }
        reader
    }

    /// Gives the changes, too.
    pub(crate) fn push(&mut self, text: &str) -> Value {
        self.markdown.push(text);
        self.update()
    }

    pub(crate) fn finish(&mut self) -> Value {
        self.markdown.finish();
        self.update()
    }

    pub(crate) fn finished(mut self) -> Value {
        self.finish();
        self.tree
    }

    fn update(&mut self) -> Value {
        let changes: Value = serde_json::from_str(&self.markdown.changes()).unwrap();
        for change in changes.as_array().unwrap() {
            apply(&mut self.tree, change);
        }
        changes
    }
}

/// The tree of a text that came whole and is complete.
pub(crate) fn tree_of(text: &str) -> Value {
    Reader::read([text]).finished()
}

fn apply(tree: &mut Value, change: &Value) {
    let [operation, path, argument] = &change.as_array().unwrap()[..] else {
        panic!("not an operation: {change}")
    };
    let path: Vec<usize> =
        path.as_array().unwrap().iter().map(|index| index.as_u64().unwrap() as usize).collect();
    if operation == "s" {
        let (index, parents) = path.split_last().unwrap();
        let children = children_of(node_at(tree, parents));
        match children.get_mut(*index) {
            Some(node) => {
                // HTML looks like the paragraph that it may have been.
                let may_be_html = argument.to_string().contains('<');
                assert!(node != argument || may_be_html, "did not change: {argument}");
                *node = argument.clone();
            }
            None => {
                assert_eq!(*index, children.len(), "a new node is the next one");
                children.push(argument.clone());
            }
        }
        return;
    }
    let node = node_at(tree, &path);
    match operation.as_str().unwrap() {
        "t" => {
            let Value::String(value) = &mut node["value"] else { panic!("no text at {path:?}") };
            assert_ne!(argument, "");
            value.push_str(argument.as_str().unwrap());
        }
        "f" => {
            for (name, value) in argument.as_object().unwrap() {
                node[name] = value.clone();
            }
        }
        "x" => {
            let count = argument.as_u64().unwrap() as usize;
            assert!(count < children_of(node).len());
            children_of(node).truncate(count);
        }
        other => panic!("no operation: {other}"),
    }
}

fn node_at<'a>(tree: &'a mut Value, path: &[usize]) -> &'a mut Value {
    path.iter().fold(tree, |node, index| &mut children_of(node)[*index])
}

fn children_of(node: &mut Value) -> &mut Vec<Value> {
    node["children"].as_array_mut().unwrap()
}
