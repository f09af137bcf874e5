//! What this process holds, as the kernel tells it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Things that an adapter could leave behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holdings {
    pub threads: BTreeSet<String>,
    pub descriptors: BTreeSet<String>,
    pub shared_memory: BTreeSet<String>,
    pub files: BTreeSet<String>,
}

impl Holdings {
    pub fn now(run_dir: &Path) -> Self {
        Self {
            threads: names(Path::new("/proc/self/task")),
            descriptors: descriptors(),
            shared_memory: names(Path::new("/dev/shm")),
            files: names(run_dir),
        }
    }

    /// What is here and was not there before; an empty text if nothing.
    pub fn beyond(&self, before: &Self) -> String {
        let new = |what: &str, now: &BTreeSet<String>, then: &BTreeSet<String>| {
            let more: Vec<_> = now.difference(then).cloned().collect();
            if more.is_empty() { String::new() } else { format!("{what}: {}; ", more.join(", ")) }
        };
        [
            new("threads", &self.threads, &before.threads),
            new("descriptors", &self.descriptors, &before.descriptors),
            new("shared memory", &self.shared_memory, &before.shared_memory),
            new("files in the run directory", &self.files, &before.files),
        ]
        .concat()
    }
}

fn names(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// Child processes.
pub(crate) fn children() -> BTreeSet<u32> {
    let of_thread = |name: &String| {
        let list = format!("/proc/self/task/{name}/children");
        fs::read_to_string(list).unwrap_or_default()
    };
    let lists: Vec<String> = names(Path::new("/proc/self/task")).iter().map(of_thread).collect();
    lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|n| n.parse().ok()).collect()
}

/// Open descriptors as "number -> target".
pub(crate) fn descriptors() -> BTreeSet<String> {
    let dir = Path::new("/proc/self/fd");
    let describe = |number: String| {
        // The descriptor by which the folder itself is read is gone by now.
        let target = fs::read_link(dir.join(&number)).ok()?;
        Some(format!("{number} -> {}", target.display()))
    };
    names(dir).into_iter().filter_map(describe).collect()
}

/// Resident memory in bytes.
pub(crate) fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Unix sockets with a path that exist now on this host.
pub(crate) fn unix_socket_paths() -> BTreeSet<String> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let path = |line: &str| line.split_whitespace().nth(7).map(str::to_owned);
    table.lines().skip(1).filter_map(path).filter(|p| p.starts_with('/')).collect()
}

/// Packets sent through an interface of this thread's network namespace.
pub(crate) fn packets_sent(interface: &str) -> Option<u64> {
    let table = fs::read_to_string("/proc/thread-self/net/dev").ok()?;
    let line = table.lines().find_map(|l| l.trim().strip_prefix(&format!("{interface}:")))?;
    line.split_whitespace().nth(9)?.parse().ok()
}
