//! Where RTI Connector's library is, and whether it is the one that this adapter knows.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::OnceLock;

use busmark_adapter::{Error, Result, Status};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::ffi::Api;
use crate::log;

/// The command that installs the library.
pub const INSTALL: &str = "pip install rticonnextdds-connector==1.2.4";

/// Names the folder of the library.
const FOLDER_VARIABLE: &str = "BUSMARK_RTI_CONNECTOR";
/// Folders of Python packages, separated by colons; Busmark sets it.
const PACKAGES_VARIABLE: &str = "BUSMARK_SITE_PACKAGES";
const LIBRARY: &str = "librtiddsconnector.so";
/// Where the package keeps it.
const WITHIN_PACKAGES: &str = if cfg!(target_arch = "aarch64") {
    "rticonnextdds-connector/lib/linux-arm64"
} else {
    "rticonnextdds-connector/lib/linux-x64"
};
/// The version whose structures are laid out as in `ffi.rs`.
const KNOWN_BUILD: &str = "NDDSC_BUILD_6.1.2.";

/// The library, which then stays open.
pub fn api() -> Result<&'static Api> {
    static API: OnceLock<Result<Api>> = OnceLock::new();
    API.get_or_init(open).as_ref().map_err(Error::clone)
}

fn unavailable(why: &str) -> Error {
    Status::Unavailable.error(format!(
        "{why}; `make adapters`, or `{INSTALL}`, or name the folder of {LIBRARY} in {FOLDER_VARIABLE}"
    ))
}

/// The folders that may hold the library.
fn candidates(named: Option<&str>, packages: Option<&str>) -> Vec<PathBuf> {
    if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
        return vec![PathBuf::from(folder)];
    }
    let packages = packages.unwrap_or_default().split(':').filter(|folder| !folder.is_empty());
    packages.map(|folder| Path::new(folder).join(WITHIN_PACKAGES)).collect()
}

fn find() -> Result<PathBuf> {
    let variable = |name| std::env::var(name).ok();
    let named = variable(FOLDER_VARIABLE);
    let folders = candidates(named.as_deref(), variable(PACKAGES_VARIABLE).as_deref());
    folders
        .into_iter()
        .map(|folder| folder.join(LIBRARY))
        .find(|path| path.is_file())
        .ok_or_else(|| unavailable("RTI Connector is not installed"))
}

fn open() -> Result<Api> {
    let path = find()?;
    // SAFETY: the library's initialisers do nothing but set up its own state. It brings the other two,
    // libnddsc.so and libnddscore.so, from its own folder.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| unavailable(&error.to_string()))?;
    let api = Api::of(&library).map_err(|error| unavailable(&error.to_string()))?;
    // Its threads and functions are used until the process ends.
    std::mem::forget(library);
    check_build(&api)?;
    if !log::redirect(&api) {
        return Err(unavailable("RTI's log cannot be sent to standard error"));
    }
    Ok(api)
}

fn check_build(api: &Api) -> Result<()> {
    let (mut libraries, mut connector) = (null(), null());
    // SAFETY: the function stores pointers to constant texts.
    let code = unsafe { (api.build_versions)(&raw mut libraries, &raw mut connector) };
    if code != 0 || libraries.is_null() {
        return Err(unavailable("RTI Connector does not report its version"));
    }
    // SAFETY: a text, as above.
    let builds = unsafe { CStr::from_ptr(libraries) }.to_string_lossy();
    if builds.contains(KNOWN_BUILD) {
        return Ok(());
    }
    let text = format!("RTI Connector with {} is here, Connext 6.1.2 is needed", builds.trim());
    Err(unavailable(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_named_is_the_only_one() {
        assert_eq!(candidates(Some("/opt/rti"), Some("/a:/b")), [Path::new("/opt/rti")]);
        let found = candidates(None, Some("/a::/b"));
        let within = |folder: &str| Path::new(folder).join(WITHIN_PACKAGES);
        assert_eq!(found, [within("/a"), within("/b")]);
        assert!(candidates(Some(""), None).is_empty());
    }

    #[test]
    fn what_is_missing_is_said_with_the_command_that_helps() {
        let error = unavailable("gone");
        assert!(error.status == Status::Unavailable && error.message.contains(INSTALL), "{error}");
    }
}
