//! The messages in a channel, each with the event that sent it.

/// A copy of a channel's buffer, in the order of the real one.
///
/// Which message a receive takes follows from its content alone: equal messages match the same patterns, so of
/// those it takes the first, whether it looks only at the head of the buffer or (`??`) at all of it.
#[derive(Default)]
pub(super) struct Buffer {
    messages: Vec<(Vec<i32>, usize)>,
}

impl Buffer {
    /// A message arrives; with `sorted` (`!!`) before the first larger one.
    pub(super) fn send(&mut self, message: &[i32], sorted: bool, event: usize) {
        let larger = self.messages.iter().position(|(other, _)| &other[..] > message);
        let at = larger.filter(|_| sorted).unwrap_or(self.messages.len());
        self.messages.insert(at, (message.to_vec(), event));
    }

    /// The event that sent the message that is now received; it stays in the buffer if `keep`.
    pub(super) fn receive(&mut self, message: &[i32], keep: bool) -> Option<usize> {
        let at = self.messages.iter().position(|(other, _)| other == message)?;
        Some(if keep { self.messages[at].1 } else { self.messages.remove(at).1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_messages_are_taken_in_order() {
        let mut buffer = Buffer::default();
        buffer.send(&[1, 2], false, 10);
        buffer.send(&[1, 2], false, 11);
        assert_eq!(buffer.receive(&[1, 2], false), Some(10));
        assert_eq!(buffer.receive(&[1, 2], false), Some(11));
        assert_eq!(buffer.receive(&[1, 2], false), None);
    }

    #[test]
    fn a_random_receive_takes_from_the_middle() {
        let mut buffer = Buffer::default();
        buffer.send(&[1], false, 10);
        buffer.send(&[2], false, 11);
        assert_eq!(buffer.receive(&[2], false), Some(11));
        assert_eq!(buffer.receive(&[1], false), Some(10));
    }

    #[test]
    fn a_sorted_send_overtakes() {
        let mut buffer = Buffer::default();
        buffer.send(&[3], false, 10);
        buffer.send(&[1], false, 11);
        buffer.send(&[1], true, 12);
        // The buffer is now 1 3 1: the younger of the two equal messages is the first.
        assert_eq!(buffer.receive(&[1], false), Some(12));
    }

    #[test]
    fn a_copied_message_stays() {
        let mut buffer = Buffer::default();
        buffer.send(&[1], false, 10);
        assert_eq!(buffer.receive(&[1], true), Some(10));
        assert_eq!(buffer.receive(&[1], false), Some(10));
    }
}
