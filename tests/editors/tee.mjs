// Runs the server in an editor's stead and writes down what goes over the wire, for `wire::check_log`:
//   node tee.mjs FOLDER SERVER ARGUMENTS…
// Each run is a file FOLDER/<process id>.jsonl: a line per piece, {"from": "client" | "server", "bytes": "…"}, a character a byte.
// Nothing is changed or understood on the way; the server's end, and what it says on stderr, are the tee's.

import { spawn } from 'node:child_process'
import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [folder, server, ...args] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const log = openSync(join(folder, `${process.pid}.jsonl`), 'w')
const child = spawn(server, args, { stdio: ['pipe', 'pipe', 'inherit'] })

const copy = (from, source, sink) => {
  source.on('data', (bytes) => {
    // Written before it goes on: an answer is never in the log ahead of its question.
    writeSync(log, JSON.stringify({ from, bytes: bytes.toString('latin1') }) + '\n')
    if (!sink.write(bytes)) source.pause()
  })
  sink.on('drain', () => source.resume())
  source.on('end', () => sink.end())
  // The other side has gone; the server's exit is what counts.
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
