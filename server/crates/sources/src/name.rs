//! Parses file names as profilers spell them: the kind of name, and the components that count.
//!
//! Purely lexical. `map` decides which file a name means. A backslash is always a separator, so a
//! POSIX file with a backslash in its name is not found.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A parsed name of a profile.
#[derive(Debug, PartialEq)]
pub(crate) struct Name {
    pub form: Form,
    /// The anchor (`/`, `./`, `http://`, `cargo:`, or nothing) and the components, joined by `/`,
    /// without `.` and `..`. Rules are matched against this.
    pub text: String,
    /// The offset in `text` of the components that must be the end of a file's path: after the
    /// host, the bundler, the package registry or the place where libraries are installed.
    tail: usize,
    /// The [`key`] of these components.
    pub key: String,
    /// Whether it is an absolute path of Windows: `C:\x`, `\\server\share\x`.
    pub is_windows: bool,
}

/// The kind of a name. It decides how the name may be matched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// A path from the root of a file system.
    Absolute,
    /// A path whose components all count: relative paths, paths in URLs and of bundlers, Bazel's
    /// `/proc/self/cwd`.
    Relative,
    /// `../x`, `x/../y`, and `./x.c`: relative to an unknown build folder, as in libc. `./x.lua` is
    /// [`Form::Relative`]: interpreters name scripts as they were given.
    Dotted,
    /// `git:` and `hg:` names; contains host and path of the repository.
    Repository(String),
    /// Files of packages, toolchains and system libraries.
    Library,
    /// A name with an unknown scheme; contains the scheme.
    Scheme(String),
    /// Not a file: `<frozen os>`, `(unknown)`, `~`.
    NoFile,
}

impl Name {
    /// Never fails: unknown names are [`Form::Scheme`] or [`Form::NoFile`].
    pub fn parse(name: &str) -> Name {
        let name = name.trim();
        if is_no_file(name) {
            return Name::bare(Form::NoFile, name);
        }
        let Some((scheme, rest)) = split_scheme(name) else {
            return Name::path(name);
        };
        match scheme {
            "file" => Name::path(&decoded(&file_path(rest))),
            "http" | "https" | "webpack" | "webpack-internal" | "turbopack" | "parcel" | "app"
            | "capacitor" => Name::url(scheme, rest),
            // vscode-remote://wsl+ubuntu/home/u/app/a.js: a path on the remote machine.
            "vscode-remote" => {
                let path =
                    rest.trim_start_matches('/').split_once('/').map_or("", |(_, path)| path);
                Name::path(&decoded(&format!("/{path}")))
            }
            "git" | "hg" => Name::repository(scheme, rest),
            "node" | "gem" => Name::package(scheme, rest, 0),
            "cargo" | "rubylib" => Name::package(scheme, rest, 1),
            "s3" => Name::package(scheme, rest, 2),
            _ => Name::bare(Form::Scheme(scheme.to_owned()), name),
        }
    }

    /// Whether it is like `\\server\share\x`, also as the URL `file://server/share/x`.
    pub fn is_of_other_machine(&self) -> bool {
        self.is_windows && self.text.starts_with('/')
    }

    /// The components that must all be the end of a file's path, joined by `/`.
    pub fn tail(&self) -> &str {
        self.text.get(self.tail..).unwrap_or_default()
    }

    /// Splits the text before its last `n` components.
    pub fn split_last(&self, n: usize) -> (&str, &str) {
        let slash = self.text.rmatch_indices('/').nth(n.saturating_sub(1));
        slash.map_or(("", &self.text), |(at, _)| (&self.text[..at], &self.text[at + 1..]))
    }

    fn bare(form: Form, text: &str) -> Name {
        let (text, tail) = (text.to_owned(), text.len());
        Name { form, text, tail, key: String::new(), is_windows: false }
    }

    /// `anchor` + `head` + `tail`. `head` counts only for rules.
    fn new(form: Form, anchor: &str, head: &[&str], tail: &[&str]) -> Name {
        let mut text = anchor.to_owned();
        for component in head {
            text.push_str(component);
            text.push('/');
        }
        let start = text.len();
        let tail = tail.join("/");
        text.push_str(&tail);
        if tail.is_empty() && !head.is_empty() {
            text.pop();
        }
        Name { form, tail: start.min(text.len()), text, key: key(&tail), is_windows: false }
    }

    fn path(path: &str) -> Name {
        if let Some(path) = path.strip_prefix("/proc/self/cwd/") {
            return Name::new(Form::Relative, "", &[], &normal(path));
        }
        let mut components = normal(path);
        let drive = components
            .first()
            .filter(|first| is_drive(first))
            .map(|drive| drive.to_ascii_uppercase());
        if let (Some(drive), Some(first)) = (&drive, components.first_mut()) {
            *first = drive;
        }
        let has_drive = drive.is_some();
        let is_absolute = has_drive || path.starts_with(SEPARATORS);
        let skip = library_tail(&components, is_absolute);
        let build = skip.is_none().then(|| build_tail(&components)).flatten();
        let (head, tail) = components.split_at(skip.or(build).unwrap_or(0));
        let starts_here = path.split(SEPARATORS).next() == Some(".");
        let has_parent = path.split(SEPARATORS).any(|component| component == "..");
        let is_dotted = has_parent || starts_here;
        let anchor = match () {
            () if has_drive => "",
            () if is_absolute => "/",
            () if is_dotted => "./",
            () => "",
        };
        let form = match () {
            () if skip.is_some() => Form::Library,
            () if build.is_some() => Form::Relative,
            () if is_absolute => Form::Absolute,
            () if has_parent || starts_here && is_compiled_c(path) => Form::Dotted,
            () => Form::Relative,
        };
        let is_windows = has_drive || path.starts_with(r"\\");
        Name { is_windows, ..Name::new(form, anchor, head, tail) }
    }

    /// Parses `//authority/path?query#fragment`. The authority is a host or a bundler's project,
    /// and often empty.
    fn url(scheme: &str, rest: &str) -> Name {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = decoded(path);
        // Vite serves files outside of its root by their paths: http://localhost:5173/@fs/srv/a.js
        let served =
            path.split_once("@fs/").filter(|(base, _)| base.is_empty() || base.ends_with('/'));
        if let Some((_, path)) = served {
            return Name::path(&format!("/{path}"));
        }
        // Next.js adds the layer: webpack-internal:///(rsc)/./app/page.tsx
        let layered = path.split_once(")/./").filter(|(layer, _)| layer.starts_with('('));
        let mut components = normal(layered.map_or(&path, |(_, path)| path));
        // Turbopack: turbopack:///[project]/app/page.tsx
        if components.first() == Some(&"[project]") {
            components.remove(0);
        }
        if components.first().is_some_and(|first| is_drive(first)) {
            return Name::path(&path);
        }
        let anchor = format!("{scheme}://{authority}/");
        match library_tail(&components, false) {
            Some(skip) => {
                Name::new(Form::Library, &anchor, &components[..skip], &components[skip..])
            }
            None => Name::new(Form::Relative, &anchor, &[], &components),
        }
    }

    /// Parses `HOST/ORG/REPO:PATH:REVISION`.
    fn repository(scheme: &str, rest: &str) -> Name {
        let (repo, path) = rest.split_once(':').unwrap_or((rest, ""));
        let path = path.rsplit_once(':').map_or(path, |(path, _revision)| path);
        // In old standard libraries of Rust the path is ../REVISION//library/core/src/lib.rs
        let path = path
            .strip_prefix("../")
            .and_then(|path| path.split_once("//"))
            .map_or(path, |(_revision, path)| path);
        let repo = normal(repo);
        let form = Form::Repository(repo.join("/"));
        Name::new(form, &format!("{scheme}:"), &repo, &normal(path))
    }

    /// Parses fields separated by `:`. The first `skip` components say where the package is from.
    fn package(scheme: &str, rest: &str, skip: usize) -> Name {
        let rest = rest.replace(':', "/");
        let components = normal(&rest);
        let (head, tail) = components.split_at(skip.min(components.len()));
        Name::new(Form::Library, &format!("{scheme}:"), head, tail)
    }
}

/// The version in a name like `git:host/repository:path:version`: a commit or a tag.
pub fn git_version(name: &str) -> Option<&str> {
    let (_, path) = name.trim().strip_prefix("git:")?.split_once(':')?;
    let (_, version) = path.rsplit_once(':')?;
    Some(version).filter(|version| !version.is_empty())
}

/// A name without the version in `git:host/repository:path:version` and the like: it would stand
/// where the line is expected.
pub fn without_version(name: &str) -> &str {
    let is_versioned = ["git:", "hg:", "s3:"].iter().any(|scheme| name.starts_with(scheme));
    match name.rsplit_once(':') {
        Some((rest, _)) if is_versioned && rest.matches(':').count() == 2 => rest,
        _ => name,
    }
}

/// The components of a path from the last to the first, each followed by `/`. A common end of two
/// paths is a common prefix of their keys. On file systems that ignore case, keys are in lower case
/// (ASCII only, which keeps lengths).
pub(crate) fn key(path: &str) -> String {
    let mut key = String::with_capacity(path.len() + 1);
    for component in path.rsplit('/').filter(|component| !component.is_empty()) {
        key.push_str(component);
        key.push('/');
    }
    if IGNORES_CASE {
        key.make_ascii_lowercase();
    }
    key
}

/// The rest of `text` below `prefix`, by whole components. Both in the form of [`Name::text`].
pub(crate) fn rest_below<'t>(text: &'t str, prefix: &str, ignores_case: bool) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    let is_same = if ignores_case { head.eq_ignore_ascii_case(prefix) } else { head == prefix };
    let is_whole = rest.is_empty() || rest.starts_with('/') || prefix.ends_with(['/', ':']);
    (is_same && is_whole).then_some(rest)
}

/// Whether the file systems of this platform usually ignore case.
pub(crate) const IGNORES_CASE: bool = cfg!(any(windows, target_os = "macos"));

pub(crate) const SEPARATORS: [char; 2] = ['/', '\\'];

/// The components without empty ones, `.` and `..`. A drive replaces everything before it, because
/// build systems prepend folders to it.
pub(crate) fn normal(path: &str) -> Vec<&str> {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split(SEPARATORS) {
        match component {
            "" | "." => {}
            ".." => {
                components.pop_if(|last| !is_drive(last));
            }
            _ => {
                if is_drive(component) {
                    components.clear();
                }
                components.push(component);
            }
        }
    }
    components
}

/// Whether the path of a URL has more `..` than folders before them.
pub(crate) fn leads_out_of_bundle(name: &str) -> bool {
    let Some((_, rest)) = split_scheme(name) else { return false };
    let path = rest.strip_prefix("//").and_then(|rest| Some(rest.split_once('/')?.1));
    let mut depth = 0_u32;
    path.unwrap_or(rest).split(SEPARATORS).any(|component| match component {
        "" | "." => false,
        ".." => match depth.checked_sub(1) {
            Some(above) => {
                depth = above;
                false
            }
            None => true,
        },
        _ => {
            depth += 1;
            false
        }
    })
}

/// Whether a path names a file of another machine (`\\server\share\x`) or a device (`\\.\x`) on
/// Windows. Even asking whether such a file exists sends the user's name and a hash of the password
/// to that machine. Elsewhere, `//x` is `/x`.
pub fn is_network_path(path: &str) -> bool {
    let is_separator = |c: char| c == '\\' || (cfg!(windows) && c == '/');
    let is_local = |rest: &str| rest.split(SEPARATORS).next().is_some_and(is_drive);
    match path.strip_prefix(r"\\?\") {
        Some(rest) => !is_local(rest),
        None => path.chars().take(2).filter(|&c| is_separator(c)).count() == 2,
    }
}

pub(crate) fn is_drive(component: &str) -> bool {
    matches!(component.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

fn is_no_file(name: &str) -> bool {
    let enclosed = |open, close| name.starts_with(open) && name.ends_with(close);
    // Firefox: built-in functions of JavaScript that are written in JavaScript.
    matches!(name, "" | "~" | "-" | "???" | "self-hosted")
        || name.ends_with('>')
        || enclosed('[', ']')
        || enclosed('(', ')')
        || name.starts_with("(eval ")
}

/// Splits off a scheme. It has at least two characters, otherwise it is a drive letter.
pub(crate) fn split_scheme(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then_some((scheme, rest))
}

/// The path of a `file:` URL, still encoded. With a host, it is a file of another machine, as in
/// `\\server\share\x`.
pub(crate) fn file_path(rest: &str) -> Cow<'_, str> {
    let Some(rest) = rest.strip_prefix("//") else { return rest.into() };
    let (host, _) = rest.split_once('/').unwrap_or_default();
    match host {
        "localhost" => rest[host.len()..].into(),
        // Not hosts: file:///x, file://./x, file://C:/x
        _ if host.is_empty() || host.starts_with('.') || is_drive(host) => rest.into(),
        _ => format!(r"\\{rest}").into(),
    }
}

/// Removes query and fragment, and decodes percent-encoding.
fn decoded(path: &str) -> Cow<'_, str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    percent_decode_str(path).decode_utf8_lossy()
}

/// The number of components before the part that names a file inside a library; `None` if the path
/// is not one of a library. The innermost marker decides.
fn library_tail(components: &[&str], is_absolute: bool) -> Option<usize> {
    let after_marker = |at: usize| match components.get(at..)? {
        ["site-packages" | "dist-packages" | "node_modules" | ".cargo" | ".rustup", _, ..] => {
            Some(at + 1)
        }
        ["lib" | "lib64", python, _, ..] if is_versioned(python, "python") => Some(at + 2),
        ["registry", "src", index, _, ..] if is_registry(index) => Some(at + 3),
        ["rustlib", "src", "rust", _, ..] => Some(at + 3),
        [package, _, ..] if package.starts_with("glibc-") => Some(at + 1),
        // Bazel's other repositories, in the folder of a build and in that of all builds.
        ["execroot", _, "external", _, _, ..] => Some(at + 3),
        [user, _, "external", _, _, ..] if user.starts_with("_bazel_") => Some(at + 3),
        [tree, repository, _, ..] if is_runfiles(tree) && repository.contains(['~', '+']) => {
            Some(at + 2)
        }
        // Go's module cache, also with -trimpath: golang.org/x/text@v0.3.0/unicode/norm/forminfo.go
        [module, _, ..] if module.split_once('@').is_some_and(|(_, v)| is_versioned(v, "v")) => {
            Some(at)
        }
        _ => None,
    };
    let after_install_folder = || match components {
        ["rustc", _, _, ..] | ["rust", "deps", _, ..] => Some(2),
        ["nix", "store", _, _, ..] => Some(3),
        // Images keep the application there: the official ones of Node.js, Python and Ruby use
        // /usr/src/app. Distributions have the sources of packages in /usr/src/debug, which may be open.
        ["usr", "src" | "local", "app", _, ..] | ["usr", "src", "debug", _, _, ..] => None,
        ["usr", _, ..] => Some(1),
        _ => None,
    };
    let innermost = (0..components.len()).rev().find_map(after_marker);
    innermost.or_else(|| after_install_folder().filter(|_| is_absolute))
}

/// Whether a compiler of C, C++ or assembly reads the file.
fn is_compiled_c(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| {
        ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "inc", "s"].contains(&extension.as_str())
    })
}

/// The number of components before the path in the workspace of a build system:
/// `…/execroot/_main/lib/words.cc` and `…/app.runfiles/_main/lib/words.py` of Bazel,
/// `…/__words__/srcs/lib/words.cc` of Buck. `None` for a base name alone, which many folders may have.
fn build_tail(components: &[&str]) -> Option<usize> {
    let is_target = |name: &str| name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    let at = components.windows(2).rposition(|pair| {
        pair[0] == "execroot" || is_runfiles(pair[0]) || is_target(pair[0]) && pair[1] == "srcs"
    })?;
    components.get(at + 3).map(|_| at + 2)
}

/// The folder of the files that a program of Bazel runs with.
fn is_runfiles(component: &str) -> bool {
    component.strip_suffix(".runfiles").is_some_and(|program| !program.is_empty())
}

/// `python3.11` for `python`, `v0.3.0` for `v`.
fn is_versioned(text: &str, word: &str) -> bool {
    let version = text.strip_prefix(word);
    version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// Splits `serde-1.0.0` at the first dash before a digit.
pub(crate) fn split_version(folder: &str) -> Option<(&str, &str)> {
    let is_version = |at: &usize| folder.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
    let dash = folder.match_indices('-').map(|(at, _)| at).find(is_version)?;
    Some((folder.get(..dash)?, folder.get(dash + 1..)?))
}

/// `index.crates.io-6f17d22bba15001f`: cargo ends a registry's folder with a hash.
pub(crate) fn is_registry(folder: &str) -> bool {
    let hash = folder.rsplit_once('-').map_or("", |(_, hash)| hash);
    hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `form text | tail`
    fn render(name: &str) -> String {
        let name = Name::parse(name);
        format!("{:?} {} | {}", name.form, name.text, name.tail())
    }

    #[test]
    fn tells_paths_of_other_machines() {
        for network in [r"\\server\share\x", r"\\?\UNC\server\x", r"\\.\pipe\x"] {
            assert!(is_network_path(network), "{network}");
        }
        for local in [r"C:\b\x", r"\\?\C:\b\x", "/srv/x", r"\b\x", "b//x", "/", ""] {
            assert!(!is_network_path(local), "{local}");
        }
        for either in ["//server/x", r"\/server/x"] {
            assert_eq!(is_network_path(either), cfg!(windows), "{either}");
        }
    }

    #[test]
    fn tells_names_of_other_machines() {
        for other in [r"\\server\share\x", "file://server/share/x", r"\\?\UNC\server\x"] {
            assert!(Name::parse(other).is_of_other_machine(), "{other}");
        }
        for local in [r"C:\b\x", "file:///C:/x", r"\\?\C:\b\x", "/srv/x", "file:///srv/x"] {
            assert!(!Name::parse(local).is_of_other_machine(), "{local}");
        }
    }

    #[test]
    fn versions_of_repositories_are_not_shown() {
        for (name, shown) in [
            (
                "git:github.com/rust-lang/rust:library/core/src/str.rs:5980",
                "git:github.com/rust-lang/rust:library/core/src/str.rs",
            ),
            (
                "hg:hg.mozilla.org/mozilla-central:a/b.cpp:997f",
                "hg:hg.mozilla.org/mozilla-central:a/b.cpp",
            ),
            (
                "s3:gecko-generated-sources:a5d3747707/x.h:",
                "s3:gecko-generated-sources:a5d3747707/x.h",
            ),
            ("git:github.com/a/b:x.c", "git:github.com/a/b:x.c"),
            ("C:/a/git:b:c.c", "C:/a/git:b:c.c"),
            ("http://localhost:8080/a.js", "http://localhost:8080/a.js"),
        ] {
            assert_eq!(without_version(name), shown);
        }
    }

    #[test]
    fn parses_all_spellings() {
        let table = [
            ("/srv/a b/x.c", "Absolute /srv/a b/x.c | srv/a b/x.c"),
            ("/srv/build/../src/./x.c", "Absolute /srv/src/x.c | srv/src/x.c"),
            ("/../x.c", "Absolute /x.c | x.c"),
            ("/usr/src/app/a.py", "Absolute /usr/src/app/a.py | usr/src/app/a.py"),
            (
                "/usr/src/debug/jq-1.7/src/main.c",
                "Absolute /usr/src/debug/jq-1.7/src/main.c | usr/src/debug/jq-1.7/src/main.c",
            ),
            ("/usr/local/app/a/b.py", "Absolute /usr/local/app/a/b.py | usr/local/app/a/b.py"),
            (r"C:\b\x\src\a.c", "Absolute C:/b/x/src/a.c | C:/b/x/src/a.c"),
            (r"c:\a.c", "Absolute C:/a.c | C:/a.c"),
            (r"C:\..\a.c", "Absolute C:/a.c | C:/a.c"),
            (r"/ci/D:/w\a.c", "Absolute D:/w/a.c | D:/w/a.c"),
            (r"\\host\share\a.c", "Absolute /host/share/a.c | host/share/a.c"),
            (r"src\a.c", "Relative src/a.c | src/a.c"),
            ("feed.py", "Relative feed.py | feed.py"),
            ("[id]/page.tsx", "Relative [id]/page.tsx | [id]/page.tsx"),
            ("runtime/map.go", "Relative runtime/map.go | runtime/map.go"),
            ("/proc/self/cwd/lib/x.cc", "Relative lib/x.cc | lib/x.cc"),
            ("/b/execroot/_main/lib/x.cc", "Relative /b/execroot/_main/lib/x.cc | lib/x.cc"),
            ("/b/execroot/_main/x.cc", "Absolute /b/execroot/_main/x.cc | b/execroot/_main/x.cc"),
            ("/b/x.runfiles/_main/lib/x.py", "Relative /b/x.runfiles/_main/lib/x.py | lib/x.py"),
            (
                "/b/x.runfiles/rules~2.0/lib/x.py",
                "Library /b/x.runfiles/rules~2.0/lib/x.py | lib/x.py",
            ),
            ("buck-out/a/__x__/srcs/lib/x.c", "Relative buck-out/a/__x__/srcs/lib/x.c | lib/x.c"),
            ("turbopack:///[project]/src/x.js?1", "Relative turbopack:///src/x.js | src/x.js"),
            ("parcel:///src/x.js", "Relative parcel:///src/x.js | src/x.js"),
            ("app://./src/x.js", "Relative app://./src/x.js | src/x.js"),
            ("capacitor://localhost/x.js", "Relative capacitor://localhost/x.js | x.js"),
            ("vscode-remote://wsl%2Bubuntu/home/u/x.js", "Absolute /home/u/x.js | home/u/x.js"),
            ("file:///srv/a%20b/x.js?v=1", "Absolute /srv/a b/x.js | srv/a b/x.js"),
            ("file:///C:/a/x.js", "Absolute C:/a/x.js | C:/a/x.js"),
            ("file://localhost/a/x.js", "Absolute /a/x.js | a/x.js"),
            ("file:/a/x.js", "Absolute /a/x.js | a/x.js"),
            ("file://host/share/a%20b.js?v=1", "Absolute /host/share/a b.js | host/share/a b.js"),
            ("file://C:/a/x.js", "Absolute C:/a/x.js | C:/a/x.js"),
            ("file://./a/x.js", "Relative ./a/x.js | a/x.js"),
            ("file:///a%2Fb/%2e%2e/x.js", "Absolute /a/x.js | a/x.js"),
            ("http://h:80/s/x.js?v=7#l", "Relative http://h:80/s/x.js | s/x.js"),
            ("http://h:80/", "Relative http://h:80/ | "),
            ("http://h:80/@fs/srv/a%20b/x.js?v=1", "Absolute /srv/a b/x.js | srv/a b/x.js"),
            ("http://h:80/base/@fs/C:/a/x.js", "Absolute C:/a/x.js | C:/a/x.js"),
            (
                "http://h:80/@fs/srv/node_modules/a/i.js",
                "Library /srv/node_modules/a/i.js | a/i.js",
            ),
            ("http://h:80/src/x.js?u=/@fs/y.js", "Relative http://h:80/src/x.js | src/x.js"),
            ("http://h:80/my@fs/x.js", "Relative http://h:80/my@fs/x.js | my@fs/x.js"),
            ("webpack:///C:/a/x.ts", "Absolute C:/a/x.ts | C:/a/x.ts"),
            (r"webpack:///c:\a\x.ts?1a", "Absolute C:/a/x.ts | C:/a/x.ts"),
            ("webpack:///./src/x.ts", "Relative webpack:///src/x.ts | src/x.ts"),
            ("webpack://app/./src/x.ts?a1", "Relative webpack://app/src/x.ts | src/x.ts"),
            (
                "webpack-internal:///(rsc)/./app/x.tsx",
                "Relative webpack-internal:///app/x.tsx | app/x.tsx",
            ),
            ("webpack:///./node_modules/a/i.js", "Library webpack:///node_modules/a/i.js | a/i.js"),
            ("./string/strlen.c", "Dotted ./string/strlen.c | string/strlen.c"),
            (r".\a.c", "Dotted ./a.c | a.c"),
            ("./lib/mod.lua", "Relative ./lib/mod.lua | lib/mod.lua"),
            (r".\app.py", "Relative ./app.py | app.py"),
            ("./x/../app.py", "Dotted ./app.py | app.py"),
            ("../a.c", "Dotted ./a.c | a.c"),
            ("glib/../a.c", "Dotted ./a.c | a.c"),
            (
                "git:github.com/rust-lang/rust:library/core/src/lib.rs:abc",
                "Repository(\"github.com/rust-lang/rust\") git:github.com/rust-lang/rust/library/core/src/lib.rs | library/core/src/lib.rs",
            ),
            (
                "git:github.com/rust-lang/rust:../1a2b//library/core/src/lib.rs:1a2b",
                "Repository(\"github.com/rust-lang/rust\") git:github.com/rust-lang/rust/library/core/src/lib.rs | library/core/src/lib.rs",
            ),
            (
                "hg:hg.mozilla.org/mozilla-central:a/b.cpp:12ab",
                "Repository(\"hg.mozilla.org/mozilla-central\") hg:hg.mozilla.org/mozilla-central/a/b.cpp | a/b.cpp",
            ),
            (
                "cargo:github.com-1ecc6299db9ec823:tz-0.1.0-beta.1:src/map.rs",
                "Library cargo:github.com-1ecc6299db9ec823/tz-0.1.0-beta.1/src/map.rs | tz-0.1.0-beta.1/src/map.rs",
            ),
            ("s3:bucket:0a1b/ipc/x.cpp:", "Library s3:bucket/0a1b/ipc/x.cpp | ipc/x.cpp"),
            ("node:internal/fs", "Library node:internal/fs | internal/fs"),
            ("gem:rack-3.0:lib/rack.rb", "Library gem:rack-3.0/lib/rack.rb | rack-3.0/lib/rack.rb"),
            ("chrome://browser/x.js", "Scheme(\"chrome\") chrome://browser/x.js | "),
            ("<frozen os>", "NoFile <frozen os> | "),
            ("evalmachine.<anonymous>", "NoFile evalmachine.<anonymous> | "),
            ("file://<URL>", "NoFile file://<URL> | "),
            ("(unknown)", "NoFile (unknown) | "),
            ("(eval 3)[/a.pl:170]", "NoFile (eval 3)[/a.pl:170] | "),
            ("[kernel.kallsyms]", "NoFile [kernel.kallsyms] | "),
            ("~", "NoFile ~ | "),
            ("self-hosted", "NoFile self-hosted | "),
            ("", "NoFile  | "),
        ];
        for (name, expected) in table {
            assert_eq!(render(name), expected, "{name}");
        }
    }

    #[test]
    fn recognises_libraries() {
        let table = [
            ("/rustc/0a1b2c/library/alloc/src/lib.rs", "library/alloc/src/lib.rs"),
            (r"/rustc/0a1b2c\library\core\src\lib.rs", "library/core/src/lib.rs"),
            ("/rust/deps/hashbrown-0.16.1/src/map.rs", "hashbrown-0.16.1/src/map.rs"),
            ("/usr/local/app/lib/python3.11/json/decoder.py", "json/decoder.py"),
            ("/usr/src/app/node_modules/a/i.js", "a/i.js"),
            ("/usr/src/debug/glibc-2.37/malloc/malloc.c", "malloc/malloc.c"),
            ("/usr/src/apps/a.py", "src/apps/a.py"),
            ("/usr/include/c++/12/bits/stl_map.h", "include/c++/12/bits/stl_map.h"),
            ("/nix/store/1a-glib/src/g.c", "src/g.c"),
            (
                "/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/a-1.0.0/src/lib.rs",
                "a-1.0.0/src/lib.rs",
            ),
            ("/c/registry/src/mirror-6f17d22bba15001f/a-1.0.0/src/lib.rs", "a-1.0.0/src/lib.rs"),
            ("/v/lib/python3.11/json/decoder.py", "json/decoder.py"),
            ("/v/lib/python3.11/site-packages/numpy/x.py", "numpy/x.py"),
            ("site-packages/numpy/x.py", "numpy/x.py"),
            ("/a/node_modules/b/node_modules/c/i.js", "c/i.js"),
            ("/build/glibc-2.36/string/strlen.c", "string/strlen.c"),
            ("/b/execroot/_main/external/absl/lib/x.cc", "absl/lib/x.cc"),
            ("/b/_bazel_me/0a1b/external/absl/lib/x.cc", "absl/lib/x.cc"),
            ("golang.org/x/text@v0.3.0/unicode/n.go", "text@v0.3.0/unicode/n.go"),
            ("/r/lib/rustlib/src/rust/library/core/src/lib.rs", "library/core/src/lib.rs"),
        ];
        for (name, tail) in table {
            let parsed = Name::parse(name);
            assert_eq!((&parsed.form, parsed.tail()), (&Form::Library, tail), "{name}");
        }
        for name in [
            "registry/src/main.rs",
            "/srv/usr/x.c",
            "usr/x.c",
            "/a/lib/pythonic/x.py",
            "/a/glibc.c",
            "/a/me@home/x.c",
        ] {
            assert_ne!(Name::parse(name).form, Form::Library, "{name}");
        }
    }

    #[test]
    fn splits_off_the_last_components() {
        let name = Name::parse("/srv/app/src/x.c");
        assert_eq!(name.split_last(2), ("/srv/app", "src/x.c"));
        assert_eq!(name.split_last(4), ("", "srv/app/src/x.c"));
        assert_eq!(Name::parse("x.c").split_last(1), ("", "x.c"));
    }

    #[test]
    fn keys_begin_with_the_base_name() {
        assert_eq!(key("/srv/app/x.c"), "x.c/app/srv/");
        assert_eq!(key(""), "");
    }
}
