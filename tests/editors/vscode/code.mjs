// VS Code for a test: code-server with its own folders, a page of headless Chromium, and the logs of both.

import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";

/** What `Stage` laid out: server, root, profile, next, before, after. */
export const stage = JSON.parse(readFileSync(process.env.COSTLINE_STAGE, "utf8"));

const installed = path.resolve(path.dirname(process.execPath), "../../..");
const { chromium } = createRequire(path.join(installed, "node_modules/"))("playwright-core");
const entry = path.join(installed, "node_modules/code-server/out/node/entry.js");

/** Milliseconds for anything that the editor is waited for; the first page on a busy machine takes the longest. */
const PATIENCE = 120_000;
/** Milliseconds that an editor may run. */
const ALL = 480_000;

/** What code-server complains of without any extension of ours. */
const ALWAYS = [
  // Microsoft's license check is not in the package.
  /^Failed to load resource: .* 404 .*\/vsda(_bg)?\.(js|wasm)$/,
  // On a busy machine: VS Code's sign-in, and its listeners when settings are saved.
  /Timed out waiting for authentication provider 'github' to register/,
  /Aborted onWillSaveTextDocument-event/,
  // On a busy machine: language clients, also those of VS Code, log the exit of a server after VS Code closed their log.
  /^remoteexthost\.log: \[error\] Error: Channel has been closed$/m,
  // On a busy machine: a request of the page to VS Code's server.
  /Request \d+ timed out \(\d+ms\) \S+\/workbench\.js$/,
  // A task that ends at once: VS Code names its terminal after it is gone.
  /Could not find pty \d+ on pty host/,
];

/** Nothing may leave the machine, nor ask for attention. */
const QUIET = {
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};
/** As in VS Code on a desktop. In a browser, VS Code saves files after a second, and refuses other saves meanwhile. */
const DESKTOP = { "files.autoSave": "off" };
/** No place to get extensions from. */
const GALLERY = { serviceUrl: "", itemUrl: "", resourceUrlTemplate: "", controlUrl: "", nlsBaseUrl: "" };

export class Code {
  #errors = [];
  #children = [];
  #deadline;
  #port;

  /**
   * Starts the editor on `folder`; `home` is an empty folder for all that it writes.
   * `vsix`: extensions to install; `options`: more of VS Code's own; `payload`: what the page is to open, given how it names a
   * file; `expose`: functions that the page may call.
   */
  static async start({ home, folder, settings = {}, vsix = [], options = [], payload = () => [], expose = {} }) {
    const code = new Code();
    code.home = home;
    process.once("exit", () => code.#endServers());
    code.#deadline = setTimeout(() => {
      console.error(`not finished after ${ALL / 1000} s`);
      process.exit(1);
    }, ALL).unref();
    try {
      code.settings(settings);
      for (const file of vsix) {
        await code.#run(["--install-extension", file, "--force"]).ended;
      }
      code.#port = await freePort();
      code.#run(["--auth", "none", "--bind-addr", `127.0.0.1:${code.#port}`, "--disable-telemetry", "--disable-update-check",
        "--disable-getting-started-override", "--disable-proxy", ...options, folder]);
      await until("code-server answers", async () => (await fetch(`http://127.0.0.1:${code.#port}/healthz`)).ok);
      await code.#browse();
      await code.open(folder, payload, expose);
      return code;
    } catch (error) {
      await code.end();
      throw error;
    }
  }

  /** Changes the settings, at any time, to these. */
  settings(values) {
    // Paths of programs are machine settings, themes are user settings.
    for (const [place, all] of [["User", { ...QUIET, ...DESKTOP, ...values }], ["Machine", values]]) {
      mkdirSync(path.join(this.home, "data", place), { recursive: true });
      writeFileSync(path.join(this.home, "data", place, "settings.json"), JSON.stringify(all));
    }
  }

  async #browse() {
    this.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
    });
  }

  /** Opens a folder in a new window, which is `page` from now on. VS Code logs errors when a window is left: others stay open. */
  async open(folder, payload, expose = {}) {
    this.page = await this.browser.newPage({ viewport: { width: 1280, height: 800 } });
    this.page.setDefaultTimeout(PATIENCE);
    this.page.on("console", (message) => {
      if (message.type() === "error") this.#errors.push(`${message.text()} ${message.location().url}`);
    });
    this.page.on("pageerror", (error) => this.#errors.push(String(error.stack ?? error)));
    this.page.on("request", (request) => {
      const url = new URL(request.url());
      // VS Code answers requests for the files of an extension itself.
      const isResource = url.hostname.endsWith(".vscode-resource.vscode-cdn.net");
      const here = url.hostname === "127.0.0.1" || isResource || !url.protocol.startsWith("http");
      if (!here && !request.serviceWorker()) this.#errors.push(`requested ${url}`);
    });
    for (const [name, callback] of Object.entries(expose)) {
      await this.page.exposeFunction(name, callback);
    }
    const here = `127.0.0.1:${this.#port}`;
    const url = new URL(`http://${here}/`);
    url.searchParams.set("folder", folder);
    url.searchParams.set("payload", JSON.stringify(payload((file) => `vscode-remote://${here}${file}`)));
    await this.page.goto(url.href);
  }

  /** code-server with these arguments, in a process group of its own. */
  #run(args) {
    const log = createWriteStream(path.join(this.home, "code-server.log"), { flags: "a" });
    const child = spawn(process.execPath, [entry, "--config", path.join(this.home, "config.yaml"),
      "--user-data-dir", path.join(this.home, "data"), "--extensions-dir", path.join(this.home, "extensions"), ...args], {
      detached: true,
      env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, EXTENSIONS_GALLERY: JSON.stringify(GALLERY) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    const ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (status) => (status === 0 ? resolve() : reject(new Error(`code-server ${args[0]}: exit ${status}`))));
    });
    ended.catch(() => {});
    return { ended };
  }

  /** The entries of every log and output channel whose file is called like this. The stack of an error belongs to its entry. */
  log(name = /./) {
    const logs = readdirSync(path.join(this.home, "data/logs"), { recursive: true, withFileTypes: true });
    return logs.filter((file) => file.isFile() && name.test(file.name)).flatMap((file) => {
      const entries = readFileSync(path.join(file.parentPath, file.name), "utf8").trimEnd().split(/\n(?!\s+at )/);
      return entries.map((entry) => `${file.name}: ${entry}`);
    });
  }

  /**
   * Throws if the page's console, a log or an output channel has an error that is not in `expected`.
   * VS Code logs failures of its own and of other extensions beside ours: there, only those that name Costline count.
   */
  check(expected = []) {
    const foreign = (entry) => entry.startsWith("remoteexthost.log: ") && !/\bcostline\.|Costline/.test(entry);
    const logged = this.log().filter((entry) => /\[error\b/i.test(entry) && !foreign(entry));
    const ignored = [...ALWAYS, ...expected];
    const errors = [...this.#errors, ...logged].filter((entry) => !ignored.some((pattern) => pattern.test(entry)));
    if (errors.length > 0) throw new Error(`logged as errors:\n${errors.join("\n")}`);
  }

  #endServers() {
    for (const child of this.#children.splice(0)) {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
    }
  }

  /** Runs a test, checks the logs, and ends the editor. If the test fails, it leaves a picture and prints what Costline logged. */
  async run(test, expected) {
    try {
      await test();
      this.check(expected);
    } catch (error) {
      const picture = path.join(process.env.COSTLINE_PICTURES ?? this.home, "failed.png");
      await this.page.screenshot({ path: picture }).catch(() => {});
      console.log(this.log(/Costline/).join("\n"));
      throw error;
    } finally {
      await this.end();
    }
  }

  /** Ends the browser and every process of the editor. */
  async end() {
    await this.browser?.close();
    this.#endServers();
    clearTimeout(this.#deadline);
  }
}

/** Waits until `condition` (which may throw) is truthy, and returns what it gave. */
export async function until(what, condition) {
  const deadline = Date.now() + PATIENCE;
  for (let last; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      const value = await condition();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what} (${last})`);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
