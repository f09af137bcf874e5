//! A cell for the state that one thread at a time may use on the hot path (clause C17).

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Mutable state behind a shared reference, without a lock: a second thread that comes at the same
/// time is refused, not made to wait. The contract forbids such use, so refusing is the right answer,
/// and the check costs one atomic exchange.
pub struct HotCell<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `taken` admits one thread at a time to the value.
unsafe impl<T: Send> Sync for HotCell<T> {}

impl<T> HotCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> Self {
        Self { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// The value, or `None` while another caller has it.
    #[inline]
    pub fn get(&self) -> Option<HotGuard<'_, T>> {
        if self.taken.swap(true, Ordering::Acquire) { None } else { Some(HotGuard { cell: self }) }
    }
}

/// The exclusive use of a [`HotCell`]'s value until dropped.
pub struct HotGuard<'a, T> {
    cell: &'a HotCell<T>,
}

impl<T> Deref for HotGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one.
        unsafe { &*self.cell.value.get() }
    }
}

impl<T> DerefMut for HotGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one.
        unsafe { &mut *self.cell.value.get() }
    }
}

impl<T> Drop for HotGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.cell.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::HotCell;

    #[test]
    fn a_second_user_is_refused_until_the_first_lets_go() {
        let cell = HotCell::new(1);
        let first = cell.get();
        assert!(first.is_some() && cell.get().is_none());
        drop(first);
        assert_eq!(cell.get().as_deref(), Some(&1));
    }
}
