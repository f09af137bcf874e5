//! Whether a participant can be made here at all: a library without a valid licence tells so only then,
//! and only on standard output.

use std::ffi::{c_int, c_void};
use std::io::{Read as _, Seek as _};
use std::os::fd::AsFd;

use busmark_adapter::{ParticipantConfig, Result, Status};
use rustix::fs::{MemfdFlags, memfd_create};

use crate::library;
use crate::participant::RtiParticipant;

unsafe extern "C" {
    fn fflush(stream: *mut c_void) -> c_int;
}

/// The last domain: where nobody is expected.
const DOMAIN: u32 = 232;

/// Makes a participant on loopback that calls nobody, and deletes it.
pub fn probe() -> Result<()> {
    library::api("")?;
    let config = ParticipantConfig {
        domain: DOMAIN,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "udp".to_owned(),
        profile: "default".to_owned(),
        settings: vec![("max_participants".to_owned(), "1".to_owned())],
        ..ParticipantConfig::default()
    };
    let (made, printed) = with_stdout_captured(|| RtiParticipant::new(&config).map(drop));
    made.map_err(|error| {
        let text = format!("{} {}", printed.trim(), error.message);
        Status::Unavailable.error(text.trim())
    })
}

/// Runs `body`, and what the process printed on standard output meanwhile.
fn with_stdout_captured<T>(body: impl FnOnce() -> T) -> (T, String) {
    let file = memfd_create("busmark-rti-probe", MemfdFlags::CLOEXEC).map(std::fs::File::from);
    let before = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 0);
    let (Ok(mut file), Ok(before)) = (file, before) else { return (body(), String::new()) };
    // SAFETY: NULL stands for all streams. What was printed before goes where it belongs.
    unsafe { fflush(std::ptr::null_mut()) };
    if rustix::stdio::dup2_stdout(file.as_fd()).is_err() {
        return (body(), String::new());
    }
    let result = body();
    // SAFETY: as above. The C library prints what it has gathered.
    unsafe { fflush(std::ptr::null_mut()) };
    let _ = rustix::stdio::dup2_stdout(before.as_fd());
    let mut bytes = Vec::new();
    if file.rewind().is_ok() {
        let _ = file.read_to_end(&mut bytes);
    }
    (result, String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_c_library_prints_is_caught() {
        unsafe extern "C" {
            fn puts(text: *const std::ffi::c_char) -> c_int;
        }
        // SAFETY: a constant text.
        let (_, printed) = with_stdout_captured(|| unsafe { puts(c"no licence".as_ptr()) });
        // Other tests of this process may print meanwhile.
        assert!(printed.contains("no licence\n"), "{printed:?}");
    }
}
