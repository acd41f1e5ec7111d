//! The first line of a sample: `comm pid/tid [cpu] time: period event: rest`.
//!
//! Any field may be missing, columns are padded, and a command may contain text that looks like
//! other fields (`kv worker/0`, `draw: left (2)`). The line is therefore parsed from the time
//! outwards or, without a time, from the event.

use super::frame;

/// The beginning of records that are not samples, in the place of an event.
pub(super) const RECORD: &str = "PERF_RECORD_";

/// A parsed header. Missing texts are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Header<'a> {
    /// The name of the thread.
    pub(super) comm: &'a str,
    pub(super) pid: Option<&'a str>,
    pub(super) tid: Option<&'a str>,
    pub(super) cpu: Option<&'a str>,
    /// In seconds.
    pub(super) time: Option<f64>,
    pub(super) period: Option<f64>,
    /// The event with its modifiers (`cycles:u`).
    pub(super) event: &'a str,
    /// The frame after the event, if no call chains were recorded: its address and the text after
    /// it.
    pub(super) frame: Option<(&'a str, &'a str)>,
}

impl<'a> Header<'a> {
    /// Parses a line of no other kind. Without time and event, it has at most a command and ids.
    pub(super) fn parse(line: &'a str) -> Self {
        match words(line).find_map(|(at, word)| Some((at, word, seconds(word)?))) {
            Some((at, word, time)) => {
                let (before, behind) = line.split_at(at);
                let behind = behind.get(word.len()..).unwrap_or("");
                Self { time: Some(time), ..Self::task(before).with_event(behind) }
            }
            None => match event_without_time(line) {
                Some(at) => {
                    let (task, event) = line.split_at(at);
                    Self::task(task).with_event(event)
                }
                None => Self::task(line),
            },
        }
    }

    /// Whether the line is certainly a header, because it has a time or an event.
    pub(super) fn is_sure(&self) -> bool {
        self.time.is_some() || !self.event.is_empty()
    }

    /// The number of lost samples, if the line has it: `PERF_RECORD_LOST lost 27`.
    pub(super) fn lost(&self) -> Option<u64> {
        self.event.strip_prefix("PERF_RECORD_LOST lost ")?.trim_end().parse().ok()
    }

    /// Parses `comm pid/tid [cpu] flags`.
    fn task(text: &'a str) -> Self {
        let mut rest = text.trim();
        let mut header = Self::default();
        if let Some((before, _)) = last_word(rest)
            .filter(|(_, word)| word.len() <= 3 && word.bytes().all(|b| b.is_ascii_uppercase()))
            && last_word(before).is_some_and(|(_, word)| is_cpu(word) || is_ids(word))
        {
            rest = before;
        }
        if let Some((before, cpu)) = last_word(rest).filter(|(_, word)| is_cpu(word)) {
            (rest, header.cpu) = (before, Some(cpu));
        }
        if let Some((before, ids)) = last_word(rest).filter(|(_, word)| is_ids(word)) {
            rest = before;
            (header.pid, header.tid) =
                ids.split_once('/').map_or((None, Some(ids)), |(pid, tid)| (Some(pid), Some(tid)));
        }
        Self { comm: rest, ..header }
    }

    /// Parses `period event: rest`.
    fn with_event(self, text: &'a str) -> Self {
        let text = text.trim_start();
        if text.starts_with(RECORD) {
            return Self { event: text, ..self };
        }
        let (period, text) = match text.split_once(char::is_whitespace) {
            Some((word, rest)) if is_number(word) => (word.parse().ok(), rest.trim_start()),
            _ if is_number(text) => (text.parse().ok(), ""),
            _ => (None, text),
        };
        let ends = |&at: &usize| {
            text.get(at + 1..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        };
        let end = memchr::memchr_iter(b':', text.as_bytes()).find(ends);
        let (event, rest) = end
            .and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?)))
            .unwrap_or(("", text));
        Self { period, event, frame: frame_behind(rest), ..self }
    }
}

/// The offset of the event, or of the period before it, in a line without time: at the word with a
/// colon after the ids, or at the end.
fn event_without_time(line: &str) -> Option<usize> {
    let words: Vec<_> = words(line).take(64).collect();
    let is_id = |i: usize| words.get(i).is_some_and(|(_, word)| is_ids(word) || is_cpu(word));
    let is_event =
        |i: usize| words.get(i).is_some_and(|(_, word)| word.len() > 1 && word.ends_with(':'));
    let behind_ids = (1..words.len()).find(|&i| is_event(i) && is_id(i - 1));
    let event = behind_ids.or_else(|| words.len().checked_sub(1).filter(|&last| is_event(last)))?;
    // Of two numbers before it, the second one is the period.
    let period = event
        .checked_sub(2)
        .filter(|&ids| is_id(ids) && words.get(event - 1).is_some_and(|(_, word)| is_number(word)));
    words.get(period.map_or(event, |ids| ids + 1)).map(|(at, _)| *at)
}

/// The frame in the rest of a line. Its address is padded to 16 digits, and so are other data around
/// it: addresses of data and weights before it, a physical address behind it. So the frame is the last
/// of them with a text, if any has one.
fn frame_behind(text: &str) -> Option<(&str, &str)> {
    let padded = padded_addresses(text);
    let mut end = text.len();
    for &(at, address) in padded.iter().rev() {
        let behind = without_page_sizes(text.get(at + address.len()..end)?);
        if !behind.is_empty() {
            return Some((address, behind));
        }
        end = at;
    }
    padded.last().map(|&(_, address)| (address, ""))
}

/// The padded addresses in a text and their offsets.
fn padded_addresses(text: &str) -> Vec<(usize, &str)> {
    let mut end = 0;
    let mut found = Vec::new();
    for (at, word) in words(text) {
        if at - end + word.len() >= frame::ADDRESS_WIDTH && frame::is_address(word) {
            found.push((at, word));
        }
        end = at + word.len();
    }
    found
}

/// The text without the sizes of pages at its end.
fn without_page_sizes(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((before, word)) = last_word(rest)
        && is_page_size(word)
    {
        rest = before;
    }
    rest
}

/// Whether a word is the size of a page: `4K`, or `N/A` if it is unknown.
pub(super) fn is_page_size(word: &str) -> bool {
    word == "N/A" || word.strip_suffix(['B', 'K', 'M', 'G']).is_some_and(is_number)
}

/// The words of a text and their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}

/// The text before the last word, and the word.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, word) = text.split_at_checked(at)?;
    (!word.is_empty()).then(|| (before.trim_end(), word))
}

/// Parses `6968.075670:`.
fn seconds(word: &str) -> Option<f64> {
    let number = word.strip_suffix(':')?;
    let (whole, fraction) = number.split_once('.')?;
    (is_number(whole) && fraction.len() >= 3 && is_number(fraction)).then(|| number.parse().ok())?
}

/// Whether a word is `[001]`.
fn is_cpu(word: &str) -> bool {
    word.strip_prefix('[').and_then(|word| word.strip_suffix(']')).is_some_and(is_number)
}

/// Whether a word is `20580` or `20580/20583`; -1 if the thread is unknown.
fn is_ids(word: &str) -> bool {
    let (pid, tid) = word.split_once('/').unwrap_or((word, word));
    [pid, tid].iter().all(|id| is_number(id.strip_prefix('-').unwrap_or(id)))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `comm|pid/tid|cpu|time|period|event|frame`
    fn show(line: &str) -> String {
        let Header { comm, pid, tid, cpu, time, period, event, frame } = Header::parse(line);
        let ids = format!("{}/{}", pid.unwrap_or("-"), tid.unwrap_or("-"));
        let number =
            |number: Option<f64>| number.map_or("-".to_owned(), |number| number.to_string());
        let frame = frame.map_or("-".to_owned(), |(address, text)| format!("{address} {text}"));
        format!(
            "{comm}|{ids}|{}|{}|{}|{event}|{frame}",
            cpu.unwrap_or("-"),
            number(time),
            number(period)
        )
    }

    #[test]
    fn fields_are_found_whatever_is_missing() {
        let cases = [
            (
                "raytrace 19791  6968.075670:    3344481 cpu-clock: ",
                "raytrace|-/19791|-|6968.07567|3344481|cpu-clock|-",
            ),
            (
                "kv worker/0  123/124  [001]  1.500000:  7 cycles:u: ",
                "kv worker/0|123/124|[001]|1.5|7|cycles:u|-",
            ),
            (
                "draw: left (2) 20580/20583  2047.105002:    5025125   cpu-clock: ",
                "draw: left (2)|20580/20583|-|2047.105002|5025125|cpu-clock|-",
            ),
            (
                ":1234  1234 1.000001: 1 cpu-clock:pppH:",
                ":1234|-/1234|-|1.000001|1|cpu-clock:pppH|-",
            ),
            ("Web Content 7/9 1.000001234: cycles: ", "Web Content|7/9|-|1.000001234|-|cycles|-"),
            (":-1    -1 [000] 1.000001: 1 cycles:", ":-1|-/-1|[000]|1.000001|1|cycles|-"),
            (
                "rustc 22710 [001] U      2104.872862:     250000 cpu-clock:uppp: ",
                "rustc|-/22710|[001]|2104.872862|250000|cpu-clock:uppp|-",
            ),
            (
                "THREAD 22 1.000001: 1 cpu/event=0x3c,umask=1/u: ",
                "THREAD|-/22|-|1.000001|1|cpu/event=0x3c,umask=1/u|-",
            ),
            // Selections of fields.
            ("20583  2047.105002:   cpu-clock: ", "|-/20583|-|2047.105002|-|cpu-clock|-"),
            ("gallery  2047.099798:          1 ", "gallery|-/-|-|2047.099798|1||-"),
            ("draw: left (2) 20583   cpu-clock: ", "draw: left (2)|-/20583|-|-|-|cpu-clock|-"),
            (
                "draw: left (2) 20583 [000]  99 cycles:k: ",
                "draw: left (2)|-/20583|[000]|-|99|cycles:k|-",
            ),
            ("draw: left (2)   cpu-clock: ", "draw: left (2)|-/-|-|-|-|cpu-clock|-"),
            ("draw: left (2) 20580 ", "draw: left (2)|-/20580|-|-|-||-"),
            ("gallery ", "gallery|-/-|-|-|-||-"),
            // Text after the event.
            (
                "  gallery 22759 [000]  2103.166947: sched:sched_switch: prev_comm=a b: prev_pid=2 ==> next_comm=x",
                "gallery|-/22759|[000]|2103.166947|-|sched:sched_switch|-",
            ),
            (
                "         gallery 20580  2047.098792:          1 page-faults:  ffffffff8175336a elf_load+0x28a ([kernel.kallsyms])",
                "gallery|-/20580|-|2047.098792|1|page-faults|ffffffff8175336a elf_load+0x28a ([kernel.kallsyms])",
            ),
            (
                "gallery 20580 cycles:      7fc7bec94b70 _start+0x0 (/lib/ld.so)",
                "gallery|-/20580|-|-|-|cycles|7fc7bec94b70 _start+0x0 (/lib/ld.so)",
            ),
            (
                "app 1 1.000001: 1 mem-loads:     556f0874c050 data+0x0 (/srv/app)     556f08749591 f+0x91 (/srv/app)",
                "app|-/1|-|1.000001|1|mem-loads|556f08749591 f+0x91 (/srv/app)",
            ),
            (
                "t 7 1.000001: 1 x:      55a1442a613a leaf+0x11 (/srv/t)               0 N/A 4K",
                "t|-/7|-|1.000001|1|x|55a1442a613a leaf+0x11 (/srv/t)",
            ),
            // Without symbols.
            (
                "t 7 1.000001: 1 x:                0     55a1442a613a",
                "t|-/7|-|1.000001|1|x|55a1442a613a ",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(show(line), expected, "{line}");
        }
    }

    #[test]
    fn only_times_and_events_make_a_header_sure() {
        for line in ["gallery", "gallery 20580", "what is this", "a: b"] {
            assert!(!Header::parse(line).is_sure(), "{line}");
        }
        assert!(Header::parse("gallery 1 cycles:").is_sure());
    }
}
