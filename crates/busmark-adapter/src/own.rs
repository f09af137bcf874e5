//! Endpoints that a participant has made, where its middleware lists only what others have (C37).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What an adapter knows of each of them.
pub struct OwnEndpoints<T>(Mutex<State<T>>);

struct State<T> {
    next: u64,
    all: BTreeMap<u64, T>,
}

impl<T> Default for OwnEndpoints<T> {
    fn default() -> Self {
        Self(Mutex::new(State { next: 0, all: BTreeMap::new() }))
    }
}

impl<T> OwnEndpoints<T> {
    /// Adds one, which is listed as long as the guard is there.
    pub fn add(self: &Arc<Self>, one: T) -> Listed<T> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        state.next += 1;
        state.all.insert(number, one);
        Listed { list: Arc::clone(self), number }
    }

    /// Makes something of each; none of them ends meanwhile.
    pub fn each<R>(&self, make: impl FnMut(&T) -> R) -> Vec<R> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.all.values().map(make).collect()
    }
}

/// An endpoint that is listed until this is dropped.
pub struct Listed<T> {
    list: Arc<OwnEndpoints<T>>,
    number: u64,
}

impl<T> Listed<T> {
    /// Says something else of it from now on.
    pub fn replace(&self, one: T) {
        let mut state = self.list.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.all.insert(self.number, one);
    }
}

impl<T> Drop for Listed<T> {
    fn drop(&mut self) {
        let mut state = self.list.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_listed_as_long_as_its_guard_is_there() {
        let list = Arc::new(OwnEndpoints::default());
        let first = list.add("first");
        let second = list.add("second");
        assert_eq!(list.each(|one| *one), ["first", "second"]);
        second.replace("changed");
        drop(first);
        assert_eq!(list.each(|one| *one), ["changed"]);
        drop(second);
        assert!(list.each(|one| *one).is_empty());
    }
}
