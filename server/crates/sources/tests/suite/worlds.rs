//! A table of layouts that people have: names of a profile beside the files of a workspace, each
//! mapped to the right file, or refused with the reason. None may be mapped to a wrong file.

// Helpers of an integration test do not count as test code to clippy.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sources::{Limits, Mapping, Reason, Root, RootKind, SourceIndex, map_paths};

/// A layout. Paths are separated by blanks.
struct World {
    what: &'static str,
    /// Roots below the folder of the test. A `+` marks a source root.
    roots: &'static str,
    /// Files below the folder of the test. `FILE=TEXT` gives its text, with `|` for line breaks and,
    /// unless it is JSON, `_` for blanks; `LINK>TARGET` is a symlink.
    files: &'static str,
    /// `name → file` for each name of the profile, or `name ✗ reason`. `$` is the folder of the
    /// test.
    names: &'static [&'static str],
}

const WORLDS: &[World] = &[
    World {
        what: "recorded where the files are",
        roots: "shop",
        files: "shop/src/main.rs",
        names: &["$/shop/src/main.rs → shop/src/main.rs"],
    },
    World {
        what: "recorded in another home folder",
        roots: "shop",
        files: "shop/src/main.rs shop/src/rank.rs",
        names: &[
            "/home/ann/dev/shop/src/main.rs → shop/src/main.rs",
            "/home/ann/dev/shop/src/rank.rs → shop/src/rank.rs",
        ],
    },
    World {
        what: "the checkout has another name",
        roots: "shop-fix",
        files: "shop-fix/src/main.rs shop-fix/src/rank.rs",
        names: &[
            "/home/ann/shop/src/main.rs → shop-fix/src/main.rs",
            "/home/ann/shop/src/rank.rs → shop-fix/src/rank.rs",
            "/home/ann/shop/src/gone.rs ✗ not found",
        ],
    },
    World {
        what: "Docker: /app",
        roots: "shop",
        files: "shop/src/server.py shop/src/db.py",
        names: &["/app/src/server.py → shop/src/server.py", "/app/src/db.py → shop/src/db.py"],
    },
    World {
        what: "Docker: /app is one of two services",
        roots: "mono",
        files: "mono/services/api/app/words.py mono/services/worker/app/words.py",
        names: &["/app/app/words.py ✗ ambiguous"],
    },
    World {
        what: "Docker: /app is one of two services, and a file tells which",
        roots: "mono",
        files: "mono/services/api/app/words.py mono/services/worker/app/words.py mono/services/worker/app/jobs.py",
        names: &[
            "/app/app/words.py → mono/services/worker/app/words.py",
            "/app/app/jobs.py → mono/services/worker/app/jobs.py",
        ],
    },
    World {
        what: "Docker: /usr/src/app beside libraries",
        roots: "shop",
        files: "shop/src/server.js shop/lib/index.js",
        names: &[
            "/usr/src/app/src/server.js → shop/src/server.js",
            "/usr/src/app/node_modules/express/lib/index.js ✗ library",
            "node:internal/main ✗ library",
        ],
    },
    World {
        what: "the package of a distribution beside another one",
        roots: "jq",
        files: "jq/src/main.c jq/src/util.c",
        names: &[
            "/usr/src/debug/jq-1.7.1-8.fc40.x86_64/src/main.c → jq/src/main.c",
            "/usr/src/debug/jq-1.7.1-8.fc40.x86_64/src/util.c → jq/src/util.c",
            "/usr/src/debug/oniguruma-6.9/src/regexec.c ✗ not found",
            "/usr/src/debug/glibc-2.39/src/main.c ✗ library",
        ],
    },
    World {
        what: "Docker: /usr/local/app beside the standard library",
        roots: "shop",
        files: "shop/web/server.py shop/json/decoder.py",
        names: &[
            "/usr/local/app/web/server.py → shop/web/server.py",
            "/usr/local/lib/python3.12/json/decoder.py ✗ library",
            "/usr/lib/python3/json/decoder.py ✗ library",
        ],
    },
    World {
        what: "dev container: /workspaces/NAME",
        roots: "shop",
        files: "shop/src/main.rs",
        names: &["/workspaces/shop/src/main.rs → shop/src/main.rs"],
    },
    World {
        what: "/workspace",
        roots: "shop",
        files: "shop/src/main.rs",
        names: &["/workspace/src/main.rs → shop/src/main.rs"],
    },
    World {
        what: "GitHub Actions, on a runner of one's own",
        roots: "shop",
        files: "shop/crates/rank/src/lib.rs shop/crates/words/src/lib.rs",
        names: &[
            "/home/runner/actions-runner/_work/shop/shop/crates/rank/src/lib.rs → shop/crates/rank/src/lib.rs",
            "/home/runner/actions-runner/_work/shop/shop/crates/words/src/lib.rs → shop/crates/words/src/lib.rs",
            "/home/runner/.cargo/registry/src/index.crates.io-6f17d22bba15001f/words-1.0.0/src/lib.rs ✗ library",
        ],
    },
    World {
        what: "monorepo: the root is one of its services, and more files of another are recorded",
        roots: "code/api",
        files: "code/api/src/main.py code/api/src/util.py code/api/src/db.py",
        names: &[
            "/ci/app/services/api/src/main.py → code/api/src/main.py",
            "/ci/app/services/web/src/main.py ✗ recorded elsewhere",
            "/ci/app/services/web/src/util.py ✗ recorded elsewhere",
            "/ci/app/services/web/src/db.py ✗ recorded elsewhere",
        ],
    },
    World {
        what: "monorepo: only another service was recorded",
        roots: "app/services/api",
        files: "app/services/api/src/main.py app/services/api/src/db.py",
        names: &[
            "/ci/app/services/web/src/main.py ✗ beside",
            "/ci/app/services/web/src/db.py ✗ beside",
        ],
    },
    World {
        what: "monorepo: both services are roots",
        roots: "api web",
        files: "api/src/main.py web/src/main.py",
        names: &[
            "/ci/services/api/src/main.py → api/src/main.py",
            "/ci/services/web/src/main.py → web/src/main.py",
            "/ci/services/jobs/src/main.py ✗ recorded elsewhere",
        ],
    },
    World {
        what: "monorepo: crates with equal files",
        roots: "mono",
        files: "mono/crates/a/src/lib.rs mono/crates/b/src/lib.rs mono/crates/a/Cargo.toml",
        names: &[
            "/ci/mono/crates/a/src/lib.rs → mono/crates/a/src/lib.rs",
            "/ci/mono/crates/b/src/lib.rs → mono/crates/b/src/lib.rs",
            "/ci/mono/crates/c/src/lib.rs ✗ not found",
        ],
    },
    World {
        what: "a Cargo workspace, with names relative to it",
        roots: "mono",
        files: "mono/crates/a/src/lib.rs mono/crates/b/src/lib.rs mono/src/lib.rs",
        names: &[
            "crates/a/src/lib.rs → mono/crates/a/src/lib.rs",
            "crates/c/src/lib.rs ✗ not found",
            "src/lib.rs ✗ ambiguous",
        ],
    },
    World {
        what: "two projects with the same single file",
        roots: "shop",
        files: "shop/src/main.rs shop/src/rank.rs",
        names: &["/srv/a/src/main.rs ✗ disputed", "/srv/b/src/rank.rs ✗ disputed"],
    },
    World {
        what: "a project beside the root, in the same folder",
        roots: "ann/dev/shop",
        files: "ann/dev/shop/src/main.rs",
        names: &["/home/ann/dev/bank/src/main.rs ✗ beside"],
    },
    World {
        what: "a file of the same base name",
        roots: "shop",
        files: "shop/tools/feed.py",
        names: &["/srv/other/feed.py ✗ base name"],
    },
    World {
        what: "go build -trimpath",
        roots: "proj",
        files: "proj/go.mod=module_example.org/me/proj|go_1.22 proj/main.go proj/words/words.go",
        names: &[
            "example.org/me/proj/main.go → proj/main.go",
            "example.org/me/proj/words/words.go → proj/words/words.go",
            "example.org/me/other/words/words.go ✗ not found",
            "golang.org/x/text@v0.3.0/words/words.go ✗ library",
            "runtime/proc.go ✗ not found",
        ],
    },
    World {
        what: "go install MODULE@VERSION",
        roots: "proj",
        files: "proj/go.mod=module_example.org/me/proj/v2 proj/words/words.go",
        names: &[
            "example.org/me/proj/v2@v2.1.0/words/words.go → proj/words/words.go",
            "example.org/me/proj@v1.0.0/words/words.go ✗ library",
        ],
    },
    World {
        what: "go.work with two modules",
        roots: "mono",
        files: "mono/go.work=use_(|./api|./words|) mono/api/go.mod=module_example.org/api mono/words/go.mod=module_example.org/words mono/api/a.go mono/words/a.go",
        names: &[
            "example.org/api/a.go → mono/api/a.go",
            "example.org/words/a.go → mono/words/a.go",
            "example.org/api/words/a.go ✗ not found",
        ],
    },
    World {
        what: "one Go module in two roots",
        roots: "one two",
        files: "one/go.mod=module_example.org/p two/go.mod=module_example.org/p one/a.go two/a.go",
        names: &["example.org/p/a.go ✗ ambiguous"],
    },
    World {
        what: "Python with a src layout, installed",
        roots: "shop",
        files: "shop/src/shop/cart.py shop/pyproject.toml",
        names: &[
            "/ci/venv/lib/python3.12/site-packages/shop/cart.py ✗ library",
            "shop/cart.py → shop/src/shop/cart.py",
        ],
    },
    World {
        what: "a virtual environment in the root",
        roots: "shop",
        files: "shop/venv/lib/python3.12/site-packages/flask/app.py shop/flask/app.py",
        names: &[
            "$/shop/venv/lib/python3.12/site-packages/flask/app.py → shop/venv/lib/python3.12/site-packages/flask/app.py",
            "/other/venv/lib/python3.12/site-packages/flask/app.py ✗ library",
        ],
    },
    World {
        what: "webpack",
        roots: "shop",
        files: "shop/src/cart.ts shop/packages/ui/src/cart.ts shop/packages/ui/src/menu.ts",
        names: &[
            "webpack:///./packages/ui/src/cart.ts → shop/packages/ui/src/cart.ts",
            "webpack://ui/./src/menu.ts → shop/packages/ui/src/menu.ts",
            "webpack://ui/./src/cart.ts ✗ ambiguous",
            "webpack:///./node_modules/ui/src/menu.ts ✗ library",
        ],
    },
    World {
        what: "a development server",
        roots: "shop",
        files: "shop/src/cart.ts",
        names: &[
            "http://localhost:5173/src/cart.ts?t=17#x → shop/src/cart.ts",
            "http://localhost:5173/@vite/client ✗ not found",
            "chrome-extension://abc/src/cart.ts ✗ scheme",
        ],
    },
    World {
        what: "percent-encoding",
        roots: "shop",
        files: "shop/src/größe.js",
        names: &[
            "file://$/shop/src/gr%C3%B6%C3%9Fe.js → shop/src/größe.js",
            "file://$/shop/%2e%2e/secret.js ✗ not found",
        ],
    },
    World {
        what: "percent-encoding in a recorded path",
        roots: "shop",
        files: "shop/src/größe.js",
        names: &["file:///ci/shop/src/gr%C3%B6%C3%9Fe.js → shop/src/größe.js"],
    },
    #[cfg(unix)]
    World {
        what: "symlinks, also out of the root",
        roots: "shop",
        files: "shop/src/main.c secret/key.c shop/alias>shop/src shop/leak>secret",
        names: &[
            "$/shop/alias/main.c → shop/src/main.c",
            "$/shop/leak/key.c ✗ outside",
            "leak/key.c ✗ outside",
        ],
    },
    World {
        what: "Bazel",
        roots: "shop",
        files: "shop/lib/words.cc shop/lib/rank.cc",
        names: &[
            "/proc/self/cwd/lib/words.cc → shop/lib/words.cc",
            "lib/rank.cc → shop/lib/rank.cc",
            "external/abseil/lib/rank.cc ✗ not found",
        ],
    },
    World {
        what: "Bazel's output folder",
        roots: "shop",
        files: "shop/lib/words.cc shop/lib/rank.cc",
        names: &[
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/execroot/_main/lib/words.cc → shop/lib/words.cc",
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/execroot/_main/lib/rank.cc → shop/lib/rank.cc",
        ],
    },
    World {
        what: "Nix",
        roots: "shop",
        files: "shop/src/words.c shop/src/rank.c",
        names: &[
            "/build/source/src/words.c → shop/src/words.c",
            "/build/source/src/rank.c → shop/src/rank.c",
            "/nix/store/0a1b-glibc-2.39/src/words.c ✗ library",
        ],
    },
    World {
        what: "Buck",
        roots: "shop",
        files: "shop/lib/words.cpp",
        names: &["./lib/words.cpp ✗ dotted", "lib/words.cpp → shop/lib/words.cpp"],
    },
    World {
        what: "git: of the repository of the root",
        roots: "shop",
        files: "shop/.git/config=[remote_\"origin\"]|url_=_git@github.com:me/shop.git shop/src/main.rs",
        names: &[
            "git:github.com/me/shop:src/main.rs:0a1b → shop/src/main.rs",
            "git:github.com/rust-lang/rust:src/main.rs:0a1b ✗ repository",
        ],
    },
    World {
        what: "hg: of the repository of the root",
        roots: "central",
        files: "central/.hg/hgrc=[paths]|default_=_https://hg.mozilla.org/mozilla-central central/js/src/vm.cpp",
        names: &[
            "hg:hg.mozilla.org/mozilla-central:js/src/vm.cpp:0a1b → central/js/src/vm.cpp",
            "hg:hg.mozilla.org/comm-central:js/src/vm.cpp:0a1b ✗ repository",
        ],
    },
    World {
        what: "Windows paths",
        roots: "shop",
        files: "shop/src/main.rs shop/src/rank.rs",
        names: &[
            r"C:\Users\ann\shop\src\main.rs → shop/src/main.rs",
            r"C:\Users\ann\shop\src\rank.rs → shop/src/rank.rs",
        ],
    },
    World {
        what: "Windows paths that differ in case",
        roots: "shop",
        files: "shop/src/main.rs shop/src/rank.rs",
        names: &[
            r"C:\Users\ann\shop\src\main.rs ✗ disputed",
            r"c:\users\ann\shop\src\rank.rs ✗ disputed",
        ],
    },
    World {
        what: "WSL",
        roots: "shop",
        files: "shop/src/main.rs",
        names: &["/mnt/c/Users/ann/shop/src/main.rs → shop/src/main.rs"],
    },
    World {
        what: "UNC names are compared as text",
        roots: "shop",
        files: "shop/src/main.rs shop/src/rank.rs",
        names: &[
            r"\\wsl.localhost\Ubuntu\home\ann\shop\src\main.rs → shop/src/main.rs",
            r"\\wsl.localhost\Ubuntu\home\ann\shop\src\rank.rs → shop/src/rank.rs",
        ],
    },
    World {
        what: "ignored and generated files",
        roots: "shop",
        files: "shop/.gitignore=/out shop/out/gen.c shop/src/main.c",
        names: &[
            "/ci/shop/out/gen.c → shop/out/gen.c",
            "/ci/shop/src/main.c → shop/src/main.c",
            "gen.c ✗ not found",
        ],
    },
    World {
        what: "files outside the roots",
        roots: "shop",
        files: "shop/src/main.c secret.c",
        names: &[
            "$/secret.c ✗ not found",
            "$/shop/../secret.c ✗ not found",
            "../secret.c ✗ dotted",
            "/etc/passwd ✗ not found",
        ],
    },
    World {
        what: "Cargo packages by name and version",
        roots: "mono",
        files: "mono/Cargo.toml=[workspace.package]|version_=_\"0.3.0\" mono/crates/words/Cargo.toml=[package]|name_=_\"words\"|version_=_\"0.1.0\" mono/crates/rank/Cargo.toml=[package]|name_=_\"shop-rank\"|version.workspace_=_true mono/crates/words/src/lib.rs mono/crates/rank/src/lib.rs",
        names: &[
            "words-0.1.0/src/lib.rs → mono/crates/words/src/lib.rs",
            "shop-rank-0.3.0/src/lib.rs → mono/crates/rank/src/lib.rs",
            "words-0.2.0/src/lib.rs ✗ not found",
            "/home/ci/.cargo/registry/src/index.crates.io-6f17d22bba15001f/words-0.1.0/src/lib.rs → mono/crates/words/src/lib.rs",
            "/home/ci/.cargo/registry/src/index.crates.io-6f17d22bba15001f/words-0.2.0/src/lib.rs ✗ library",
            "/home/ci/.cargo/git/checkouts/words-0a1b2c3d/4e5f6a7/src/lib.rs ✗ library",
        ],
    },
    World {
        what: "npm workspaces by the names of their packages",
        roots: "shop",
        files: r#"shop/package.json={"name":"shop","workspaces":["packages/*"]} shop/packages/ui/package.json={"name":"@shop/ui"} shop/src/cart.ts shop/packages/ui/src/cart.ts shop/packages/web/src/cart.ts"#,
        names: &[
            "/app/node_modules/@shop/ui/src/cart.ts → shop/packages/ui/src/cart.ts",
            "webpack://@shop/ui/./src/cart.ts → shop/packages/ui/src/cart.ts",
            "webpack://shop/./src/cart.ts → shop/src/cart.ts",
            "webpack:///./node_modules/@shop/ui/src/cart.ts → shop/packages/ui/src/cart.ts",
            "/app/node_modules/@other/ui/src/cart.ts ✗ library",
            "/app/node_modules/ui/src/cart.ts ✗ library",
        ],
    },
    World {
        what: "one npm package in two folders",
        roots: "shop",
        files: r#"shop/a/package.json={"name":"ui"} shop/b/package.json={"name":"ui"} shop/a/menu.js shop/b/menu.js"#,
        names: &["/app/node_modules/ui/menu.js ✗ ambiguous"],
    },
    World {
        what: "an installed Python project with a src layout",
        roots: "shop",
        files: "shop/pyproject.toml=[project]|name_=_\"my-shop\" shop/src/shop/__init__.py shop/src/shop/cart.py",
        names: &[
            "/usr/local/lib/python3.12/site-packages/shop/cart.py → shop/src/shop/cart.py",
            "/usr/local/lib/python3.12/site-packages/bank/cart.py ✗ library",
        ],
    },
    World {
        what: "an installed Python project with the package beside pyproject.toml",
        roots: "shop",
        files: "shop/pyproject.toml=[project]|name_=_\"My-Shop\" shop/my_shop/cart.py shop/yaml/cart.py",
        names: &[
            "/ci/venv/lib/python3.12/site-packages/my_shop/cart.py → shop/my_shop/cart.py",
            "/ci/venv/lib/python3.12/site-packages/yaml/cart.py ✗ library",
        ],
    },
    World {
        what: "dev container: workspaceFolder",
        roots: "shop",
        files: r#"shop/.devcontainer/devcontainer.json={"workspaceFolder":"/srv/code"} shop/main.py shop/api/main.py"#,
        names: &[
            "/srv/code/main.py → shop/main.py",
            "/srv/code/api/main.py → shop/api/main.py",
            "/srv/code/gone.py ✗ not found",
            "/srv/other/main.py ✗ recorded elsewhere",
        ],
    },
    World {
        what: "dev container: workspaceMount of a folder",
        roots: "shop",
        files: r#"shop/.devcontainer.json={"workspaceMount":"source=${localWorkspaceFolder}/api,target=/code,type=bind"} shop/main.py shop/api/main.py"#,
        names: &["/code/main.py → shop/api/main.py"],
    },
    World {
        what: "dev containers of two roots with the same folder",
        roots: "one two",
        files: r#"one/.devcontainer.json={"workspaceFolder":"/code"} two/.devcontainer.json={"workspaceFolder":"/code"} one/a.py two/a.py two/b.py"#,
        names: &["/code/a.py ✗ ambiguous", "/code/b.py → two/b.py"],
    },
    World {
        what: "Bazel: only another repository was recorded",
        roots: "shop",
        files: "shop/lib/words.cc",
        names: &[
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/execroot/_main/external/abseil/lib/words.cc ✗ library",
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/external/abseil/lib/words.cc ✗ library",
        ],
    },
    World {
        what: "Bazel: a sandbox",
        roots: "shop",
        files: "shop/lib/words.cc shop/app/lib/words.cc",
        names: &[
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/sandbox/linux-sandbox/7/execroot/_main/app/lib/words.cc → shop/app/lib/words.cc",
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/sandbox/linux-sandbox/9/execroot/_main/lib/words.cc ✗ ambiguous",
            "/home/ci/.cache/bazel/_bazel_ci/0a1b/sandbox/linux-sandbox/9/execroot/_main/bazel-out/k8-fastbuild/bin/lib/words.cc ✗ not found",
        ],
    },
    World {
        what: "Nix: the build folder of a derivation, and a store path",
        roots: "shop",
        files: "shop/src/words.c shop/src/rank.c",
        names: &[
            "/tmp/nix-build-shop-1.2.drv-0/source/src/words.c → shop/src/words.c",
            "/tmp/nix-build-shop-1.2.drv-0/source/src/rank.c → shop/src/rank.c",
            "/nix/store/0a1b-source/src/words.c ✗ library",
        ],
    },
    World {
        what: "hg: names of the repository of the root, with another folder name",
        roots: "gecko",
        files: "gecko/.hg/hgrc=[paths]|default_=_https://hg.mozilla.org/mozilla-central gecko/js/src/vm.cpp gecko/dom/vm.cpp",
        names: &[
            "hg:hg.mozilla.org/mozilla-central:js/src/vm.cpp:0a1b → gecko/js/src/vm.cpp",
            "hg:hg.mozilla.org/mozilla-central:gone/vm.cpp:0a1b ✗ not found",
        ],
    },
    World {
        what: "hg: the root is a folder of the repository",
        roots: "gecko/js/src",
        files: "gecko/.hg/hgrc=[paths]|default_=_https://hg.mozilla.org/mozilla-central gecko/js/src/vm.cpp gecko/js/src/vm/jit.cpp gecko/vm/jit.cpp",
        names: &[
            "hg:hg.mozilla.org/mozilla-central:js/src/vm.cpp:0a1b → gecko/js/src/vm.cpp",
            "hg:hg.mozilla.org/mozilla-central:js/src/vm/jit.cpp:0a1b → gecko/js/src/vm/jit.cpp",
            "hg:hg.mozilla.org/mozilla-central:vm/jit.cpp:0a1b ✗ not found",
            "hg:hg.mozilla.org/mozilla-central:js/src/gone.cpp:0a1b ✗ not found",
            "hg:hg.mozilla.org/comm-central:js/src/vm.cpp:0a1b ✗ repository",
        ],
    },
    World {
        what: "git: two roots are folders of the repository",
        roots: "shop/services/api shop/services/web",
        files: "shop/.git/config=[remote_\"origin\"]|url_=_https://github.com/me/shop.git shop/services/api/src/main.rs shop/services/web/src/main.rs",
        names: &[
            "git:github.com/me/shop:services/api/src/main.rs:0a1b → shop/services/api/src/main.rs",
            "git:github.com/me/shop:services/web/src/main.rs:0a1b → shop/services/web/src/main.rs",
            "git:github.com/me/shop:src/main.rs:0a1b ✗ not found",
            "git:github.com/ann/bank:services/api/src/main.rs:0a1b ✗ repository",
        ],
    },
    World {
        what: "git: the root is a folder with the name of another repository",
        roots: "shop/rust",
        files: "shop/.git/config=[remote_\"origin\"]|url_=_https://github.com/me/shop.git shop/rust/src/main.rs",
        names: &[
            "git:github.com/me/shop:rust/src/main.rs:0a1b → shop/rust/src/main.rs",
            "git:github.com/rust-lang/rust:src/main.rs:0a1b ✗ repository",
        ],
    },
    World {
        what: "WSL: the other system's spelling of the same folder",
        roots: "mnt/c/Users/ann/shop",
        files: "mnt/c/Users/ann/shop/main.py mnt/c/Users/ann/shop/src/cart.py",
        names: &[
            r"C:\Users\ann\shop\main.py → mnt/c/Users/ann/shop/main.py",
            r"C:\Users\ann\shop\src\cart.py → mnt/c/Users/ann/shop/src/cart.py",
            r"C:\Users\ann\bank\main.py ✗ recorded elsewhere",
        ],
    },
    World {
        what: "libraries in a source root",
        roots: "shop +std",
        files: "shop/src/lib.rs std/library/core/src/lib.rs",
        names: &[
            "/rustc/0a1b/library/core/src/lib.rs → std/library/core/src/lib.rs",
            "/rustc/0a1b/library/alloc/src/lib.rs ✗ library",
        ],
    },
    World {
        what: "a root in another",
        roots: "mono mono/api",
        files: "mono/src/main.py mono/api/src/main.py",
        names: &[
            "/ci/mono/src/main.py → mono/src/main.py",
            "/ci/mono/api/src/main.py → mono/api/src/main.py",
        ],
    },
    World {
        what: "what is not a file",
        roots: "shop",
        files: "shop/frozen.py",
        names: &["<frozen importlib> ✗ no file", "[kernel] ✗ no file", "~ ✗ no file"],
    },
];

fn reason(reason: &Reason) -> &'static str {
    match reason {
        Reason::NoFile => "no file",
        Reason::Excluded(_) => "excluded",
        Reason::Scheme(_) => "scheme",
        Reason::Library => "library",
        Reason::Repository(_) => "repository",
        Reason::Dotted(_) => "dotted",
        Reason::Outside => "outside",
        Reason::NotFound | Reason::Gone(_) => "not found",
        Reason::Rule(_) => "rule",
        Reason::BaseName(_) => "base name",
        Reason::PrefixDiffers { .. } => "recorded elsewhere",
        Reason::Beside { .. } => "beside",
        Reason::PrefixDisputed(_) => "disputed",
        Reason::OtherFunctions { .. } => "other functions",
        Reason::TooShort { .. } => "too short",
        Reason::IndexCut(_) => "cut",
    }
}

/// The row of a name as the table has it, with the file or reason that was found.
fn found(name: &str, mapping: &Mapping, top: &Path) -> String {
    match mapping {
        Mapping::Mapped { path, .. } => {
            format!("{name} → {}", path.strip_prefix(top).unwrap_or(path).display())
        }
        Mapping::Ambiguous { .. } => format!("{name} ✗ ambiguous"),
        Mapping::Unmapped(why) => format!("{name} ✗ {}", reason(why)),
    }
}

fn write(top: &Path, file: &str) {
    #[cfg(unix)]
    if let Some((link, target)) = file.split_once('>') {
        std::os::unix::fs::symlink(top.join(target), top.join(link)).unwrap();
        return;
    }
    let (file, text) = file.split_once('=').unwrap_or((file, ""));
    let path = top.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = if text.starts_with('{') { text.to_owned() } else { text.replace('_', " ") };
    fs::write(path, text.replace('|', "\n")).unwrap();
}

/// The rows of a world that are mapped differently.
fn differences(world: &World) -> String {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    world.files.split_whitespace().for_each(|file| write(&top, file));
    let roots = world.roots.split_whitespace().map(|root| match root.strip_prefix('+') {
        Some(root) => Root { path: top.join(root), kind: RootKind::Sources },
        None => Root { path: top.join(root), kind: RootKind::Workspace },
    });
    let index = SourceIndex::build(roots.collect(), Limits::default());
    let recorded: Vec<String> = world
        .names
        .iter()
        .map(|row| row.split(" → ").next().unwrap_or_default())
        .map(|row| row.split(" ✗ ").next().unwrap_or_default())
        .map(|name| name.replace('$', top.to_str().unwrap()))
        .collect();
    let mappings = map_paths(recorded.iter().map(String::as_str), &index, &[], None);
    let mut differences = String::new();
    for ((row, name), mapping) in world.names.iter().zip(&recorded).zip(&mappings) {
        let found = found(name, mapping, &top).replace(top.to_str().unwrap(), "$");
        if found != *row {
            writeln!(differences, "{}: expected {row}\n    found {found}", world.what).unwrap();
        }
    }
    differences
}

#[test]
fn every_name_is_mapped_right_or_refused_with_the_reason() {
    assert!(WORLDS.len() >= 40, "{}", WORLDS.len());
    let differences: String = WORLDS.iter().map(differences).collect();
    assert!(differences.is_empty(), "\n{differences}");
}
