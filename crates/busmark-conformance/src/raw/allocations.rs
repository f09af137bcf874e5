//! Counting allocations, of the whole process: of adapters in any language too.
//!
//! An adapter's library has its own Rust allocator or none, so a `#[global_allocator]` of the program
//! does not see it. All of them end in the C library's `malloc`, which a program may define itself;
//! [`count_allocations!`](crate::count_allocations) does that in the program that calls it.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Allocations of this thread so far. Zero for ever unless the program has
/// [`count_allocations!`](crate::count_allocations).
pub fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

/// Counts one allocation of this thread.
#[doc(hidden)]
#[inline]
pub fn count_one() {
    COUNT.with(|count| count.set(count.get() + 1));
}

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn __libc_malloc(bytes: usize) -> *mut libc::c_void;
    fn __libc_calloc(count: usize, bytes: usize) -> *mut libc::c_void;
    fn __libc_realloc(old: *mut libc::c_void, bytes: usize) -> *mut libc::c_void;
}

/// The C library's own allocator, under the names that it keeps for programs that replace `malloc`.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct Heap {
    pub malloc: unsafe extern "C" fn(usize) -> *mut libc::c_void,
    pub calloc: unsafe extern "C" fn(usize, usize) -> *mut libc::c_void,
    pub realloc: unsafe extern "C" fn(*mut libc::c_void, usize) -> *mut libc::c_void,
}

/// See [`Heap`].
#[cfg(target_env = "gnu")]
#[doc(hidden)]
pub const HEAP: Heap =
    Heap { malloc: __libc_malloc, calloc: __libc_calloc, realloc: __libc_realloc };

/// Makes the program count its allocations: once, at the top level of a binary crate; then pass
/// `Some(busmark_conformance::allocations)` as [`CheckOptions`](crate::CheckOptions)'
/// `allocation_counter`. Costs about a nanosecond per allocation. GNU C library only.
#[macro_export]
macro_rules! count_allocations {
    () => {
        #[allow(missing_docs)]
        #[cfg(target_env = "gnu")]
        mod busmark_counted_allocations {
            use std::ffi::c_void;
            use $crate::allocation::{HEAP, count_one};

            // SAFETY: these three do what the C library's do, and count.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
                count_one();
                unsafe { (HEAP.malloc)(bytes) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
                count_one();
                unsafe { (HEAP.calloc)(count, bytes) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn realloc(old: *mut c_void, bytes: usize) -> *mut c_void {
                count_one();
                unsafe { (HEAP.realloc)(old, bytes) }
            }
        }
    };
}
