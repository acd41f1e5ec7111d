//! A server that speaks Pyroscope's API, and a workspace that names it as a source: the recording of the
//! last hour, and an earlier one.

use crate::skip::skip_required;
use crate::stage::{Stage, node};
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The server, until the test ends.
pub struct Fleet {
    server: Child,
    /// The server says more than its port, and must be heard.
    _output: BufReader<ChildStdout>,
}

impl Fleet {
    /// Starts it, with the second recording of the stage as the new one, and adds the source `fleet` to
    /// the workspace. `None` if the packages of `tests/cli/install` are not installed.
    pub fn start(stage: &Stage) -> Option<Self> {
        let oracles = env::var_os("COSTLINE_ORACLES")
            .map_or_else(|| Path::new(REPOSITORY).join("target/oracles"), PathBuf::from);
        let packages = oracles.join("fetch");
        if !packages.is_dir() {
            skip_required("the packages of tests/cli/install are not installed");
            return None;
        }
        let root = stage.beside("gridworld");
        let now = as_pprof(&stage.beside("next.folded"), &stage.beside("now.pb.gz"));
        let before = root.join("profiles/gridworld.folded");
        let before = as_pprof(&before, &stage.beside("before.pb.gz"));
        let mut server = Command::new(node()?)
            .arg(Path::new(REPOSITORY).join("tests/cli/fetch/engines.mjs"))
            .args([packages.as_path(), Path::new("pyroscope"), &now])
            .env("EARLIER", before)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut port).unwrap();
        let source = format!(
            "[sources.fleet]\nkind = \"pyroscope\"\nurl = \"http://127.0.0.1:{}\"\nprofile-type = \"cpu\"\n\
             baseline-since = \"7d\"\n",
            port.trim()
        );
        fs::create_dir_all(root.join(".costline")).unwrap();
        fs::write(root.join(".costline/sources.toml"), source).unwrap();
        Some(Self { server, _output: output })
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn as_pprof(profile: &Path, to: &Path) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_costline"))
        .args([Path::new("export"), profile, Path::new("--to"), Path::new("pprof")])
        .args([Path::new("-o"), to])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    to.to_owned()
}
