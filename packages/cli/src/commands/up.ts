import { endOf, startChild } from '../child.ts'
import { command } from '../command.ts'
import { type ExitCode, usage } from '../exit.ts'

export default command({
  name: 'up',
  summary: 'Start the service of this checkout in the foreground',
  usage: '[--port PORT] [--data FOLDER]',
  flags: {
    port: { type: 'string', value: 'PORT', help: 'port to listen on (default 8080)' },
    data: { type: 'string', value: 'FOLDER', help: 'data folder (default ./data)' },
  },
  example: 'orch up --port 0 --data data',
  async run({ flags, settings, interrupted }) {
    if (flags.json) throw usage('up has no result to print as JSON')
    const own = {
      ...(flags.port !== undefined && { ORCH_PORT: flags.port }),
      ...(flags.data !== undefined && { ORCH_DATA: flags.data }),
    }
    const child = startChild('scripts/bootstrap.mjs', ['start'], settings, 'inherit', own)
    // Ctrl-C is how a service in the foreground is stopped: its own exit code stands.
    return (await endOf(child, interrupted)) as ExitCode
  },
})
