//! How the adapter and its bare loop are linked with OpenSSL.

use std::process::Command;

/// OpenSSL inside the adapter, where its static libraries are installed: a folder with nothing else is
/// searched before the system's. Otherwise the adapter needs `libssl.so` at run time.
pub fn prefer() {
    let folder = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut found = Vec::new();
    for name in ["libssl.a", "libcrypto.a"] {
        let answer = Command::new("cc").arg(format!("-print-file-name={name}")).output();
        let answer = answer.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        // The bare name means that there is none.
        found.extend(answer.ok().filter(|path| path != name).map(|path| (path, folder.join(name))));
    }
    if found.len() == 2 {
        for (path, link) in found {
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(path, link).expect("a link in OUT_DIR");
        }
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}
