//! Quality of service: the values of policies, and what is asked for, in C and in Rust.

use std::ffi::{CStr, c_char};

use serde::{Deserialize, Serialize};

use crate::capabilities::bit_names;
use crate::error::{Result, Status};
use crate::strings::read;

bit_names! {
    /// `busmark_qos_value_e`: each value of a policy that can be asked for.
    QosValue: u32 {
        /// Reliability: best effort.
        BestEffort = 1,
        /// Reliability: reliable.
        Reliable = 1 << 1,
        /// History: keep last `depth`.
        KeepLast = 1 << 2,
        /// History: keep all.
        KeepAll = 1 << 3,
        /// Durability: volatile.
        Volatile = 1 << 4,
        /// Durability: transient local.
        TransientLocal = 1 << 5,
        /// Samples expire.
        Lifespan = 1 << 6,
        /// A missed deadline is reported.
        Deadline = 1 << 7,
        /// Delay that may be used for batching.
        LatencyBudget = 1 << 8,
        /// Priority on the wire.
        TransportPriority = 1 << 9,
        /// Partition.
        Partition = 1 << 10,
        /// Exclusive ownership with a strength.
        OwnershipStrength = 1 << 11,
        /// Destination order by source time stamp.
        OrderBySource = 1 << 12,
        /// Bound on stored samples.
        ResourceLimits = 1 << 13,
        /// Minimum separation at the reader.
        TimeBasedFilter = 1 << 14,
        /// Writers show within a lease that they live.
        LivelinessLease = 1 << 15,
    }
}

/// `busmark_qos_t`.
#[repr(C)]
#[allow(missing_docs)]
pub struct QosC {
    pub struct_size: u32,
    pub present: u32,
    pub max_blocking_ns: i64,
    pub lifespan_ns: i64,
    pub deadline_ns: i64,
    pub latency_budget_ns: i64,
    pub time_based_filter_ns: i64,
    pub depth: i32,
    pub transport_priority: i32,
    pub ownership_strength: i32,
    pub max_samples: i32,
    pub partition: *const c_char,
    pub liveliness_lease_ns: i64,
}

/// `Qos`, with the policies that are a number each: a field of both structures, and the value that asks
/// for it.
macro_rules! qos {
    ($($(#[$doc:meta])* $field:ident: $number:ty = $value:ident,)*) => {
        /// `busmark_qos_t`: `None` leaves a policy at the middleware's default (C8).
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Qos {
            /// Reliable or best effort.
            pub reliable: Option<bool>,
            /// How long a reliable write may block.
            pub max_blocking_ns: i64,
            /// Keep all, or keep the last `depth`.
            pub keep_all: Option<bool>,
            /// Depth of keep last, from 1.
            pub depth: i32,
            /// Transient local or volatile.
            pub transient_local: Option<bool>,
            /// Only endpoints of the same partition match.
            pub partition: Option<String>,
            /// Destination order by source time stamp.
            pub order_by_source: bool,
            $($(#[$doc])* pub $field: Option<$number>,)*
        }

        impl Qos {
            /// Asks for this policy with this number alone; `None` where its value is not a number.
            pub fn number(value: QosValue, number: i32) -> Option<Self> {
                match value {
                    $(QosValue::$value => {
                        Some(Self { $field: Some(number.into()), ..Self::default() })
                    })*
                    _ => None,
                }
            }

            /// The values that are asked for.
            pub fn values(&self) -> Vec<QosValue> {
                use QosValue as Q;
                let choice = |v: Option<bool>, yes, no| v.map(|v| if v { yes } else { no });
                [
                    choice(self.reliable, Q::Reliable, Q::BestEffort),
                    choice(self.keep_all, Q::KeepAll, Q::KeepLast),
                    choice(self.transient_local, Q::TransientLocal, Q::Volatile),
                    self.partition.as_ref().map(|_| Q::Partition),
                    self.order_by_source.then_some(Q::OrderBySource),
                    $(self.$field.map(|_| Q::$value),)*
                ]
                .into_iter()
                .flatten()
                .collect()
            }

            /// The C structure; `partition` is the text of `self.partition` and must outlive it.
            pub fn to_c(&self, partition: Option<&CStr>) -> QosC {
                QosC {
                    struct_size: size_of::<QosC>() as u32,
                    present: QosValue::bits(&self.values()),
                    max_blocking_ns: self.max_blocking_ns,
                    depth: self.depth,
                    partition: partition.map_or(std::ptr::null(), CStr::as_ptr),
                    $($field: self.$field.unwrap_or(0),)*
                }
            }

            /// # Safety
            /// `c` follows the contract: `partition` is a valid text when its bit is present.
            pub(crate) unsafe fn from_c(c: &QosC) -> Result<Self> {
                use QosValue as Q;
                Self::check_present(c.present)?;
                let has = |v: Q| c.present & v as u32 != 0;
                let choice = |yes, no| if has(yes) { Some(true) } else { has(no).then_some(false) };
                Ok(Self {
                    reliable: choice(Q::Reliable, Q::BestEffort),
                    max_blocking_ns: c.max_blocking_ns,
                    keep_all: choice(Q::KeepAll, Q::KeepLast),
                    depth: c.depth,
                    transient_local: choice(Q::TransientLocal, Q::Volatile),
                    // SAFETY: the text is valid when its bit is present (contract).
                    partition: has(Q::Partition).then(|| unsafe { read(c.partition) }),
                    order_by_source: has(Q::OrderBySource),
                    $($field: has(Q::$value).then_some(c.$field),)*
                })
            }
        }
    };
}

qos! {
    /// Samples older than this are not delivered.
    lifespan_ns: i64 = Lifespan,
    /// A longer pause is reported as missed.
    deadline_ns: i64 = Deadline,
    /// Delay that the middleware may use.
    latency_budget_ns: i64 = LatencyBudget,
    /// Priority on the wire.
    transport_priority: i32 = TransportPriority,
    /// Exclusive ownership with this strength.
    ownership_strength: i32 = OwnershipStrength,
    /// Bound on stored samples.
    max_samples: i32 = ResourceLimits,
    /// Minimum separation at the reader.
    time_based_filter_ns: i64 = TimeBasedFilter,
    /// A writer that shows no sign of life for longer counts as gone.
    liveliness_lease_ns: i64 = LivelinessLease,
}

impl Qos {
    /// Fails for a value that `honoured` does not hold.
    pub fn require(&self, honoured: &[QosValue]) -> Result<()> {
        for value in self.values() {
            if !honoured.contains(&value) {
                let text = format!("QoS {value:?} is not among the adapter's capabilities");
                return Err(Status::Unsupported.error(text));
            }
        }
        Ok(())
    }

    /// Fails for bits that the contract does not know and for two values of one policy (C4, C8):
    /// neither may be ignored silently.
    fn check_present(present: u32) -> Result<()> {
        use QosValue as Q;
        let unknown = present & !Q::bits(Q::ALL);
        if unknown != 0 {
            return Err(Status::Unsupported.error(format!("unknown QoS bits {unknown:#x}")));
        }
        for pair in [
            [Q::Reliable, Q::BestEffort],
            [Q::KeepAll, Q::KeepLast],
            [Q::TransientLocal, Q::Volatile],
        ] {
            if present & Q::bits(&pair) == Q::bits(&pair) {
                let text = format!("QoS {:?} and {:?} exclude each other", pair[0], pair[1]);
                return Err(Status::Invalid.error(text));
            }
        }
        Ok(())
    }
}
