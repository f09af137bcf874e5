//! Which sequence numbers have been there before.

/// Numbers below the highest that are remembered one by one.
pub const REMEMBERED: i64 = 1024;
const WORDS: usize = (REMEMBERED / 64) as usize;

/// The numbers of one sender, as far back as [`REMEMBERED`]; older ones count as seen.
#[derive(Clone, Debug, Default)]
pub struct Window {
    highest: Option<i64>,
    bits: [u64; WORDS],
}

impl Window {
    /// Whether there was any number but this one.
    pub fn has_another(&self, number: i64) -> bool {
        let bits: u32 = self.bits.iter().map(|word| word.count_ones()).sum();
        self.highest.is_some_and(|highest| highest != number) || bits > 1
    }

    /// Notes a number; says whether it was there before.
    pub fn is_repeated(&mut self, number: i64) -> bool {
        let Some(highest) = self.highest else {
            self.highest = Some(number);
            self.set(number);
            return false;
        };
        if number > highest {
            if number.saturating_sub(highest) >= REMEMBERED {
                self.bits = [0; WORDS];
            } else {
                (highest + 1..number).for_each(|between| self.clear(between));
            }
            self.highest = Some(number);
            self.set(number);
            return false;
        }
        highest.saturating_sub(number) >= REMEMBERED || !self.set(number)
    }

    fn place(number: i64) -> (usize, u64) {
        let bit = number.rem_euclid(REMEMBERED) as usize;
        (bit / 64, 1 << (bit % 64))
    }

    /// Says whether it was not set.
    fn set(&mut self, number: i64) -> bool {
        let (word, bit) = Self::place(number);
        let fresh = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        fresh
    }

    fn clear(&mut self, number: i64) {
        let (word, bit) = Self::place(number);
        self.bits[word] &= !bit;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_says_what_a_set_of_all_numbers_says(steps in prop::collection::vec(-500_i64..800, 1..300)) {
            let (mut window, mut all) = (Window::default(), HashSet::new());
            let (mut number, mut highest) = (0_i64, i64::MIN);
            for step in steps {
                number += step;
                let old = highest.saturating_sub(number) >= REMEMBERED && highest > i64::MIN;
                highest = highest.max(number);
                prop_assert_eq!(window.is_repeated(number), old || all.contains(&number));
                all.insert(number);
            }
        }

        #[test]
        fn no_number_is_too_large(numbers in prop::collection::vec(any::<i64>(), 1..50)) {
            let mut window = Window::default();
            for number in numbers {
                window.is_repeated(number);
                prop_assert!(window.is_repeated(number));
            }
        }
    }
}
