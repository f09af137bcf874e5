//! Which participants of RTPS are the run's, and where the others receive: their traffic on the same
//! interface is no cost of a run.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};

use crate::link::Endpoint;
use crate::rtps::{Announced, announced};

/// Ends of participants that are remembered.
const MOST_ENDS: usize = 1 << 16;

/// Participants by the index of their GUID prefix.
#[derive(Default)]
pub struct Domains {
    /// By participant, the one that stands for it; itself where it stands for all of its own.
    stands: Vec<u32>,
    own: HashSet<u32>,
    /// Have announced topics that are not the run's.
    others: HashSet<u32>,
    /// Have announced something of which the topic was not captured.
    hidden: HashSet<u32>,
    /// Somebody has announced a topic of the run.
    named: bool,
    /// Where each participant says that it receives.
    ends: HashSet<(u32, Endpoint)>,
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

    /// One of them has announced itself, or an endpoint; topics of the run have `topic` in their
    /// names. `cut_off`: not all of it was captured.
    pub fn announce(&mut self, one: u32, payload: &[u8], topic: &str, cut_off: bool) {
        let mut named = false;
        for found in announced(payload) {
            match found {
                Announced::Topic(name) => {
                    let own = name.windows(topic.len()).any(|part| part == topic.as_bytes());
                    if own { &mut self.own } else { &mut self.others }.insert(one);
                    self.named |= own;
                    named = true;
                }
                Announced::Receives(end) if self.ends.len() < MOST_ENDS => {
                    self.ends.insert((one, end));
                }
                Announced::Receives(_) => (),
            }
        }
        if cut_off && !named {
            self.hidden.insert(one);
        }
    }

    /// Whether somebody has announced a topic of the run.
    pub const fn is_named(&self) -> bool {
        self.named
    }

    /// The participants of the run: those that sent a sample of it or announced one of its topics;
    /// where topics cannot be read, those that have spoken with one of them and announced no other.
    pub fn own(&mut self) -> HashSet<u32> {
        let mut own = self.own.clone();
        let roots: HashSet<_> = own.iter().map(|one| self.root(*one)).collect();
        for one in 0..self.stands.len() as u32 {
            let unread = !self.named || self.hidden.contains(&one);
            if unread && !self.others.contains(&one) && roots.contains(&self.root(one)) {
                own.insert(one);
            }
        }
        own
    }

    /// Where other participants receive and none of these does. Middleware reaches participants of
    /// its own host through loopback, whatever address they announce.
    pub fn ends_of_others(&self, own: &HashSet<u32>) -> HashSet<Endpoint> {
        let mut ends = [HashSet::new(), HashSet::new()];
        for (one, end) in &self.ends {
            let here = Endpoint { address: IpAddr::V4(Ipv4Addr::LOCALHOST), ..*end };
            ends[usize::from(own.contains(one))].extend([*end, here]);
        }
        &ends[0] - &ends[1]
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

    /// A list of parameters, little endian: a topic, and a port of 127.0.0.1.
    fn announcement(topic: &str, port: u32) -> Vec<u8> {
        let mut list = vec![0, 3, 0, 0];
        let length = topic.len() as u32 + 1;
        let padded = length.next_multiple_of(4) as usize;
        list.extend([5, 0, padded as u8 + 4, 0]);
        list.extend(length.to_le_bytes());
        list.extend(topic.as_bytes());
        list.resize(list.len() + padded - topic.len(), 0);
        list.extend([0x2f, 0, 24, 0, 1, 0, 0, 0]);
        list.extend(port.to_le_bytes());
        list.extend([[0; 4], [0; 4], [0; 4], [127, 0, 0, 1]].concat());
        list.extend([1, 0, 0, 0]);
        list
    }

    #[test]
    fn those_are_others_that_announce_topics_of_their_own_though_they_speak_with_the_run() {
        let mut domains = Domains::default();
        for one in 1..5 {
            domains.link(0, one);
        }
        domains.announce(0, &announcement("ping_3fa4c1", 7411), "_3fa4c1", false);
        domains.announce(1, &announcement("rt/ping_3fa4c1", 7413), "_3fa4c1", false);
        domains.announce(2, &announcement("Square", 7415), "_3fa4c1", false);
        domains.announce(2, &announcement("Circle", 7411), "_3fa4c1", false);
        // The topic of this one was not captured; the last has announced nothing.
        domains.announce(3, &announcement("ping_3fa4c1", 7417)[..12], "_3fa4c1", true);
        let own = domains.own();
        assert_eq!(own, HashSet::from([0, 1, 3]));
        let ports: Vec<_> = domains.ends_of_others(&own).iter().map(|end| end.port).collect();
        assert_eq!(ports, [7415]);
    }
}
