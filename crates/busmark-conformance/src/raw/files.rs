//! Files that this process writes, wherever they are and however short they live: fanotify, root only.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// File systems on which a library could make files.
const KINDS: [&str; 8] = ["ext4", "ext3", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs"];

/// From when it is made, it knows the files that were closed after writing.
pub(crate) struct FileWatch {
    queue: OwnedFd,
}

impl FileWatch {
    /// Fails without the right to watch file systems.
    pub fn begin() -> io::Result<Self> {
        let flags = libc::FAN_CLASS_NOTIF | libc::FAN_NONBLOCK | libc::FAN_CLOEXEC;
        let events = (libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK) as u32;
        // SAFETY: plain numbers.
        let number = unsafe { libc::fanotify_init(flags, events) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just opened, and nobody else's.
        let queue = unsafe { OwnedFd::from_raw_fd(number) };
        let table = std::fs::read_to_string("/proc/self/mounts")?;
        let mut watched = 0;
        for line in table.lines() {
            let mut words = line.split(' ').skip(1);
            let (Some(folder), Some(kind)) = (words.next(), words.next()) else { continue };
            if KINDS.contains(&kind) {
                watched += usize::from(mark(&queue, Path::new(folder)));
            }
        }
        if watched == 0 {
            return Err(io::Error::other("no file system can be watched"));
        }
        Ok(Self { queue })
    }

    /// The files that this process has closed after writing since the last call.
    pub fn written(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        loop {
            let events = self.read();
            if events.is_empty() {
                return found;
            }
            for event in events {
                // SAFETY: each event hands over a descriptor, or a negative number.
                let file = (event.fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(event.fd) });
                let Some(file) = file.filter(|_| event.pid as u32 == std::process::id()) else {
                    continue;
                };
                let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
                found.extend(path);
            }
        }
    }

    fn read(&self) -> Vec<libc::fanotify_event_metadata> {
        const EVENT: usize = size_of::<libc::fanotify_event_metadata>();
        let mut bytes = [0_u8; EVENT * 64];
        // SAFETY: the buffer has the length that is given.
        let got =
            unsafe { libc::read(self.queue.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
        let got = usize::try_from(got).unwrap_or(0);
        // SAFETY: without FAN_REPORT_… every event has this size; plain numbers.
        bytes[..got]
            .chunks_exact(EVENT)
            .map(|e| unsafe { e.as_ptr().cast::<libc::fanotify_event_metadata>().read_unaligned() })
            .collect()
    }
}

fn mark(queue: &OwnedFd, folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else { return false };
    let flags = libc::FAN_MARK_ADD | libc::FAN_MARK_MOUNT;
    // SAFETY: the path lives during the call.
    let done = unsafe {
        libc::fanotify_mark(
            queue.as_raw_fd(),
            flags,
            libc::FAN_CLOSE_WRITE,
            libc::AT_FDCWD,
            path.as_ptr(),
        )
    };
    done == 0
}
