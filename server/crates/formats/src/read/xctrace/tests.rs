use super::*;
use crate::error::ErrorKind;
use crate::read::text_rows::{profile, rows, warnings};
use profile::{AddressBase, StackAccess};

fn read(text: &str) -> Result<Read, ReadError> {
    assert!(is_xctrace(text.as_bytes()));
    crate::input::in_memory(text.as_bytes(), super::read)?
}

/// An export of one table.
fn export(rows: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//table[1]'><schema name=\"time-profile\"><col><name>Time</name>\
         </col></schema>{rows}\n</node></trace-query-result>\n"
    )
}

const FIRST: &str = r#"<row><sample-time id="1" fmt="00:01.000">1000000000</sample-time><thread id="2" fmt="Main Thread  0x14 (My App (2), pid: 7)"><tid id="3" fmt="0x14">20</tid><process id="4" fmt="My App (2) (7)"><pid id="5" fmt="7">7</pid><device-session id="6">TODO</device-session></process></thread><process ref="4"/><core id="7">3</core><thread-state id="8" fmt="Running">Running</thread-state><weight id="9" fmt="1.00 ms">1000000</weight><backtrace id="10"><frame id="11" name="f&lt;int&gt;" addr="0x1005"><binary id="12" name="app" UUID="8f0d2a11-0000-3000-8000-0123456789ab" arch="arm64" load-addr="0x1000" path="/My &amp; App/app"/><source line="7"><path id="13">/src/a &amp; b&#46;c</path></source></frame><frame id="14" name="0x1104" addr="0x1108"><binary ref="12"/></frame><frame id="15" name="main" addr="0x1208"><binary ref="12"/><source line="0"><path id="16">/&lt;compiler-generated&gt;</path></source></frame></backtrace></row>
"#;

#[test]
fn elements_are_defined_once() {
    let text = export(&format!(
        r#"{FIRST}<row><sample-time id="20">1001000000</sample-time><thread ref="2"/><thread-state ref="8"/><weight ref="9"/><backtrace ref="10"/></row>
<row><sample-time id="21">1003000000</sample-time><thread id="22" fmt="(0x15) (My App (2), pid: 7)"><tid id="23">21</tid><process ref="4"/></thread><weight id="24">3000000</weight><backtrace id="25"><frame id="26" name="g" addr="0x1009"><binary ref="12"/><source line="9"><path ref="13"/></source></frame><frame ref="14"/><frame ref="15"/></backtrace></row>
<row><sample-time ref="21"/><thread ref="2"/><weight ref="9"/><sentinel/></row>
"#
    ));
    let read = read(&text).unwrap();
    let expected = "\
7/20: main|app > 0x107|app > f<int>|/src/a & b.c|app:7 1000000
7/20: main|app > 0x107|app > f<int>|/src/a & b.c|app:7 1000000
7/20:  1000000
7/21: main|app > 0x107|app > g|/src/a & b.c|app:9 3000000
";
    assert_eq!(rows(&read), expected);
    assert!(warnings(&read).is_empty());
    assert_eq!((read.truncated, read.span_seconds), (Some(false), Some(0.003)));
    let metric = &read.recording.metrics()[0];
    assert_eq!((&*metric.name, metric.seconds_per_unit), ("time", Some(1e-9)));
    let profile = profile(&read);
    let threads: Vec<_> = profile
        .sampled_threads()
        .map(|(thread, _)| (&*thread.name, &*thread.process_name))
        .collect();
    assert_eq!(threads, [("Main Thread", "My App (2)"), ("", "My App (2)")]);
    let [app] = &*profile.symbols().libs else { panic!("expected one library") };
    assert_eq!(
        (&*app.path, &*app.debug_id, &*app.arch, app.addresses),
        ("/My & App/app", "8F0D2A110000300080000123456789AB0", "arm64", AddressBase::Image)
    );
}

#[test]
fn newer_versions_write_stacks_with_tags() {
    let older = export(FIRST);
    let nested = older
        .replace("<backtrace id=\"10\">", "<tagged-backtrace id=\"30\"><backtrace id=\"10\">")
        .replace("</backtrace>", "</backtrace></tagged-backtrace>");
    let direct = older
        .replace("<backtrace id=\"10\">", "<tagged-backtrace id=\"10\" fmt=\"f &lt;- main\">")
        .replace("</backtrace>", "</tagged-backtrace>");
    let expected = rows(&read(&older).unwrap());
    for (text, id) in [(nested, 30), (direct, 10)] {
        let again = format!(
            "<row><thread ref=\"2\"/><weight ref=\"9\"/><tagged-backtrace ref=\"{id}\"/></row></node>"
        );
        let text = text.replace("</node>", &again);
        assert_eq!(rows(&read(&text).unwrap()), expected.repeat(2), "{text}");
    }
}

#[test]
fn waiting_threads_are_idle() {
    let text = export(&format!(
        r#"{FIRST}<row><thread ref="2"/><thread-state id="30">Blocked</thread-state><weight ref="9"/><backtrace ref="10"/></row>
<row><thread ref="2"/><thread-state ref="30"/><weight ref="9"/><backtrace ref="10"/></row>
"#
    ));
    let read = read(&text).unwrap();
    let profile = profile(&read);
    let (_, samples) = profile.sampled_threads().next().unwrap();
    let idle: Vec<bool> =
        samples.stacks().map(|stack| profile.stacks().is_idle(stack.unwrap())).collect();
    assert_eq!(idle, [false, true, true]);
    let mut lines: Vec<String> = rows(&read).lines().map(str::to_owned).collect();
    lines.dedup();
    assert_eq!(lines.len(), 1, "the same stack: {lines:?}");
}

#[test]
fn weights_may_be_cycles_or_events() {
    for (tag, unit) in [("cycle-weight", "cycles"), ("pmc-event", "events")] {
        let read = read(&export(&FIRST.replace("weight", tag))).unwrap();
        let metric = &read.recording.metrics()[0];
        assert_eq!((&*metric.unit, metric.seconds_per_unit), (unit, None));
        assert!(rows(&read).ends_with(":7 1000000\n"));
    }
}

#[test]
fn of_several_tables_the_first_with_samples_is_shown() {
    let other = "<node xpath='//table[2]'><schema name=\"os-signpost\"/><row><event-time id=\"90\">1</event-time></row></node>";
    let again = "<node xpath='//table[3]'><schema name=\"time-profile\"/><row><thread ref=\"2\"/><weight ref=\"9\"/><backtrace \
                 ref=\"10\"/></row></node>";
    let text = export(FIRST)
        .replacen("<node", &format!("{other}<node"), 1)
        .replace("</trace-query-result>", &format!("{again}</trace-query-result>"));
    let read = read(&text).unwrap();
    assert_eq!(rows(&read).lines().count(), 1);
    assert_eq!(warnings(&read), [(WarningCode::MoreTables, 1)]);
}

#[test]
fn a_cut_export_is_shown() {
    let whole = export(&format!("{FIRST}{FIRST}"));
    let end = whole.rfind("<source").unwrap();
    let cut = read(&whole[..end]).unwrap();
    assert_eq!(rows(&cut).lines().count(), 1);
    assert_eq!((warnings(&cut), cut.truncated), (vec![(WarningCode::Truncated, 1)], None));
    let within_tag = read(&whole[..end + 5]).unwrap();
    assert_eq!(warnings(&within_tag), [(WarningCode::Truncated, 1)]);
    let broken = read(&format!("{}</wrong>", &whole[..end])).unwrap();
    assert_eq!(warnings(&broken), [(WarningCode::Malformed, 1)]);
    let first = whole.find("</row>").unwrap();
    let error = read(&whole[..first]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
}

#[test]
fn a_row_with_an_unknown_reference_is_left_out() {
    let text = export(&format!(
        "{FIRST}<row><thread ref=\"2\"/><weight ref=\"9\"/><backtrace ref=\"99\"/></row>\
         <row><sample-time ref=\"1\"/><weight id=\"40\">much</weight><backtrace ref=\"10\"/></row>"
    ));
    let read = read(&text).unwrap();
    assert_eq!(rows(&read).lines().count(), 1);
    assert_eq!(warnings(&read), [(WarningCode::MalformedSample, 2)]);
}

#[test]
fn tables_without_functions_are_refused() {
    let raw = "<row><sample-time id=\"1\">5</sample-time><kperf-bt id=\"2\"><text-addresses id=\"3\">67 68</text-addresses></kperf-bt></row>";
    let older = "<row><sample-time id=\"1\">5</sample-time><weight id=\"4\">1</weight><backtrace id=\"2\"><text-addresses id=\"3\">67</text-addresses></backtrace></row>";
    for rows in [raw, older, ""] {
        let error = read(&export(rows)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unrecognised);
        assert!(error.message.contains("functions in `time-profile`; export the table"), "{error}");
    }
    for other in ["<?xml version=\"1.0\"?><svg/>", "<trace-query-result>", ""] {
        assert!(!is_xctrace(other.as_bytes()), "{other}");
    }
}
