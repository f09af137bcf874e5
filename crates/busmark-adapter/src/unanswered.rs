//! Requests that a server has taken and not answered yet, by their handles (C40).

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Slots of the first block; each further one has twice as many as the one before.
const FIRST: usize = 64;
/// Blocks: enough for every index that a handle holds.
const BLOCKS: usize = 26;
/// No slot is free.
const NONE: u32 = u32::MAX;

/// What a server keeps of each request until it answers, behind a handle that no other request has
/// while 2^32 others use its slot. Slots are used again; memory grows with the requests that wait at a
/// time. One thread inserts, several may claim, and none waits for another.
pub struct Unanswered<T> {
    blocks: [OnceLock<Box<[Slot<T>]>>; BLOCKS],
    /// Slots that were used so far.
    used: AtomicU32,
    /// The free slot that was given back last; each knows the next. Many push, one pops.
    free: AtomicU32,
}

struct Slot<T> {
    generation: AtomicU32,
    next: AtomicU32,
    /// Locked by who answers; nobody waits for it.
    value: Mutex<Option<T>>,
}

/// A request that is about to be answered. It stays unanswered if this is dropped.
pub struct Claim<'a, T> {
    value: MutexGuard<'a, Option<T>>,
    slot: &'a Slot<T>,
    index: u32,
    all: &'a Unanswered<T>,
}

impl<T> Default for Unanswered<T> {
    fn default() -> Self {
        let all = Self {
            blocks: [const { OnceLock::new() }; BLOCKS],
            used: AtomicU32::new(0),
            free: AtomicU32::new(NONE),
        };
        all.block(0);
        all
    }
}

/// Block of an index, and the place within.
fn place(index: u32) -> (usize, usize) {
    let at = index as usize + FIRST;
    let block = at.ilog2() - FIRST.ilog2();
    (block as usize, at - (FIRST << block))
}

impl<T> Unanswered<T> {
    fn block(&self, block: usize) -> &[Slot<T>] {
        self.blocks[block].get_or_init(|| {
            let slot = |_| Slot {
                generation: AtomicU32::new(1),
                next: AtomicU32::new(NONE),
                value: Mutex::new(None),
            };
            (0..FIRST << block).map(slot).collect()
        })
    }

    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (block, at) = place(index);
        self.blocks.get(block)?.get()?.get(at)
    }

    /// Keeps a request; its handle, or `None` where there is no room. For one thread at a time. Hot.
    #[inline]
    pub fn insert(&self, value: T) -> Option<u64> {
        let index = match self.free.load(Ordering::Acquire) {
            NONE => self.grow()?,
            _ => self.pop()?,
        };
        let slot = self.slot(index)?;
        *slot.value.lock().ok()? = Some(value);
        Some(u64::from(slot.generation.load(Ordering::Relaxed)) << 32 | u64::from(index))
    }

    /// The free slot that was given back last. Nobody else pops, so what it knows as the next stays so.
    #[inline]
    fn pop(&self) -> Option<u32> {
        let mut index = self.free.load(Ordering::Acquire);
        loop {
            let next = self.slot(index)?.next.load(Ordering::Relaxed);
            match self.free.compare_exchange(index, next, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return Some(index),
                Err(now) => index = now,
            }
        }
    }

    /// A slot that was not used before.
    #[cold]
    fn grow(&self) -> Option<u32> {
        let index = self.used.load(Ordering::Relaxed);
        let (block, _) = place(index);
        if block >= BLOCKS {
            return None;
        }
        self.block(block);
        self.used.store(index + 1, Ordering::Relaxed);
        Some(index)
    }

    /// The request with this handle; `None` if it has been answered, is being answered, or never was.
    /// From any thread. Hot.
    #[inline]
    pub fn claim(&self, handle: u64) -> Option<Claim<'_, T>> {
        let (index, generation) = (handle as u32, (handle >> 32) as u32);
        let slot = self.slot(index)?;
        let is_current = || slot.generation.load(Ordering::Acquire) == generation;
        if !is_current() {
            return None;
        }
        let value = slot.value.try_lock().ok()?;
        (value.is_some() && is_current()).then_some(Claim { value, slot, index, all: self })
    }
}

impl<T> Deref for Claim<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.as_ref().expect("a claim is of a request")
    }
}

impl<T> Claim<'_, T> {
    /// It has been answered, or never will be: its handle is invalid from now on. Hot.
    #[inline]
    pub fn answered(mut self) -> Option<T> {
        let value = self.value.take();
        let Self { slot, index, all, .. } = &self;
        slot.generation.fetch_add(1, Ordering::Release);
        let (slot, index, all) = (*slot, *index, *all);
        drop(self);
        let mut next = all.free.load(Ordering::Relaxed);
        loop {
            slot.next.store(next, Ordering::Relaxed);
            match all.free.compare_exchange(next, index, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return value,
                Err(now) => next = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn indices_fill_block_after_block() {
        let first = FIRST as u32;
        assert_eq!([place(0), place(first - 1)], [(0, 0), (0, FIRST - 1)]);
        assert_eq!([place(first), place(3 * first - 1)], [(1, 0), (1, 2 * FIRST - 1)]);
        assert_eq!(place(3 * first), (2, 0));
        assert_eq!(place(u32::MAX).0, BLOCKS, "the last block has no slot for it");
    }

    #[test]
    fn a_handle_is_valid_until_it_is_answered() {
        let all = Unanswered::default();
        assert!([0, 1, u64::MAX, 1 << 32].iter().all(|handle| all.claim(*handle).is_none()));
        let one = all.insert("one").expect("room");
        let two = all.insert("two").expect("room");
        assert_ne!(one, two);
        drop(all.claim(one).expect("not answered"));
        let claim = all.claim(one).expect("not answered, although it was claimed");
        assert!(*claim == "one" && all.claim(one).is_none(), "claimed twice at a time");
        assert_eq!(claim.answered(), Some("one"));
        assert!(all.claim(one).is_none());
        let three = all.insert("three").expect("room");
        assert!(three != one && three as u32 == one as u32, "the slot is used again");
        assert!(all.claim(one).is_none());
        assert_eq!(all.claim(three).and_then(Claim::answered), Some("three"));
        assert_eq!(all.claim(two).and_then(Claim::answered), Some("two"));
    }

    #[test]
    fn requests_of_several_blocks_keep_their_handles_while_threads_answer() {
        const WAITING: u64 = 1000;
        const ROUNDS: u64 = 200;
        let all = Unanswered::<u64>::default();
        std::thread::scope(|scope| {
            let senders = [0; 3].map(|_| {
                let (sender, handles) = channel::<(u64, u64)>();
                let all = &all;
                scope.spawn(move || {
                    for (handle, value) in handles {
                        let claim = all.claim(handle).expect("a request");
                        assert_eq!(claim.answered(), Some(value));
                        assert!(all.claim(handle).is_none());
                    }
                });
                sender
            });
            let waiting: Vec<_> = (0..WAITING).map(|n| all.insert(n).expect("room")).collect();
            for round in 0..ROUNDS {
                for (n, sender) in senders.iter().enumerate() {
                    let value = round * 10 + n as u64;
                    let handle = all.insert(value).expect("room");
                    sender.send((handle, value)).expect("a thread");
                }
            }
            for (value, handle) in (0..).zip(waiting) {
                assert_eq!(all.claim(handle).and_then(Claim::answered), Some(value));
            }
        });
        let used = all.used.load(Ordering::Relaxed);
        assert!(u64::from(used) <= WAITING + 3 * ROUNDS);
        for value in 0..u64::from(used) {
            all.insert(value).expect("room");
        }
        assert_eq!(all.used.load(Ordering::Relaxed), used, "free slots are used first");
    }
}
