// Runs the server for an editor and records all messages, for `wire::check_log`:
//   node tee.mjs FOLDER SERVER ARGUMENTS…
// Each run is a file FOLDER/<process id>.jsonl: a line per piece, {"from": "client" | "server", "bytes": "…"}, where a character is a byte.
// The messages are neither changed nor parsed. The exit code and stderr of the tee are those of the server.

import { spawn } from 'node:child_process'
import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [folder, server, ...args] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const log = openSync(join(folder, `${process.pid}.jsonl`), 'w')
const child = spawn(server, args, { stdio: ['pipe', 'pipe', 'inherit'] })

const copy = (from, source, sink) => {
  source.on('data', (bytes) => {
    // Record before passing on, so that no response is in the log before its request.
    writeSync(log, JSON.stringify({ from, bytes: bytes.toString('latin1') }) + '\n')
    if (!sink.write(bytes)) source.pause()
  })
  sink.on('drain', () => source.resume())
  source.on('end', () => sink.end())
  // The receiver is gone; the exit code of the server decides.
  sink.on('error', () => source.destroy())
}
copy('client', process.stdin, child.stdin)
copy('server', child.stdout, process.stdout)

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  console.error(`${server}: ${error.message}`)
  process.exit(127)
})
child.on('close', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  } else process.exit(code)
})
