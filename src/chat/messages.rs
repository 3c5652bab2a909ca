//! The messages of a chat, with what of them the view lacks.

use std::ops::Deref;

use crate::message::{Message, MessageKey};

use super::Changes;

/// The messages in their order. Remembers which ones were edited, so that a flush costs what
/// changed and not what there is.
#[derive(Default, Debug)]
pub(super) struct Messages {
    all: Vec<Message>,
    /// Places of messages that were edited since the last flush. They hold while the list is the
    /// same; when it is not, every message is looked at.
    edited: Vec<usize>,
    list_changed: bool,
}

impl Deref for Messages {
    type Target = [Message];

    fn deref(&self) -> &[Message] {
        &self.all
    }
}

impl Messages {
    /// The place of the message with this key.
    pub(super) fn position(&self, key: MessageKey) -> Option<usize> {
        // The message in question is mostly the last one.
        self.all.iter().rposition(|message| message.key() == key)
    }

    /// The message at this place, to be changed.
    pub(super) fn edit(&mut self, at: usize) -> Option<&mut Message> {
        self.will_edit(at);
        self.all.get_mut(at)
    }

    /// Two messages at different places, to be changed.
    pub(super) fn edit_two(&mut self, at: [usize; 2]) -> Option<[&mut Message; 2]> {
        at.into_iter().for_each(|at| self.will_edit(at));
        self.all.get_disjoint_mut(at).ok()
    }

    fn will_edit(&mut self, at: usize) {
        if !self.edited.contains(&at) {
            self.edited.push(at);
        }
    }

    /// The list, for messages to be added, removed or replaced.
    pub(super) fn edit_list(&mut self) -> &mut Vec<Message> {
        self.list_changed = true;
        &mut self.all
    }

    /// Whether the view lacks something.
    pub(super) fn has_changes(&self) -> bool {
        self.list_changed
            || self.edited.iter().any(|&at| self.all.get(at).is_some_and(Message::has_changes))
    }

    /// Lets the view have this share of the texts that are being written; see [`Message::reveal`].
    pub(super) fn reveal(&mut self, share: f64) {
        self.for_each_edited(|message| message.reveal(share));
    }

    /// Writes what the view lacks, and marks it as published.
    pub(super) fn write_changes(&mut self, changes: &mut Changes) {
        self.for_each_edited(|message| changes.write_message(message));
        if std::mem::take(&mut self.list_changed) {
            changes.write_list(self.all.iter().map(Message::key));
            self.edited = (0..self.all.len()).collect();
        }
        // Something may be held back.
        let all = &self.all;
        self.edited.retain(|&at| all.get(at).is_some_and(Message::has_changes));
    }

    fn for_each_edited(&mut self, change: impl FnMut(&mut Message)) {
        if self.list_changed {
            self.all.iter_mut().for_each(change);
        } else {
            let all = &mut self.all;
            let mut change = change;
            for &at in &self.edited {
                all.get_mut(at).into_iter().for_each(&mut change);
            }
        }
    }
}
