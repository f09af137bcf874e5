//! Whose samples a role expects.

/// Writers by their identifiers. Whatever is kept for each of them is at its position.
pub struct Senders {
    ids: Vec<u32>,
    /// Positions by identifier; `u16::MAX`: nobody announced this identifier.
    positions: Box<[u16]>,
}

impl Senders {
    /// Gives these writers their positions, in this order.
    pub fn new(ids: Vec<u32>) -> Self {
        let mut positions = vec![u16::MAX; ids.iter().max().map_or(0, |m| *m as usize + 1)];
        for (position, id) in ids.iter().enumerate() {
            positions[*id as usize] = position as u16;
        }
        Self { ids, positions: positions.into() }
    }

    /// Their identifiers, by position.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Position of a writer; `None` for one that nobody announced. Hot.
    #[inline]
    pub fn position(&self, writer: u32) -> Option<usize> {
        let position = *self.positions.get(writer as usize)?;
        (position != u16::MAX).then_some(position as usize)
    }
}

/// Who has answered what was sent last.
pub struct Answered {
    tag: u64,
    by: Box<[u64]>,
    count: usize,
}

impl Answered {
    /// Nobody of `senders` yet.
    pub fn new(senders: &Senders) -> Self {
        Self { tag: u64::MAX, by: vec![u64::MAX; senders.ids().len()].into(), count: 0 }
    }

    /// An answer to `tag` from the sender at `position`; whether now all have answered it. Hot.
    #[inline]
    pub fn all(&mut self, tag: u64, position: usize) -> bool {
        if self.tag != tag {
            self.tag = tag;
            self.count = 0;
        }
        if self.by[position] != tag {
            self.by[position] = tag;
            self.count += 1;
        }
        self.count == self.by.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_nobody_announced_has_no_position() {
        let senders = Senders::new(vec![7, 3]);
        assert_eq!(senders.position(3), Some(1));
        assert_eq!(senders.position(5), None);
        assert_eq!(senders.position(70_000), None);
    }

    #[test]
    fn all_have_answered_when_each_has_whatever_comes_twice() {
        let mut answered = Answered::new(&Senders::new(vec![1, 2]));
        assert!(!answered.all(10, 0));
        assert!(!answered.all(10, 0));
        assert!(answered.all(10, 1));
        assert!(!answered.all(11, 1), "another ping");
        assert!(answered.all(11, 0));
    }
}
