// Runs `inhost/<suite>.js` in the extension host, with the packaged extension and a second one: node inhost.mjs VSIX SUITE

import path from "node:path";
import { Code, stage } from "./code.mjs";

const [vsix, suite] = process.argv.slice(2);

/** The editor's options for each suite. `expected` are errors that the suite makes the extension log. */
const SUITES = {
  trusted: {
    options: ["--disable-workspace-trust"],
    expected: [
      /Server process exited with signal SIGKILL/,
      // The client may be writing to the server that the suite kills.
      /Processing message queue failed: .*ERR_STREAM_DESTROYED/,
      /Costline\.log: \[error\] Sending request failed\./,
      // VS Code logs this if a tree is refreshed before it was drawn, as servers start and stop quickly here.
      /Unable to refresh tree view costline\.\w+: Canceled/,
      /No tree item with id '[^']*' found/,
    ],
  },
  edits: { options: ["--disable-workspace-trust"] },
  restarted: { options: ["--disable-workspace-trust"] },
  untrusted: { settings: { "security.workspace.trust.startupPrompt": "never" } },
};
const { settings, options = [], expected = [] } = SUITES[suite];

let ended;
const code = await Code.start({
  home: path.join(path.dirname(stage.root), `code-${suite}`),
  folder: stage.root,
  vsix: [vsix],
  settings: { "costline.server.path": stage.server, ...settings },
  options: [...options, "--vscode-option", "enable-smoke-test-driver"],
  payload: (remote) => [
    ["extensionDevelopmentPath", remote(path.join(import.meta.dirname, "second"))],
    ["extensionTestsPath", remote(path.join(import.meta.dirname, "inhost", suite))],
  ],
  expose: {
    codeAutomationLog: (_type, [text, ...rest]) => /^(ok|FAILED): /.test(text) && console.log(text, ...rest),
    codeAutomationExit: (status) => ended(status),
  },
});
await code.run(async () => {
  const status = await new Promise((resolve) => { ended = resolve; });
  if (status !== 0) throw new Error(`${suite}: failed`);
}, expected);
