// Replaces VS Code's native logger, which needs a compiler: appends logs and output channels to files.
const fs = require("node:fs");
const path = require("node:path");

exports.setFlushOn = () => {};

exports.createAsyncRotatingLogger = async (_name, file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let raw = false;
  const write = (level) => (text) => fs.appendFileSync(file, raw ? text : `[${level}] ${text}\n`);
  return {
    trace: write("trace"), debug: write("debug"), info: write("info"), warn: write("warning"), error: write("error"),
    critical: write("critical"),
    clearFormatters: () => { raw = true; },
    setPattern: () => {}, setLevel: () => {}, flush: () => {}, drop: () => {},
  };
};
