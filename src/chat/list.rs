//! The list of messages, as the app changes it.

use crate::json::Text;
use crate::message::{Message, MessageKey};

use super::Chat;
use super::commands::{MessageSource, NewMessage};
use super::output::{FinishedMessage, Outcome, Output};

impl Chat {
    /// Replaces the list of messages. A response is stopped when the new list lacks its message, or
    /// lacks the one that it answers while nothing of it is shown; else it goes on.
    pub fn set_messages(&mut self, now: f64, sources: Vec<MessageSource>) {
        self.now = now;
        let streaming = self.streaming_key();
        let streaming_id = streaming.and_then(|key| self.id_of(key)).cloned();
        let answered_id = self.active.as_ref().and_then(|response| response.answered_id.clone());
        let needed_id = if streaming.is_some() { &streaming_id } else { &answered_id };
        let lacks_needed = needed_id.as_ref().is_some_and(|needed| {
            !sources.iter().any(|source| match source {
                MessageSource::Key(key) => self.id_of(*key) == Some(needed),
                MessageSource::New(new) => new.id() == needed,
            })
        });
        if lacks_needed {
            self.abort_request();
            self.end_response(Outcome::Stopped, None, None);
        }
        let mut old: Vec<Option<Message>> = self.messages.edit_list().drain(..).map(Some).collect();
        for source in sources {
            let message = match source {
                MessageSource::Key(key) => take(&mut old, key),
                MessageSource::New(new) if Some(new.id()) == streaming_id.as_ref() => {
                    streaming.and_then(|key| take(&mut old, key))
                }
                MessageSource::New(new) => {
                    // A new version of a message keeps its place in lists.
                    let older = old
                        .iter()
                        .flatten()
                        .find(|message| message.id() == new.id())
                        .map(Message::key);
                    let key = older.unwrap_or(self.next_key);
                    self.next_key = self.next_key.max(key + 1);
                    old.retain(|slot| slot.as_ref().map(Message::key) != Some(key));
                    Some(new.with_key(key))
                }
            };
            self.messages.edit_list().extend(message);
        }
        self.removed(old.into_iter().flatten());
        self.publish();
    }

    /// Puts a message of the app behind the others. An id that another message has is refused by
    /// the list: the newer message takes the place of the older one.
    pub(super) fn append_message(&mut self, message: NewMessage) -> MessageKey {
        if let Some(at) = self.position_of_id(message.id()) {
            let older = self.messages.edit_list().remove(at);
            self.removed([older].into_iter());
            self.warn(
                "duplicate_message_id",
                "A sent message has the id of another one and replaces it.",
            );
        }
        let key = self.new_key();
        self.messages.edit_list().push(message.with_key(key));
        self.publish();
        key
    }

    /// Keeps the first `length` messages.
    pub(super) fn truncate_messages(&mut self, length: usize) {
        let length = length.min(self.messages.len());
        let tail = self.messages.edit_list().split_off(length);
        self.removed(tail.into_iter());
    }

    /// Messages went from the list. The end of a response that is still to be told takes its
    /// message along, since the view will have it no more.
    pub(super) fn removed(&mut self, messages: impl Iterator<Item = Message>) {
        for message in messages {
            for output in &mut self.outputs {
                if let Output::Finish(finish) = output
                    && finish.message == FinishedMessage::Listed(message.key())
                {
                    finish.message = FinishedMessage::Unlisted(message.to_json());
                }
            }
        }
    }

    fn id_of(&self, key: MessageKey) -> Option<&Text> {
        self.position(key).and_then(|at| self.messages.get(at)).map(Message::id)
    }
}

/// Takes the message with this key out of a list.
fn take(messages: &mut [Option<Message>], key: MessageKey) -> Option<Message> {
    messages
        .iter_mut()
        .find(|slot| slot.as_ref().map(Message::key) == Some(key))
        .and_then(Option::take)
}
