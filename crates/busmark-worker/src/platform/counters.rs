//! The kernel's counters over time, beside a measurement and never within it: a process of its own, in
//! the idle class while anything is measured, that reads files of `/proc` and `/sys/fs/cgroup` and writes their text down.
//!
//! One line of JSON per reading: `{"process": pid, "files": [[ns, path, text], …]}`, with the identifier
//! of this process, and each file with the time of `CLOCK_MONOTONIC` before it was read. Nothing is
//! interpreted here: whoever draws up the result does that, when nothing is measured any more. For the
//! same reason lines are held back until there is a megabyte of them: who reads a pipe is woken by it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use busmark_measure::now_ns;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

const HELD_BACK: usize = 1 << 20;

/// Most of the files fit.
const PAGE: usize = 4096;
/// No file of interest is longer, on however large a machine.
const LONGEST: u64 = 16 << 20;

/// After a reading that took time t of a CPU nothing is read for this many t, whatever was asked for:
/// with a hundred participants of twenty threads readings become rare, not expensive.
const REST: u32 = 100;

/// A file that took longer was read at an unknown time: where participants never rest, a process of the
/// idle class may wait for its next turn between the clock and the file.
const TIMELY_NS: i64 = 10_000_000;
const TRIES: usize = 5;

/// What bounds a group's CPU time and how often it was held back, in version 2 and in version 1.
const CPU_FILES: &[&str] = &["cpu.max", "cpu.stat"];
const CPU_FILES_1: &[&str] = &["cpu.cfs_period_us", "cpu.cfs_quota_us", "cpu.stat"];

/// Readings at one time.
#[derive(Serialize)]
struct Reading {
    /// Who read it.
    process: u32,
    /// When (ns), path, text.
    files: Vec<(i64, String, String)>,
}

impl Reading {
    /// Adds a file, or of it only the lines that begin with one of `kept`. One that is not there is left
    /// out: a thread may have ended, a kernel may not offer it. So is one of which nobody can say when
    /// it was read.
    fn take(&mut self, path: String, kept: &[&str]) {
        let Some((time, bytes)) = timely(now_ns, || read(&path).ok()) else { return };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if !kept.is_empty() {
            text = text
                .split_inclusive('\n')
                .filter(|line| kept.iter().any(|word| line.starts_with(word)))
                .collect();
        }
        self.files.push((time, path, text));
    }

    fn process(&mut self, process: u32) {
        self.take(format!("/proc/{process}/stat"), &[]);
        for thread in threads(process) {
            let folder = format!("/proc/{process}/task/{thread}");
            self.take(format!("{folder}/stat"), &[]);
            self.take(format!("{folder}/schedstat"), &[]);
            let kept =
                ["VmRSS:", "VmSwap:", "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
            self.take(format!("{folder}/status"), &kept);
        }
    }

    fn network(&mut self, process: u32) {
        let folder = format!("/proc/{process}/net");
        self.take(format!("{folder}/dev"), &[]);
        self.take(format!("{folder}/snmp"), &["Tcp:", "Udp:"]);
        self.take(format!("{folder}/snmp6"), &["Udp6"]);
    }

    fn host(&mut self) {
        self.take("/proc/stat".into(), &["cpu", "ctxt", "softirq"]);
        self.take("/proc/vmstat".into(), &["pswp"]);
        self.take("/proc/net/softnet_stat".into(), &[]);
    }
}

/// Readings of processes with the children that they have at its beginning, and of this process with
/// them: what the readings cost stands beside what they tell.
pub struct Watch<W: Write> {
    watched: Watched,
    output: BufWriter<W>,
    /// CPU time of the last reading.
    cost: Duration,
}

impl<W: Write> Watch<W> {
    /// Makes the first reading and writes it out at once, so that whoever looks for it knows that
    /// counting has begun.
    pub fn begin(processes: &[u32], output: W) -> io::Result<Self> {
        let output = BufWriter::with_capacity(HELD_BACK, output);
        let watched = Watched::of(processes);
        let mut watch = Self { watched, output, cost: Duration::ZERO };
        watch.read()?;
        watch.output.flush()?;
        Ok(watch)
    }

    /// Reads every so often, at once where something comes on `input`, and a last time when it ends.
    pub fn until_end(mut self, input: impl AsFd, every: Duration) -> io::Result<()> {
        while !ends_within(&input, every.max(self.cost * REST))? {
            self.read()?;
        }
        self.read()?;
        self.output.flush()
    }

    fn read(&mut self) -> io::Result<()> {
        let begin = cpu_time();
        serde_json::to_writer(&mut self.output, &self.watched.read())?;
        self.output.write_all(b"\n")?;
        self.cost = cpu_time().saturating_sub(begin);
        Ok(())
    }
}

/// What is read each time.
struct Watched {
    processes: Vec<u32>,
    /// One process of each network namespace, but for this one's own.
    networks: Vec<u32>,
    /// Links to the namespaces, as if they were files: path and what they point to.
    namespaces: Vec<(String, String)>,
    cgroups: BTreeSet<String>,
}

impl Watched {
    fn of(roots: &[u32]) -> Self {
        let mut processes = roots.to_vec();
        let mut next = 0;
        while let Some(&process) = processes.get(next) {
            processes.extend(children(process));
            next += 1;
        }
        let mut networks = Vec::new();
        let mut namespaces = Vec::new();
        for &process in &processes {
            let path = format!("/proc/{process}/ns/net");
            let Ok(link) = fs::read_link(&path) else { continue };
            let link = link.to_string_lossy().into_owned();
            if !namespaces.iter().any(|(_, known)| *known == link) {
                networks.push(process);
            }
            namespaces.push((path, link));
        }
        let cgroups = processes.iter().flat_map(|&process| cgroup_files(process)).collect();
        processes.push(std::process::id());
        Self { processes, networks, namespaces, cgroups }
    }

    fn read(&self) -> Reading {
        let mut reading = Reading { process: std::process::id(), files: Vec::new() };
        reading.host();
        for &process in &self.processes {
            reading.process(process);
        }
        for (path, link) in &self.namespaces {
            reading.files.push((now_ns(), path.clone(), link.clone()));
        }
        for &process in &self.networks {
            reading.network(process);
        }
        for path in &self.cgroups {
            let kept: &[_] =
                if path.ends_with("cpu.stat") { &["nr_throttled", "throttled_"] } else { &[] };
            reading.take(path.clone(), kept);
        }
        reading
    }
}

/// The result of `read` and the time of reading, by a clock in ns. Read again where it took so long
/// that it may have been at any time since.
fn timely<T>(
    mut clock: impl FnMut() -> i64,
    mut read: impl FnMut() -> Option<T>,
) -> Option<(i64, T)> {
    for _ in 0..TRIES {
        let begin = clock();
        let content = read()?;
        if clock() - begin <= TIMELY_NS {
            return Some((begin, content));
        }
    }
    None
}

/// The whole file, with as few system calls as can be: the kernel gives these files no length to go by.
fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(PAGE);
    fs::File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn threads(process: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{process}/task"));
    let names = entries.into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn children(process: u32) -> Vec<u32> {
    let lists = threads(process).into_iter().filter_map(|thread| {
        fs::read_to_string(format!("/proc/{process}/task/{thread}/children")).ok()
    });
    lists
        .flat_map(|list| list.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Files of the groups that bound a process's CPU time and memory, in version 2 or 1 of cgroups(7).
fn cgroup_files(process: u32) -> Vec<String> {
    let list = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
    let mut found = group_files(&list);
    found.retain(|path| fs::metadata(path).is_ok());
    found
}

/// Files of the groups in a list such as `/proc/PID/cgroup`, whether they exist or not. CPU time is
/// bounded by every group on the way to the root, which in a container is the container's own.
fn group_files(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in list.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let path = path.trim_end_matches('/');
        let has = |name| controllers.split(',').any(|controller| controller == name);
        let mounts = if controllers.is_empty() {
            vec!["/sys/fs/cgroup".to_owned(), "/sys/fs/cgroup/unified".to_owned()]
        } else {
            vec![format!("/sys/fs/cgroup/{controllers}")]
        };
        let (limits, memory) = if controllers.is_empty() {
            (CPU_FILES, Some("memory.current"))
        } else {
            (
                if has("cpu") { CPU_FILES_1 } else { &[] },
                has("memory").then_some("memory.usage_in_bytes"),
            )
        };
        for mount in mounts {
            found.extend(memory.map(|file| format!("{mount}{path}/{file}")));
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            for group in ends.map(|end| &path[..end]) {
                found.extend(limits.iter().map(|file| format!("{mount}{group}/{file}")));
            }
        }
    }
    found
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether the input ends within this time; false, too, as soon as something has come.
fn ends_within(input: &impl AsFd, time: Duration) -> io::Result<bool> {
    let limit = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&limit)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ok(false),
        Ok(_) => Ok(rustix::io::read(input, &mut [0; 64])? == 0),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::{Child, Command, Stdio};

    use super::*;

    #[test]
    fn a_file_that_was_read_at_an_unknown_time_is_read_again() {
        let read = |pauses: &[i64]| {
            let mut now = 0;
            let times: Vec<i64> = pauses
                .iter()
                .flat_map(|pause| {
                    let begin = now;
                    now += pause + 1;
                    [begin, begin + pause]
                })
                .collect();
            let mut times = times.into_iter();
            let mut reads = 0..;
            timely(|| times.next().unwrap(), || reads.next())
        };
        assert_eq!(read(&[0]), Some((0, 0)));
        assert_eq!(read(&[TIMELY_NS]), Some((0, 0)));
        assert_eq!(read(&[TIMELY_NS + 1, 800_000_000, 5]), Some((810_000_003, 2)));
        assert_eq!(read(&[TIMELY_NS + 1; TRIES]), None);
        assert_eq!(timely(|| 0, || None::<()>), None);
    }

    /// Files of each reading, by path.
    type Read = Vec<std::collections::BTreeMap<String, String>>;

    fn watched(processes: &[u32]) -> Read {
        let mut output = Vec::new();
        // There is always something to read: the first reading is followed by the last.
        let ended = File::open("/dev/null").unwrap();
        let watch = Watch::begin(processes, &mut output).unwrap();
        watch.until_end(ended, Duration::from_secs(60)).unwrap();
        let lines = std::str::from_utf8(&output).unwrap().lines();
        let files = lines.map(|line| {
            let reading: serde_json::Value = serde_json::from_str(line).unwrap();
            let files: Vec<(i64, String, String)> =
                serde_json::from_value(reading["files"].clone()).unwrap();
            assert!(files.is_sorted_by_key(|(time, ..)| *time));
            files.into_iter().map(|(_, path, text)| (path, text)).collect()
        });
        files.collect()
    }

    #[test]
    fn what_comes_is_answered_by_a_reading_at_once() {
        let (ours, mut theirs) = io::pipe().unwrap();
        theirs.write_all(b"\n").unwrap();
        drop(theirs);
        let mut output = Vec::new();
        let watch = Watch::begin(&[std::process::id()], &mut output).unwrap();
        watch.until_end(ours, Duration::from_secs(3600)).unwrap();
        assert_eq!(output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(), 3);
    }

    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn there_is_a_first_and_a_last_reading_of_the_process_its_network_and_the_host() {
        let own = std::process::id();
        let readings = watched(&[own]);
        assert_eq!(readings.len(), 2);
        for files in &readings {
            for path in ["stat", "ns/net", "net/dev", "net/snmp", &format!("task/{own}/schedstat")]
            {
                assert!(files.contains_key(&format!("/proc/{own}/{path}")), "{path}");
            }
            assert!(files["/proc/stat"].lines().all(|line| !line.starts_with("intr")));
            assert!(files[&format!("/proc/{own}/task/{own}/status")].contains("VmRSS:"));
        }
    }

    #[test]
    fn children_are_watched_too_and_networks_once() {
        let child = Ended(Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap());
        let files = &watched(&[std::process::id()])[0];
        assert!(files.contains_key(&format!("/proc/{}/stat", child.0.id())));
        assert_eq!(files.keys().filter(|path| path.ends_with("net/dev")).count(), 1);
    }

    #[test]
    fn a_group_is_bounded_by_those_above_it_in_both_versions() {
        let files = group_files("1:cpu,cpuacct:/pod/box\n2:memory:/pod\n3:pids:/pod\n0::/\n");
        let cpu = "/sys/fs/cgroup/cpu,cpuacct";
        for group in ["", "/pod", "/pod/box"] {
            for file in CPU_FILES_1 {
                assert!(files.contains(&format!("{cpu}{group}/{file}")), "{group} {file}");
            }
        }
        assert!(files.contains(&"/sys/fs/cgroup/memory/pod/memory.usage_in_bytes".to_owned()));
        assert!(files.iter().all(|path| !path.contains("pids")));
        let slice = group_files("0::/a.slice/b.scope\n");
        for group in ["", "/a.slice", "/a.slice/b.scope"] {
            for file in CPU_FILES {
                assert!(slice.contains(&format!("/sys/fs/cgroup{group}/{file}")), "{group} {file}");
            }
        }
    }

    #[test]
    fn a_process_that_is_gone_is_left_out() {
        let mut child = Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let readings = watched(&[gone]);
        assert_eq!(readings.len(), 2);
        assert!(!readings[0].contains_key(&format!("/proc/{gone}/stat")));
    }
}
