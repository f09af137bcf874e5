//! What this process holds, as the kernel tells it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SHARED_MEMORY: &str = "/dev/shm";

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
            threads: threads(),
            descriptors: descriptors(),
            shared_memory: names(Path::new(SHARED_MEMORY)),
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
            new("shared memory", &self.shared_memory_beyond(before), &BTreeSet::new()),
            new("files in the run directory", &self.files, &before.files),
        ]
        .concat()
    }

    /// Shared memory that is here and was not there before, and is not another program's.
    pub fn shared_memory_beyond(&self, before: &Self) -> BTreeSet<String> {
        let new = self.shared_memory.difference(&before.shared_memory).cloned();
        let mut own = children();
        own.insert(std::process::id());
        new.filter(|name| !is_held_elsewhere(&Path::new(SHARED_MEMORY).join(name), &own)).collect()
    }
}

/// Whether a process that is none of `own` has the file open, or in its memory.
fn is_held_elsewhere(file: &Path, own: &BTreeSet<u32>) -> bool {
    let others = names(Path::new("/proc")).into_iter().filter_map(|name| name.parse().ok());
    others.filter(|process| !own.contains(process)).any(|process| {
        let folder = Path::new("/proc").join(process.to_string());
        let maps = fs::read_to_string(folder.join("maps")).unwrap_or_default();
        let open = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
        maps.lines().any(|line| line.ends_with(&file.display().to_string()))
            || open.into_iter().any(|one| fs::read_link(one.path()).is_ok_and(|to| to == file))
    })
}

fn names(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// Threads as "number name", for a number says little of whose it is.
fn threads() -> BTreeSet<String> {
    let name = |number: &String| {
        let path = format!("/proc/self/task/{number}/comm");
        fs::read_to_string(path)
            .map_or_else(|_| number.clone(), |n| format!("{number} {}", n.trim()))
    };
    names(Path::new("/proc/self/task")).iter().map(name).collect()
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
    descriptors_in(Path::new("/proc/self/fd"))
}

fn descriptors_in(dir: &Path) -> BTreeSet<String> {
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

/// Paths of the Unix sockets of this process and its children (servers).
pub(crate) fn unix_socket_paths() -> BTreeSet<String> {
    let own = own_sockets();
    let table = fs::read_to_string("/proc/thread-self/net/unix").unwrap_or_default();
    let path = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (number, path) = (words.get(6)?, words.get(7)?);
        (own.contains(*number) && path.starts_with('/')).then(|| (*path).to_owned())
    };
    table.lines().skip(1).filter_map(path).collect()
}

/// Packets sent through an interface of this thread's network namespace.
pub(crate) fn packets_sent(interface: &str) -> Option<u64> {
    let table = fs::read_to_string("/proc/thread-self/net/dev").ok()?;
    let line = table.lines().find_map(|l| l.trim().strip_prefix(&format!("{interface}:")))?;
    line.split_whitespace().nth(9)?.parse().ok()
}

/// Sockets of this process and its children (servers) that receive on all interfaces, such as
/// "udp 0.0.0.0:7400": TCP ones that listen and UDP ones that are bound to no address.
pub(crate) fn listening_on_all() -> Vec<String> {
    let own = own_sockets();
    let mut found = Vec::new();
    for (kind, listening) in [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")] {
        let table = fs::read_to_string(format!("/proc/thread-self/net/{kind}")).unwrap_or_default();
        for line in table.lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (Some(local), Some(state), Some(inode)) =
                (words.get(1), words.get(3), words.get(9))
            else {
                continue;
            };
            let Some((address, port)) = local.split_once(':') else { continue };
            let port = u16::from_str_radix(port, 16).unwrap_or(0);
            let all = address.bytes().all(|digit| digit == b'0');
            if all && port != 0 && *state == listening && own.contains(*inode) {
                found.push(format!(
                    "{} {}:{port}",
                    &kind[..3],
                    if kind.len() == 3 { "0.0.0.0" } else { "[::]" }
                ));
            }
        }
    }
    found
}

/// Sockets for the Internet protocols of this process and its children: "tcp" or "udp", and the number.
pub(crate) fn internet_sockets() -> BTreeSet<(&'static str, String)> {
    let own = own_sockets();
    let mut found = BTreeSet::new();
    for (table, kind) in [("tcp", "tcp"), ("tcp6", "tcp"), ("udp", "udp"), ("udp6", "udp")] {
        let path = format!("/proc/thread-self/net/{table}");
        let text = fs::read_to_string(path).unwrap_or_default();
        let numbers = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(9));
        let mine = numbers.filter(|number| own.contains(*number));
        found.extend(mine.map(|number| (kind, number.to_owned())));
    }
    found
}

/// The numbers of all sockets of this process and its children (servers).
fn own_sockets() -> BTreeSet<String> {
    let of_child =
        |child: u32| descriptors_in(&Path::new("/proc").join(child.to_string()).join("fd"));
    children()
        .into_iter()
        .flat_map(of_child)
        .chain(descriptors())
        .filter_map(|d| Some(d.split_once("socket:[")?.1.trim_end_matches(']').to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_of_another_program_is_not_left_behind_by_this_one() {
        let before = Holdings::now(Path::new("/"));
        let file = tempfile::NamedTempFile::new_in(SHARED_MEMORY).expect("shared memory");
        let theirs = tempfile::NamedTempFile::new_in(SHARED_MEMORY).expect("shared memory");
        // Started by another: what this process has started counts as its own.
        let script = "sleep 60 <\"$0\" >/dev/null 2>&1 & echo $!";
        let shell =
            std::process::Command::new("sh").args(["-c", script]).arg(theirs.path()).output();
        let process = String::from_utf8(shell.expect("a shell").stdout).expect("a number");
        let left = Holdings::now(Path::new("/")).shared_memory_beyond(&before);
        let kill = std::process::Command::new("kill").arg(process.trim()).status();
        assert!(kill.expect("kill").success());
        let name = |file: &tempfile::NamedTempFile| {
            file.path().file_name().expect("a name").to_string_lossy().into_owned()
        };
        assert!(left.contains(&name(&file)) && !left.contains(&name(&theirs)), "{left:?}");
    }
}
