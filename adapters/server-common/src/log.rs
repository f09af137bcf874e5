//! What a server wrote.

use std::fs;
use std::path::Path;

/// As much as fits into an error message beside what failed.
const LAST_BYTES: usize = 300;

/// The last lines of the file, joined by " | "; empty if there are none.
pub(crate) fn last_lines(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = Vec::new();
    let mut left = LAST_BYTES;
    for line in text.lines().rev().map(str::trim).filter(|line| !line.is_empty()) {
        let line: String = line.chars().take(left).collect();
        left = left.saturating_sub(line.len() + 3);
        lines.insert(0, line);
        if left == 0 {
            break;
        }
    }
    lines.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let folder = busmark_adapter::testing::RunDir::new();
        let file = folder.0.join("log");
        assert_eq!(last_lines(&file), "");
        fs::write(&file, "first\n\n  second\n").expect("written");
        assert_eq!(last_lines(&file), "first | second");
        fs::write(&file, format!("{}\nlast\n", "x".repeat(1000))).expect("written");
        let text = last_lines(&file);
        assert!(text.ends_with("x | last") && text.len() <= LAST_BYTES + 3, "{text}");
    }
}
