//! Functions of a client library.

/// Makes a struct `Api` of C functions that are found at run time: what is missing then has a name and a
/// remedy. After a prefix of all symbols, a line has the field, the symbol and the type.
#[macro_export]
macro_rules! functions {
    ($prefix:literal; $($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions.
        #[allow(missing_docs)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            fn of(library: &Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the type matches the function in the library's header.
                        *unsafe { library.get(concat!($prefix, $symbol).as_bytes()) }?
                    },)*
                })
            }
        }
    };
}
