// Stands in for VS Code's native logger, so that logs and output channels can be read without a compiler: appends to files.
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
