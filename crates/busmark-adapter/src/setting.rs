//! The value of an option, read as what it must be. A refusal names the option, the value and what is
//! expected.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::error::{Error, Result, Status};

/// An option and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a> {
    /// The option.
    pub key: &'a str,
    /// Its value, as set or by default.
    pub text: &'a str,
}

impl<'a> Setting<'a> {
    /// `None` where the value is empty, which leaves the choice to the profile or the library; else what
    /// `read` makes of it.
    pub fn optional<T>(self, read: impl FnOnce(Self) -> Result<T>) -> Result<Option<T>> {
        if self.text.is_empty() { Ok(None) } else { read(self).map(Some) }
    }

    /// "true" or "false".
    pub fn flag(self) -> Result<bool> {
        self.choice(&[("true", true), ("false", false)])
    }

    /// What stands beside the word that the value is.
    pub fn choice<T: Copy>(self, words: &[(&str, T)]) -> Result<T> {
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == self.text) {
            return Ok(*meaning);
        }
        let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        Err(self.invalid(&match known[..] {
            [one, other] => format!("is neither {one} nor {other}"),
            _ => format!("is none of {}", known.join(", ")),
        }))
    }

    /// A number of this type.
    pub fn number<T: FromStr>(self) -> Result<T> {
        self.text.parse().map_err(|_| self.no_number("is out of range"))
    }

    /// A number from the first to the last of `range`.
    pub fn within<T>(self, range: RangeInclusive<T>) -> Result<T>
    where
        T: FromStr + PartialOrd + Display,
    {
        let outside = format!("is not within {} to {}", range.start(), range.end());
        match self.text.parse() {
            Ok(value) if range.contains(&value) => Ok(value),
            Ok(_) => Err(self.invalid(&outside)),
            Err(_) => Err(self.no_number(&outside)),
        }
    }

    /// Why the value is not a number of some type; `outside`: it is a number of a larger type.
    fn no_number(self, outside: &str) -> Error {
        self.invalid(if self.text.parse::<i128>().is_ok() {
            outside
        } else if self.text.parse::<f64>().is_ok() {
            "is not a whole number"
        } else {
            "is not a number"
        })
    }

    /// The size of a socket's buffer, within `range`, for libraries that ask the kernel and do not look at
    /// what it granted: more than its limit in `net.core` (`rmem_max` or `wmem_max`) is an
    /// error.
    pub fn buffer<T>(self, range: RangeInclusive<T>, limit: &str) -> Result<T>
    where
        T: FromStr + PartialOrd + Display + Copy + TryInto<u64>,
    {
        let bytes = self.within(range)?;
        let granted = std::fs::read_to_string(format!("/proc/sys/net/core/{limit}"));
        let granted = granted.ok().and_then(|text| text.trim().parse().ok());
        match (bytes.try_into(), granted) {
            (Ok(asked), Some(granted)) if asked > granted => {
                Err(not_granted(self.key, asked, granted, limit))
            }
            _ => Ok(bytes),
        }
    }

    /// The user's own configuration of a library, for the option `config`: "" is none, "env" what
    /// `variable` of the environment says, anything else the path of a file.
    pub fn config(self, variable: &str) -> Result<Option<String>> {
        match self.text {
            "" => Ok(None),
            "env" => match std::env::var(variable) {
                Ok(value) if !value.trim().is_empty() => Ok(Some(value)),
                _ => Err(self.invalid(&format!("takes what {variable} says, which is not set"))),
            },
            path => Ok(Some(path.to_owned())),
        }
    }

    /// The parts of a list that is separated by commas.
    pub fn list(self) -> impl Iterator<Item = &'a str> {
        self.text.split(',').map(str::trim).filter(|part| !part.is_empty())
    }

    /// An error that says why the value is refused.
    pub fn invalid(self, why: &str) -> Error {
        Status::Invalid.error(format!("option {}: {:?} {why}", self.key, self.text))
    }
}

/// The kernel gives a socket a smaller buffer than the option `key` asks for: `limit` is `rmem_max` or
/// `wmem_max`.
pub fn not_granted(key: &str, asked: u64, granted: u64, limit: &str) -> Error {
    Status::Resources.error(format!(
        "{key} = {asked}: the kernel grants {granted} bytes only; raise its limit with `sysctl -w \
         net.core.{limit}={asked}` or ask for less"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Setting<'_> {
        Setting { key: "key", text }
    }

    fn refusal<T: std::fmt::Debug>(result: Result<T>) -> String {
        let error = result.expect_err("refused");
        assert_eq!(error.status, Status::Invalid);
        error.message
    }

    #[test]
    fn the_users_configuration_is_none_a_path_or_what_a_variable_says() {
        assert_eq!(value("").config("BUSMARK_NOT_SET"), Ok(None));
        assert_eq!(value("/a/b.xml").config("BUSMARK_NOT_SET"), Ok(Some("/a/b.xml".to_owned())));
        assert!(refusal(value("env").config("BUSMARK_NOT_SET")).contains("BUSMARK_NOT_SET"));
        assert!(value("env").config("PATH").is_ok_and(|path| path.is_some()));
    }

    #[test]
    fn an_empty_value_leaves_the_choice_open() {
        assert_eq!(value("").optional(Setting::flag), Ok(None));
        assert_eq!(value("true").optional(Setting::flag), Ok(Some(true)));
        assert!(value("yes").optional(Setting::flag).is_err());
    }

    #[test]
    fn a_word_means_what_stands_beside_it() {
        let words = [("a", 1), ("b", 2), ("c", 3)];
        assert_eq!(value("b").choice(&words), Ok(2));
        assert_eq!(refusal(value("d").choice(&words)), "option key: \"d\" is none of a, b, c");
        let text = "option key: \"\" is neither true nor false";
        assert_eq!(refusal(value("").flag()), text);
    }

    #[test]
    fn a_number_keeps_within_its_range() {
        assert_eq!([value("1").within(1..=3), value("3").within(1..=3)], [Ok(1), Ok(3)]);
        for (text, why) in [
            ("0", "is not within 1 to 3"),
            ("4", "is not within 1 to 3"),
            ("256", "is not within 1 to 3"),
            ("1.5", "is not a whole number"),
            ("much", "is not a number"),
        ] {
            let expected = format!("option key: {text:?} {why}");
            assert_eq!(refusal(value(text).within(1..=3_u8)), expected);
        }
        assert_eq!(refusal(value("256").number::<u8>()), "option key: \"256\" is out of range");
        assert_eq!(value("0.5").within(0.0..=1.0), Ok(0.5));
    }

    #[test]
    fn a_buffer_is_no_larger_than_the_kernel_grants() {
        let granted = std::fs::read_to_string("/proc/sys/net/core/rmem_max").expect("Linux");
        let granted: u64 = granted.trim().parse().expect("a number");
        let buffer = |bytes: u64| value(&bytes.to_string()).buffer(0..=u64::MAX, "rmem_max");
        assert_eq!(buffer(granted), Ok(granted));
        let error = buffer(granted + 1).expect_err("too much");
        let remedy = format!("`sysctl -w net.core.rmem_max={}`", granted + 1);
        assert!(error.status == Status::Resources && error.message.contains(&remedy), "{error}");
        assert_eq!(value("-1").buffer(-1..=i32::MAX, "rmem_max"), Ok(-1));
    }

    #[test]
    fn a_list_is_separated_by_commas() {
        assert_eq!(value("a, b,,c ").list().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(value("").list().count(), 0);
    }
}
