//! Files that a user names: only regular ones are read, and no more of them than a limit.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Bytes that a body or a document may have: 1 GiB.
const MOST: u64 = 1 << 30;

/// Reads a regular file as a whole. A pipe would be waited for, and a device may have no end.
///
/// # Errors
///
/// It cannot be opened, is not a regular file, or is larger than 1 GiB.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    // By its size, before memory is taken for it.
    if found.len() > MOST {
        return Err(Error::new(ErrorKind::InvalidInput, "larger than 1 GiB"));
    }
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_regular_file_or_too_large_is_refused() {
        for path in ["/dev/zero", "/tmp", "/dev/null"] {
            assert!(read_file(Path::new(path)).is_err(), "{path}");
        }
        let sparse = std::env::temp_dir().join(format!("busmark-sparse-{}", std::process::id()));
        std::fs::File::create(&sparse).and_then(|file| file.set_len(20 << 30)).unwrap();
        let read = read_file(&sparse);
        std::fs::remove_file(&sparse).unwrap();
        assert!(read.is_err_and(|error| error.to_string() == "larger than 1 GiB"));
    }
}
