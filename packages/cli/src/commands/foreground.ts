// Processes of this checkout that run until they are stopped.

import { command, type Invocation } from '../command.ts'
import { type ExitCode, usage } from '../exit.ts'
import { endOf, startChild } from '../server-process.ts'

export const up = command({
  name: 'up',
  summary: 'Start the service of this checkout in the foreground',
  usage: '[--port PORT] [--data FOLDER]',
  flags: {
    port: { type: 'string', value: 'PORT', help: 'port to listen on (default 8080)' },
    data: { type: 'string', value: 'FOLDER', help: 'data folder (default ./data)' },
  },
  example: 'orch up --port 0 --data data',
  run(call) {
    const { port, data } = call.flags
    const own = { ...(port !== undefined && { ORCH_PORT: port }), ...(data !== undefined && { ORCH_DATA: data }) }
    return runInForeground('up', call, 'scripts/bootstrap.mjs', ['start'], own)
  },
})

export const witness = command({
  name: 'witness',
  summary: 'Keep the newest checkpoint of logs and refuse any that does not continue it',
  usage: '[--data FOLDER] [--host ADDRESS] [--port PORT] [--name NAME] [--log VKEY ...]',
  flags: {
    data: { type: 'string', value: 'FOLDER', help: 'folder of the witness (default ./witness)' },
    host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
    port: { type: 'string', value: 'PORT', help: 'port to listen on (default 8090)' },
    name: { type: 'string', value: 'NAME', help: 'name of the key it cosigns with (default orch-witness)' },
    log: { type: 'string', multiple: true, value: 'VKEY', help: 'a log to keep; without, any by its first key' },
  },
  example: 'orch witness --port 0 --data witness',
  run(call) {
    const { data = 'witness', host, port, name, log = [] } = call.flags
    const own = Object.entries({ data, host, port, name }).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}`, value],
    )
    const args = [...own, ...log.flatMap((vkey) => ['--log', vkey])]
    return runInForeground('witness', call, 'packages/server/src/ledger/tools/witness.ts', args)
  },
})

/** Ctrl-C is how a process in the foreground is stopped: its own exit code stands. */
async function runInForeground(
  name: string,
  { flags, settings, interrupted }: Invocation,
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ExitCode> {
  if (flags.json) throw usage(`${name} has no result to print as JSON`)
  return (await endOf(startChild(script, args, settings, 'inherit', environment), interrupted)) as ExitCode
}
