//! CPUs, scheduling class and memory locking of this process. Set first of all, so that every thread
//! of the middleware inherits them.

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::thread::{CpuSet, sched_setaffinity};
use thread_priority::unix::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id, thread_schedule_policy_param,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

use crate::protocol::Failure;

/// Applies what is asked for, before anything else is done.
pub fn apply(cpus: &[usize], priority: Option<u8>, memory: bool) -> Result<(), Failure> {
    if !cpus.is_empty() {
        pin(cpus)?;
    }
    if memory {
        lock_memory()?;
    }
    priority.map_or(Ok(()), fifo)
}

/// Restricts the process to these CPUs.
pub fn pin(cpus: &[usize]) -> Result<(), Failure> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(Failure::new("invalid", format!("there is no CPU {cpu}")));
        }
        set.set(cpu);
    }
    sched_setaffinity(None, &set).map_err(|error| {
        Failure::new(
            "invalid",
            format!(
                "cannot run on CPU {cpus:?}: {error}; see which CPUs this process may use with \
                 `taskset -p $$`, and name those in the scenario's placement"
            ),
        )
    })
}

/// Runs under `SCHED_FIFO` with this priority, 1 to 99.
pub fn fifo(priority: u8) -> Result<(), Failure> {
    let refused = |error: &dyn std::fmt::Debug| {
        Failure::new(
            "invalid",
            format!(
                "cannot run under SCHED_FIFO with priority {priority}: {error:?}; run as root, grant \
                 CAP_SYS_NICE, or raise the limit with `ulimit -r 99` (limits.conf: rtprio)"
            ),
        )
    };
    let value = ThreadPriorityValue::try_from(priority).map_err(|e| refused(&e))?;
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Crossplatform(value),
        ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
    )
    .map_err(|error| refused(&error))
}

/// Priority of this thread under `SCHED_FIFO`; `None` in another class.
pub fn priority() -> Option<u8> {
    let (policy, parameters) = thread_schedule_policy_param(thread_native_id()).ok()?;
    let fifo = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    (policy == fifo).then_some(parameters.sched_priority as u8)
}

/// The ordinary scheduling class, stated so that nothing is inherited by chance.
pub fn other() -> Result<(), Failure> {
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other),
    )
    .map_err(|error| Failure::new("failed", format!("cannot run under SCHED_OTHER: {error:?}")))
}

/// Only where a CPU has nothing else to do, and off it at once when it has.
pub fn idle() -> Result<(), Failure> {
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
    )
    .map_err(|error| Failure::new("failed", format!("cannot run under SCHED_IDLE: {error:?}")))
}

/// Keeps all memory of the process, present and future, in RAM.
pub fn lock_memory() -> Result<(), Failure> {
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE).map_err(|error| {
        Failure::new(
            "invalid",
            format!(
                "cannot lock memory: {error}; run as root, grant CAP_IPC_LOCK, or raise the limit \
                 with `ulimit -l unlimited` (limits.conf: memlock)"
            ),
        )
    })
}
