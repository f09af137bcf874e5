//! Which entry of the table each thread called last, kept where it outlives the process.
//!
//! A process that tests an adapter may die or hang within any call. Its table is therefore a copy whose
//! entries write their number into a shared page, and then call the adapter's; the process that watches
//! reads that page afterwards.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use busmark_adapter::abi::{
    CountersC, EndpointConfigC, EntityFn, ErrorC, Handle, Header, ListenerC, MatchC,
    ParticipantConfigC, QosC, SinkFn, Table,
};

/// One thread's last call: its number, and `sequence << 16 | entry << 1 | under way`.
#[repr(C)]
struct Slot {
    thread: AtomicU64,
    state: AtomicU64,
}

const PAGE_BYTES: usize = 4096;
const SLOTS: u32 = (PAGE_BYTES / size_of::<Slot>()) as u32;

static PAGE: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
static USED: AtomicU32 = AtomicU32::new(0);
static SEQUENCE: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static MINE: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// A call of the table as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastCall {
    pub thread: u64,
    pub entry: &'static str,
    pub under_way: bool,
    sequence: u64,
}

/// Makes the page; before the process that is to be watched begins.
pub(crate) fn make_page(path: &Path) -> io::Result<()> {
    std::fs::write(path, [0; PAGE_BYTES])
}

/// From now on calls through tables of [`recorded`] are written into the page.
pub(crate) fn use_page(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    // SAFETY: a new mapping of an open file of that size; it is never unmapped.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            PAGE_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    PAGE.store(page.cast(), Ordering::Release);
    Ok(())
}

/// The calls of a page, the latest first.
pub(crate) fn read_page(path: &Path) -> Vec<LastCall> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let word = |b: &[u8]| u64::from_ne_bytes(b.try_into().expect("eight bytes"));
    let mut calls: Vec<LastCall> = bytes
        .chunks_exact(size_of::<Slot>())
        .map(|slot| (word(&slot[..8]), word(&slot[8..])))
        .filter(|(_, state)| *state != 0)
        .filter_map(|(thread, state)| {
            let entry = *ENTRIES.get((state >> 1) as usize & 0x7fff)?;
            Some(LastCall { thread, entry, under_way: state & 1 == 1, sequence: state >> 16 })
        })
        .collect();
    calls.sort_by_key(|call| std::cmp::Reverse(call.sequence));
    calls
}

/// While it lives, the thread is within a call.
struct Call(Option<(&'static Slot, u64, u64)>);

impl Call {
    #[inline]
    fn begin(entry: usize) -> Self {
        let page = PAGE.load(Ordering::Relaxed);
        if page.is_null() {
            return Self(None);
        }
        let mine = MINE.with(|mine| {
            if mine.get() == u32::MAX {
                // Threads beyond the page's room share its last place.
                mine.set(USED.fetch_add(1, Ordering::Relaxed).min(SLOTS - 1));
            }
            mine.get()
        });
        // SAFETY: the page has that many slots and is never unmapped.
        let slot = unsafe { &*page.add(mine as usize) };
        if slot.thread.load(Ordering::Relaxed) == 0 {
            // SAFETY: takes nothing, gives a number.
            slot.thread.store(unsafe { libc::gettid() } as u64, Ordering::Relaxed);
        }
        let before = slot.state.load(Ordering::Relaxed);
        let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
        let now = sequence << 16 | (entry as u64) << 1;
        slot.state.store(now | 1, Ordering::Relaxed);
        Self(Some((slot, before, now)))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some((slot, before, now)) = self.0 {
            // A call from within another one, such as a write in on_data, returns into that.
            let outer = before & 1 == 1;
            slot.state.store(if outer { before } else { now }, Ordering::Relaxed);
        }
    }
}

static REAL: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());
static COPY: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

/// A table that records each call and passes it on. One library of a process is recorded; the table
/// of another one, such as a copy under another name, is returned unchanged.
pub(crate) fn recorded(table: &'static Table) -> &'static Table {
    let given = std::ptr::from_ref(table).cast_mut();
    let copy = COPY.load(Ordering::Acquire);
    if !copy.is_null() {
        // SAFETY: `copy` was leaked below.
        return if same(real(), table) { unsafe { &*copy } } else { table };
    }
    REAL.store(given, Ordering::Release);
    let copy = Box::leak(Box::new(with_recording(*table)));
    COPY.store(copy, Ordering::Release);
    copy
}

/// Whether both are tables of one library: each opening has a copy of its own.
fn same(one: &Table, other: &Table) -> bool {
    one.capabilities == other.capabilities && one.write as usize == other.write as usize
}

fn real() -> &'static Table {
    // SAFETY: `recorded` stored it before the first call; the library stays open while its handles live.
    unsafe { &*REAL.load(Ordering::Acquire) }
}

type Err = *mut ErrorC;

macro_rules! entries {
    (
        needed { $($number:literal $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)* }
        may_lack { $($onumber:literal $oname:ident($($oargument:ident: $okind:ty),*);)* }
    ) => {
        const ENTRIES: &[&str] = &[$(stringify!($name),)* $(stringify!($oname)),*];

        $(unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
            let _call = Call::begin($number);
            // SAFETY: passed on as it came.
            unsafe { (real().$name)($($argument),*) }
        })*

        $(unsafe extern "C" fn $oname($($oargument: $okind),*) -> u32 {
            let _call = Call::begin($onumber);
            let unsupported = busmark_adapter::Status::Unsupported as u32;
            // SAFETY: passed on as it came.
            real().$oname.map_or(unsupported, |entry| unsafe { entry($($oargument),*) })
        })*

        fn with_recording(table: Table) -> Table {
            Table {
                $($name,)*
                // What the adapter has not stays NULL.
                $($oname: table.$oname.map(|_| $oname as _),)*
                ..table
            }
        }

        #[cfg(test)]
        const NUMBERS: &[usize] = &[$($number,)* $($onumber),*];
    };
}

entries! {
    needed {
        0 probe(error: Err) -> u32;
        1 participant_create(config: *const ParticipantConfigC, out: *mut Handle, error: Err) -> u32;
        2 participant_destroy(participant: Handle);
        3 writer_create(
            participant: Handle, config: *const EndpointConfigC, out: *mut Handle, error: Err
        ) -> u32;
        4 writer_destroy(writer: Handle);
        5 reader_create(
            participant: Handle, config: *const EndpointConfigC, listener: *const ListenerC,
            out: *mut Handle, error: Err
        ) -> u32;
        6 reader_destroy(reader: Handle);
        7 sample_create(
            writer: Handle, body: *const c_void, bytes: u64, out: *mut Handle, error: Err
        ) -> u32;
        8 sample_destroy(writer: Handle, sample: Handle);
        9 write(writer: Handle, sample: Handle, header: *const Header) -> u32;
        10 take(
            reader: Handle, max: u32, sink: SinkFn, context: *mut c_void, taken: *mut u32
        ) -> u32;
    }
    may_lack {
        11 flush(writer: Handle);
        12 wait(reader: Handle, timeout_ns: i64);
        13 writer_matched(writer: Handle, count: *mut u32);
        14 reader_matched(reader: Handle, count: *mut u32);
        15 reader_locator(reader: Handle, text: *mut c_char, bytes: usize);
        16 writer_connect(writer: Handle, locator: *const c_char, error: Err);
        17 writer_set_qos(writer: Handle, qos: *const QosC, error: Err);
        18 reader_set_qos(reader: Handle, qos: *const QosC, error: Err);
        19 writer_counters(writer: Handle, counters: *mut CountersC);
        20 reader_counters(reader: Handle, counters: *mut CountersC);
        21 writer_last_error(writer: Handle, error: Err);
        22 reader_last_error(reader: Handle, error: Err);
        23 writer_match(writer: Handle, found: *mut MatchC);
        24 reader_match(reader: Handle, found: *mut MatchC);
        25 write_many(
            writer: Handle, samples: *const Handle, headers: *const Header, count: u32,
            written: *mut u32
        );
        26 loan(writer: Handle, bytes: u64, body: *mut *mut c_void);
        27 publish(writer: Handle, header: *const Header);
        28 writer_locator(writer: Handle, text: *mut c_char, bytes: usize);
        29 reader_connect(reader: Handle, locator: *const c_char, error: Err);
        30 entities(participant: Handle, sink: EntityFn, context: *mut c_void, error: Err);
        31 service_create(
            participant: Handle, config: *const EndpointConfigC, side: u32, out: *mut Handle, error: Err
        );
        32 service_sample_create(
            service: Handle, body: *const c_void, bytes: u64, out: *mut Handle, error: Err
        );
        33 service_send(service: Handle, sample: Handle, header: *const Header, request: *mut u64);
        34 service_take(
            service: Handle, max: u32, sink: SinkFn, context: *mut c_void, taken: *mut u32
        );
        35 service_wait(service: Handle, timeout_ns: i64);
        36 service_drop(service: Handle, request: u64);
        37 service_match(service: Handle, found: *mut MatchC);
        38 service_last_error(service: Handle, error: Err);
        39 service_locator(service: Handle, text: *mut c_char, bytes: usize);
        40 service_connect(service: Handle, locator: *const c_char, error: Err);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_own_number() {
        assert_eq!(NUMBERS, (0..ENTRIES.len()).collect::<Vec<_>>());
    }

    #[test]
    fn the_page_shows_what_is_under_way_and_what_has_returned() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("calls");
        make_page(&path).expect("a page");
        use_page(&path).expect("it is mapped");
        let outer = Call::begin(10);
        drop(Call::begin(9));
        let seen = read_page(&path);
        let mine = seen.iter().find(|c| c.entry == "take").expect("the outer call");
        assert!(mine.under_way, "the inner call has returned into the outer one");
        drop(outer);
        let seen = read_page(&path);
        assert!(seen.iter().any(|c| c.entry == "take" && !c.under_way));
    }
}
