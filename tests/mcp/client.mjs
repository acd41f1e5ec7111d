// A client of the official SDK. Arguments: the folder with the SDK, the folder to start the server in, and the server's command
// line as JSON. Reads requests from standard input, one JSON array per line: ["listTools"], ["callTool", {…}], ["listResources"],
// ["readResource", {…}]. Writes one line per request: {"answer": …} or {"error": {"code", "message"}}.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, cwd, command] = process.argv.slice(2);
const find = createRequire(join(packages, "package.json"));
const load = (name) => import(pathToFileURL(find.resolve(`@modelcontextprotocol/sdk/${name}`)).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

const client = new Client({ name: "costline-test", version: "1" });
const [program, ...args] = JSON.parse(command);
await client.connect(new StdioClientTransport({ command: program, args, cwd, env: { ...process.env }, stderr: "inherit" }));

for await (const line of createInterface({ input: process.stdin })) {
  const [method, params] = JSON.parse(line);
  const reply = await client[method](params).then(
    (answer) => ({ answer }),
    ({ code, message }) => ({ error: { code, message } }),
  );
  console.log(JSON.stringify(reply));
}
await client.close();
