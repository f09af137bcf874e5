//! Which participants of RTPS speak with one another: other traffic on the same interface is no
//! cost of a run.

use std::collections::HashSet;

/// Participants by the index of their GUID prefix.
#[derive(Default)]
pub struct Domains {
    /// By participant, the one that stands for it; itself where it stands for all of its own.
    stands: Vec<u32>,
    own: HashSet<u32>,
}

impl Domains {
    /// One of them has sent something that was meant for the other.
    pub fn link(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.stands[one as usize] = other;
        }
    }

    /// One of them has sent a sample of the run.
    pub fn mark(&mut self, one: u32) {
        self.own.insert(one);
    }

    /// Those that have spoken with one that sent a sample of the run.
    pub fn own(&mut self) -> HashSet<u32> {
        let marked: Vec<_> = self.own.iter().copied().collect();
        let roots: HashSet<_> = marked.into_iter().map(|one| self.root(one)).collect();
        let known = self.stands.len() as u32;
        (0..known).filter(|one| roots.contains(&self.root(*one))).collect()
    }

    fn root(&mut self, one: u32) -> u32 {
        let known = self.stands.len() as u32;
        self.stands.extend(known..=one.max(known.saturating_sub(1)));
        let mut at = one;
        while self.stands[at as usize] != at {
            let above = self.stands[self.stands[at as usize] as usize];
            self.stands[at as usize] = above;
            at = above;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_are_own_that_are_linked_with_a_sender_of_samples() {
        let mut domains = Domains::default();
        for (one, other) in [(0, 1), (3, 2), (1, 5), (2, 4)] {
            domains.link(one, other);
        }
        assert!(domains.own().is_empty());
        domains.mark(5);
        domains.mark(9);
        let mut own: Vec<_> = domains.own().into_iter().collect();
        own.sort_unstable();
        assert_eq!(own, [0, 1, 5, 9]);
    }
}
