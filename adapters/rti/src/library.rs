//! Finds and opens the vendor's C library, once per process.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Result, Status};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::log;
use crate::native::Api;

/// Names the folder of the library.
pub const FOLDER_VARIABLE: &str = "BUSMARK_RTI_CONNECTOR";
/// Python's site-packages folders, separated by colons.
pub const PACKAGES_VARIABLE: &str = "BUSMARK_SITE_PACKAGES";
/// What a user does who has not got it.
pub const INSTALL: &str = "pip install rticonnextdds-connector";

const FILE: &str = "librtiddsconnector.so";
/// The series whose structures the adapter knows (module `native`).
const SERIES: &str = "6.1.";

#[cfg(target_arch = "x86_64")]
const PLATFORM: &str = "linux-x64";
#[cfg(target_arch = "aarch64")]
const PLATFORM: &str = "linux-arm64";

/// The open library.
pub struct Vendor {
    folder: PathBuf,
    api: &'static Api,
}

static OPEN: Mutex<Option<Vendor>> = Mutex::new(None);

/// The library's functions. `option` is the adapter's option `library`; empty: see the variables.
pub fn api(option: &str) -> Result<&'static Api> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(vendor) = &*open {
        if !option.is_empty() && Path::new(option) != vendor.folder {
            let text = format!(
                "option library: this process has opened {} already",
                vendor.folder.display()
            );
            return Err(Status::Invalid.error(text));
        }
        return Ok(vendor.api);
    }
    let folder = find(
        option,
        std::env::var_os(FOLDER_VARIABLE).as_deref(),
        std::env::var_os(PACKAGES_VARIABLE).as_deref(),
    )?;
    let api = load(&folder)?;
    *open = Some(Vendor { folder, api });
    Ok(api)
}

/// The folder of the library: as the option says, else as the variables say.
fn find(option: &str, named: Option<&OsStr>, packages: Option<&OsStr>) -> Result<PathBuf> {
    let named = if option.is_empty() { named } else { Some(OsStr::new(option)) };
    if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
        let folder = PathBuf::from(folder);
        if folder.join(FILE).is_file() {
            return Ok(folder);
        }
        let text = format!("there is no {FILE} in {}", folder.display());
        return Err(Status::Unavailable.error(text));
    }
    std::env::split_paths(packages.unwrap_or_default())
        .map(|folder| folder.join("rticonnextdds-connector").join("lib").join(PLATFORM))
        .find(|folder| folder.join(FILE).is_file())
        .ok_or_else(|| {
            let text = format!(
                "RTI Connector is not installed: {INSTALL}; or name the folder of {FILE} in \
                 {FOLDER_VARIABLE}"
            );
            Status::Unavailable.error(text)
        })
}

fn load(folder: &Path) -> Result<&'static Api> {
    let path = folder.join(FILE);
    let unusable = |what: String| {
        let text = format!("{}: {what}; {INSTALL} has a library that fits", path.display());
        Status::Unavailable.error(text)
    };
    // SAFETY: the vendor's library has initialisers of its own only.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| unusable(error.to_string()))?;
    let find = |name: &str| {
        let name = CString::new(name).ok()?;
        // SAFETY: only the address is used.
        let symbol = unsafe { library.get::<*const c_void>(name.as_bytes_with_nul()) }.ok()?;
        Some(symbol.into_raw().cast_const())
    };
    // SAFETY: the names are the vendor's.
    let api = unsafe { Api::new(find) }.map_err(|name| unusable(format!("it has no {name}")))?;
    // SAFETY: a constant text.
    let version = unsafe { CStr::from_ptr((api.build_version)()) }.to_string_lossy();
    if !version.contains(&format!("_{SERIES}")) {
        return Err(unusable(format!("it is {version}, the adapter knows Connext {SERIES}x")));
    }
    let api = Box::leak(Box::new(api));
    // It keeps thread-specific data with destructors: never closed.
    std::mem::forget(library);
    log::install(api);
    Ok(api)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_the_remedy() {
        let error = find("", None, None).expect_err("nowhere to look");
        assert_eq!(error.status, Status::Unavailable);
        assert!(error.message.contains(INSTALL), "{error}");
        let error = find("/nonexistent", None, None).expect_err("not there");
        assert!(error.message.contains("/nonexistent"), "{error}");
    }

    #[test]
    fn the_option_goes_before_the_variable_and_that_before_the_packages() {
        let root = std::env::temp_dir().join(format!("busmark-rti-find-{}", std::process::id()));
        let make = |folder: PathBuf| {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join(FILE), "").expect("a file");
            folder
        };
        let option = make(root.join("option"));
        let named = make(root.join("named"));
        let site = root.join("site-packages");
        let packaged = make(site.join("rticonnextdds-connector/lib").join(PLATFORM));
        let list = std::env::join_paths([root.join("empty"), site]).expect("no colon");
        let text = option.to_string_lossy();
        assert_eq!(find(&text, Some(named.as_os_str()), Some(&list)), Ok(option.clone()));
        assert_eq!(find("", Some(named.as_os_str()), Some(&list)), Ok(named.clone()));
        assert_eq!(find("", None, Some(&list)), Ok(packaged));
        std::fs::remove_dir_all(root).expect("removed");
    }
}
