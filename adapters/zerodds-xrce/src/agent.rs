//! The agent that a run starts: a program of its own beside this library.

use std::ffi::{CStr, OsStr};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use busmark_adapter::{ParticipantConfig, Result, Server, Status};
use busmark_server::{Place, Port, Program};

use crate::options::Settings;

const AGENT: Program = Program {
    name: "busmark-zerodds-xrce-agent",
    install: "it is built with the adapter and lies beside its library",
};

/// Where the program is: beside this library, or beside the program that opened it. A test and what it
/// opens are one folder below.
pub fn program() -> Result<PathBuf> {
    let files = [library(), std::env::current_exe().ok()];
    let mut found = files.iter().flatten().flat_map(|file| file.ancestors().skip(1).take(2));
    let here =
        found.find_map(|folder| Some(folder.join(AGENT.name)).filter(|program| program.is_file()));
    here.map_or_else(|| AGENT.find(), Ok)
}

/// The file that this code was loaded from.
fn library() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here: fn() -> Option<PathBuf> = library;
    // SAFETY: any address may be asked for; the structure is the function's to fill in.
    let found = unsafe { libc::dladdr(here as *const libc::c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own text, which lives as long as the library does.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}

/// Starts it.
pub fn start(config: &ParticipantConfig) -> Result<Server> {
    Settings::new(config)?;
    let interface = config.interface_v4()?;
    let port = if config.transport == "tcp" { Port::Tcp } else { Port::Udp };
    let arguments = |place: &Place| {
        let address: SocketAddr = place.address.to_string().parse().map_err(|_| {
            Status::Failed.error(format!("the agent cannot listen at {}", place.address))
        })?;
        Ok(vec![
            config.transport.clone().into(),
            address.to_string().into(),
            interface.to_string().into(),
        ])
    };
    let running = AGENT.start_at(config, &program()?, port, &arguments)?;
    Ok(Server { address: running.address.to_string(), guard: Box::new(running) })
}
