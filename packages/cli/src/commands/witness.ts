import { endOf, startChild } from '../child.ts'
import { command } from '../command.ts'
import { type ExitCode, usage } from '../exit.ts'

export default command({
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
  async run({ flags, settings, interrupted }) {
    if (flags.json) throw usage('witness has no result to print as JSON')
    const { data = 'witness', host, port, name, log = [] } = flags
    const own = Object.entries({ data, host, port, name }).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}`, value],
    )
    const args = [...own, ...log.flatMap((vkey) => ['--log', vkey])]
    const child = startChild('packages/server/src/ledger/tools/witness.ts', args, settings, 'inherit')
    // Ctrl-C is how a process in the foreground is stopped: its own exit code stands.
    return (await endOf(child, interrupted)) as ExitCode
  },
})
