//! DDS Security with the library's own plug-ins, which are inside it.

use std::ffi::CString;
use std::ptr::null_mut;

use cyclonedds_rust_sys as sys;

use crate::options::{Options, Role};

const PLUGINS: [(&str, &str); 9] = [
    ("auth.library.path", "dds_security_auth"),
    ("auth.library.init", "init_authentication"),
    ("auth.library.finalize", "finalize_authentication"),
    ("crypto.library.path", "dds_security_crypto"),
    ("crypto.library.init", "init_crypto"),
    ("crypto.library.finalize", "finalize_crypto"),
    ("access.library.path", "dds_security_ac"),
    ("access.library.init", "init_access_control"),
    ("access.library.finalize", "finalize_access_control"),
];

/// QoS of a secured participant; NULL where it is not.
pub fn qos(options: &Options) -> Result<*mut sys::dds_qos_t, String> {
    if options.security.is_empty() {
        return Ok(null_mut());
    }
    let (folder, profile) = (&options.security, &options.security_profile);
    let own = if matches!(options.role, Role::Pong | Role::Sub) { "passive" } else { "active" };
    let documents = [
        ("auth.identity_ca", format!("file:{folder}/ca/identity_ca.pem")),
        ("auth.identity_certificate", format!("file:{folder}/participants/{own}/certificate.pem")),
        ("auth.private_key", format!("file:{folder}/participants/{own}/key.pem")),
        ("access.permissions_ca", format!("file:{folder}/ca/permissions_ca.pem")),
        ("access.governance", format!("file:{folder}/governance/{profile}.p7s")),
        ("access.permissions", format!("file:{folder}/participants/{own}/permissions.p7s")),
    ];
    // SAFETY: nothing is asked of it.
    let qos = unsafe { sys::dds_create_qos() };
    let plugins = PLUGINS.map(|(name, value)| (name, value.to_owned()));
    for (name, value) in plugins.into_iter().chain(documents) {
        let text = |text: String| CString::new(text).map_err(|_| "a zero byte".to_owned());
        let (name, value) = (text(format!("dds.sec.{name}"))?, text(value)?);
        // SAFETY: the object is alive; the library copies the texts.
        unsafe { sys::dds_qset_prop(qos, name.as_ptr(), value.as_ptr()) };
    }
    Ok(qos)
}
