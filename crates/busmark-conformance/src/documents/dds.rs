//! Governance and permissions of DDS Security 1.1 (9.4.1.2, 9.4.1.3).

/// What a governance document protects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protection {
    access: bool,
    discovery: &'static str,
    liveliness: &'static str,
    rtps: &'static str,
    metadata: &'static str,
    data: &'static str,
}

impl Protection {
    const ACCESS: Self = Self {
        access: true,
        discovery: "NONE",
        liveliness: "NONE",
        rtps: "NONE",
        metadata: "NONE",
        data: "NONE",
    };

    /// Whether nobody else can read a body.
    pub fn encrypts(&self) -> bool {
        [self.rtps, self.metadata, self.data].contains(&"ENCRYPT")
    }

    /// Whether nobody else can read what is said of endpoints. With messages encrypted alone, some
    /// pass before there are keys.
    pub fn hides_discovery(&self) -> bool {
        self.discovery == "ENCRYPT"
    }

    /// Whether permissions say who may write and read a topic.
    pub fn controls_access(&self) -> bool {
        self.access
    }
}

/// What the profile of this name protects; `None`: it is none of DDS Security.
pub(crate) fn protection(profile: &str) -> Option<Protection> {
    let (access, sign, encrypt) = (Protection::ACCESS, "SIGN", "ENCRYPT");
    Some(match profile {
        "authentication" => Protection { access: false, ..access },
        "access_control" => access,
        "discovery" => Protection { discovery: encrypt, ..access },
        "rtps_sign" => Protection { rtps: sign, ..access },
        "rtps_encrypt" => Protection { rtps: encrypt, ..access },
        "data_sign" => Protection { data: sign, ..access },
        "data_encrypt" => Protection { data: encrypt, ..access },
        "metadata_encrypt" => Protection { metadata: encrypt, ..access },
        "all" => Protection {
            access: true,
            discovery: encrypt,
            liveliness: encrypt,
            rtps: encrypt,
            metadata: encrypt,
            data: encrypt,
        },
        _ => return None,
    })
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<dds xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"
  xsi:noNamespaceSchemaLocation=\"http://www.omg.org/spec/DDS-SECURITY/20170901/";

/// What is protected in a domain, the same for all topics.
pub(crate) fn governance(protection: &Protection, domain: u32) -> String {
    let Protection { access, discovery, liveliness, rtps, metadata, data } = *protection;
    let (secret_discovery, secret_liveliness) = (discovery != "NONE", liveliness != "NONE");
    format!(
        "{HEAD}omg_shared_ca_governance.xsd\">
  <domain_access_rules>
    <domain_rule>
      <domains><id>{domain}</id></domains>
      <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
      <enable_join_access_control>{access}</enable_join_access_control>
      <discovery_protection_kind>{discovery}</discovery_protection_kind>
      <liveliness_protection_kind>{liveliness}</liveliness_protection_kind>
      <rtps_protection_kind>{rtps}</rtps_protection_kind>
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
          <enable_discovery_protection>{secret_discovery}</enable_discovery_protection>
          <enable_liveliness_protection>{secret_liveliness}</enable_liveliness_protection>
          <enable_read_access_control>{access}</enable_read_access_control>
          <enable_write_access_control>{access}</enable_write_access_control>
          <metadata_protection_kind>{metadata}</metadata_protection_kind>
          <data_protection_kind>{data}</data_protection_kind>
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"
    )
}

/// What the participant `name` may do: write and read these topics in this domain.
pub(crate) fn permissions(name: &str, domain: u32, topics: &str) -> String {
    format!(
        "{HEAD}omg_shared_ca_permissions.xsd\">
  <permissions>
    <grant name=\"{name}\">
      <subject_name>CN={name}</subject_name>
      <validity>
        <not_before>2020-01-01T00:00:00</not_before>
        <not_after>2049-01-01T00:00:00</not_after>
      </validity>
      <allow_rule>
        <domains><id>{domain}</id></domains>
        <publish><topics><topic>{topics}</topic></topics></publish>
        <subscribe><topics><topic>{topics}</topic></topics></subscribe>
      </allow_rule>
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"
    )
}
