// Processes of this checkout that run until they are stopped, or until they have measured.

import { resolve } from 'node:path'
import { command, type Invocation } from '../command.ts'
import { CliError, EXIT, type ExitCode, usage } from '../exit.ts'
import { parseCount } from '../forgiving.ts'
import { readJson } from '../json-input.ts'
import { createProgress } from '../progress.ts'
import { checkoutPath, endOf, endText, listen, startChild } from '../server-process.ts'
import { type Column, tableHeader, tableRow } from '../table.ts'

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
    const own = {
      ...(port !== undefined && { ORCH_PORT: parsePort(port) }),
      ...(data !== undefined && { ORCH_DATA: data }),
    }
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
    const checked = port === undefined ? port : parsePort(port)
    const own = Object.entries({ data, host, port: checked, name }).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}`, value],
    )
    const args = [...own, ...log.flatMap((vkey) => ['--log', vkey])]
    return runInForeground('witness', call, 'packages/server/src/ledger/tools/witness.ts', args)
  },
})

const parsePort = (port: string): string => String(parseCount('--port', port, 0, 65_535))

interface BenchEntry {
  value: number | null
  unit: string
  ratio: number | null
  ratio_to: string | null
  run_at: string
}

const BENCH_COLUMNS: readonly Column<readonly [string, BenchEntry]>[] = [
  { title: 'SCENARIO', width: 24, value: ([name]) => name },
  { title: 'VALUE', width: 10, value: ([, { value }]) => String(value ?? 'UNAVAILABLE') },
  { title: 'UNIT', width: 14, value: ([, { unit }]) => unit },
  { title: 'RATIO', width: 6, value: ([, { ratio }]) => String(ratio ?? '-') },
  { title: 'TO', width: 18, value: ([, { ratio_to }]) => ratio_to ?? '-' },
]

export const bench = command({
  name: 'bench',
  summary: 'Measure this checkout beside its references, and print the results as ratios',
  usage: '[--only NAMES] [--rounds N] [--seconds N] [--out FILE] | --last',
  flags: {
    only: { type: 'string', value: 'NAMES', help: 'these scenarios alone, as echo,mint' },
    rounds: { type: 'string', value: 'N', help: 'rounds of each (default 5)' },
    seconds: { type: 'string', value: 'N', help: 'seconds of a round (default 5)' },
    out: { type: 'string', value: 'FILE', help: 'where results are kept (default bench/results.json of the checkout)' },
    last: { type: 'boolean', help: 'print what the last runs recorded and measure nothing' },
  },
  example: 'orch bench --last',
  async run({ flags, settings, terminal, interrupted }) {
    const { only, last } = flags
    const file = flags.out === undefined ? checkoutPath('bench/results.json') : resolve(flags.out)
    const numbers = (['rounds', 'seconds'] as const).flatMap((name) =>
      flags[name] === undefined ? [] : [`--${name}`, String(parseCount(`--${name}`, flags[name], 1, 1000))],
    )
    if (last !== true) {
      const args = ['bench', '--progress', '--out', file, ...(only === undefined ? [] : ['--only', only]), ...numbers]
      const child = startChild('scripts/bootstrap.mjs', args, settings, ['ignore', 'ignore', 'pipe'])
      const progress = createProgress(terminal, settings.progress, 'bench')
      // The bar stands for the lines of the rounds; without one they are what shows that it goes on.
      const lines: string[] = []
      const heard = listen(child, progress, (line) => (terminal.errIsTty ? lines.push(line) : terminal.say(line)))
      const end = await endOf(child, interrupted)
      await heard
      progress.end()
      interrupted.throwIfAborted()
      if (end.code !== 0)
        throw new CliError(
          EXIT.error,
          `bench ${endText(end)}${lines.length > 0 ? ` (${lines.at(-1)})` : ''}; orch bench --last names the scenarios`,
        )
    }
    const recorded = readJson(file, file) as object as {
      results: Record<string, BenchEntry>
    }
    const chosen = only?.split(',')
    const rows = Object.entries(recorded.results).filter(([name]) => chosen?.includes(name) ?? true)
    if (flags.json) await terminal.out(`${JSON.stringify({ ...recorded, results: Object.fromEntries(rows) })}\n`)
    else {
      await terminal.out(tableHeader(BENCH_COLUMNS, terminal))
      for (const row of rows) await terminal.out(tableRow(BENCH_COLUMNS, row, terminal))
    }
    if (last) terminal.say(`SAMPLE: recorded between ${times(rows)[0]} and ${times(rows).at(-1)}, not measured now`)
    return EXIT.done
  },
})

const times = (rows: readonly (readonly [string, BenchEntry])[]): string[] =>
  rows.map(([, { run_at }]) => run_at).sort()

/** Ctrl-C is how a process in the foreground is stopped: its own exit code stands. */
async function runInForeground(
  name: string,
  { flags, settings, interrupted }: Invocation,
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ExitCode> {
  if (flags.json) throw usage(`--json: orch ${name} runs until it is stopped and has no result; leave it out`)
  const end = await endOf(startChild(script, args, settings, 'inherit', environment), interrupted)
  if (end.killedBy !== null)
    throw new CliError(EXIT.error, `the process of orch ${name} ${endText(end)}; orch ${name} starts it again`)
  return end.code as ExitCode
}
