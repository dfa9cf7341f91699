// Every scenario of `npm run bench`, each after the one it is judged against.
import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { benchFolder } from './folder.ts'
import { type HttpTarget, httpLoad, httpWait } from './http-load.ts'
import { CHAT } from './references/chat-upstream.ts'
import { EXAMPLE } from './references/shapes.ts'
import { type Runner, type Scenario, Unavailable } from './scenario.ts'
import { SERIAL, SESSION } from './serial.ts'
import { type PerThread, perItem, watchedClocks } from './thread-clocks.ts'

const run = promisify(execFile)
const QUIET_NODE = ['--disable-warning=ExperimentalWarning']
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const runner = (measure: Runner['measure']): Runner => ({ measure, close: async () => undefined })

/** Processor time of one thing by thread, of every round of the scenarios that are programs and tell it. */
export const programThreads = new Map<string, PerThread[]>()
const keepThreads = (scenario: string, threads: PerThread): void =>
  void programThreads.set(scenario, [...(programThreads.get(scenario) ?? []), threads])

/** A measuring program in a process of its own: run once per round, prints one number as its last line. */
async function measureInChild(program: string, ...args: string[]): Promise<number> {
  const options = { env: { ...process.env, NODE_ENV: 'production' }, maxBuffer: 1 << 24 }
  const flags = [...QUIET_NODE, pathOf(`./programs/${program}`)]
  const { stdout } = await run(process.execPath, [...flags, ...args], options)
  const [figure = '', threads = ''] = stdout.trim().split('\n').reverse()
  const value = Number(figure)
  if (!Number.isFinite(value)) throw new Unavailable(`${program} printed no number`)
  if (threads.startsWith('{')) keepThreads(basename(program, '.ts'), JSON.parse(threads))
  return value
}

/** The service, loaded at one of its paths. */
const service = (path: string, body: unknown, env: Record<string, string> = {}): HttpTarget => ({
  target: './targets/service.ts',
  env: { BENCH_PATH: path, ...env },
  body,
})

const LARGE_QUOTAS =
  'sessions=100000000/100000000,steps=100000000/100000000,effects=100000000/100000000,bytes=1000000000000/1000000000000'

// One decision over HTTP: every gate, Cedar, lambda, a signature, durable on SQLite, then answered.
const DECISION = service('/api/orch/v1/wow/govern', { text: EXAMPLE.text })
// One governed step over HTTP: all gates, five experts, Cedar, the session's budget and history, a signature, then
// state, effects and answer durable on SQLite in one commit. Sessions of eight steps, so that most steps have a history;
// many sessions at a time, for nobody sends the steps of one session at once. A bench records more in a minute than the
// shipped quotas leave room for.
const STEP = service(
  '/api/orch/v1/gdw/step',
  { session_id: `bench ${SESSION}`, request: `summarise the quarterly report, edition ${SERIAL}` },
  { BENCH_GDW_QUOTAS: LARGE_QUOTAS },
)

// One receipt over HTTP: validated, placed, hashed in two families, signed, durable on SQLite, then answered.
const MINT = service('/api/orch/khipu/sign', EXAMPLE)
// One validated POST through the operation layer: what our own routing, limits and headers add to a bare Fastify.
const OPERATION_LAYER: HttpTarget = { target: './targets/operation-layer.ts', body: EXAMPLE }
const SIGN_LIMIT: HttpTarget = { target: './references/sign-limit.ts', body: EXAMPLE }
const ECHO: HttpTarget = { target: './references/echo.ts', body: EXAMPLE }

const HTTP: readonly Scenario[] = [
  {
    name: 'echo',
    unit: 'requests/s',
    prepare: () => httpLoad(ECHO),
  },
  {
    name: 'sign-limit',
    unit: 'requests/s',
    ratioTo: 'echo',
    prepare: () => httpLoad(SIGN_LIMIT),
  },
  {
    name: 'operation-layer',
    unit: 'requests/s',
    ratioTo: 'echo',
    bar: 0.75,
    prepare: () => httpLoad(OPERATION_LAYER),
  },
  {
    name: 'mint',
    unit: 'receipts/s',
    ratioTo: 'sign-limit',
    bar: 0.75,
    goal: 0.85,
    prepare: () => httpLoad(MINT),
  },
  {
    name: 'governed-decision',
    unit: 'decisions/s',
    ratioTo: 'sign-limit',
    bar: 0.55,
    goal: 0.8,
    prepare: () => httpLoad(DECISION),
  },
  { name: 'step', unit: 'steps/s', ratioTo: 'sign-limit', bar: 0.2, prepare: () => httpLoad(STEP) },
]

export const program =
  (file: string): Scenario['prepare'] =>
  async () =>
    runner((seconds) => measureInChild(file, String(seconds)))

const LEDGER: readonly Scenario[] = [
  // The same rows, without what makes them evidence.
  { name: 'raw-inserts', unit: 'rows/s', prepare: program('raw-inserts.ts') },
  { name: 'appends', unit: 'receipts/s', ratioTo: 'raw-inserts', bar: 0.6, goal: 0.8, prepare: program('appends.ts') },
]

const EXPORT_SIZE = 100_000
let exported: Promise<string> | null = null

function exportFile(): Promise<string> {
  exported ??= (async () => {
    const file = join(benchFolder(), 'ledger.jsonl')
    await measureInChild('make-export.ts', String(EXPORT_SIZE), file)
    return file
  })()
  return exported
}

/** `orch verify` of the export as a user runs it, process start included. */
async function verifyExport(file: string): Promise<number> {
  const started = performance.now()
  const words = [pathOf('../packages/cli/orch.mjs'), 'verify', file, '--key', `${file}.pem`, '--json']
  const running = run(process.execPath, words)
  const clocks = watchedClocks(running.child.pid!)
  const { stdout } = await running
  const elapsed = performance.now() - started
  const seen = clocks()
  if (seen.size > 0) keepThreads('verify-export', perItem(new Map(), seen, EXPORT_SIZE))
  // A verifier that did not look is fast: the figure counts only beside a report over every receipt.
  const { verdict, checks, subject } = JSON.parse(stdout)
  const signature = checks.find(({ check }: { check: string }) => check === 'signature')
  if (signature.status !== 'VERIFIED' || subject.receipts !== EXPORT_SIZE)
    throw new Unavailable(`the export was not verified: ${verdict}, ${signature.reason}`)
  return (EXPORT_SIZE / elapsed) * 1_000
}

const VERIFY: readonly Scenario[] = [
  // crypto.verify alone, on all cores, over the signatures of the same export.
  {
    name: 'raw-verify',
    unit: 'signatures/s',
    prepare: async () => exportFile().then((file) => runner(() => measureInChild('raw-verify.ts', file))),
  },
  {
    name: 'verify-export',
    unit: 'receipts/s',
    ratioTo: 'raw-verify',
    bar: 0.85,
    goal: 0.9,
    prepare: async () => exportFile().then((file) => runner(() => verifyExport(file))),
  },
]

// What the OpenAI-compatible proxy costs where nothing is found, beside a proxy that looks at nothing: requests of a few
// connections, and how long one client waits at the median, which holds two durable receipts.
const [PASSING, GOVERNED] = ['./references/pass-through.ts', './targets/proxy.ts']
const chatAt = (target: string): HttpTarget => ({ target, body: CHAT, connections: 8 })
const loadOf = (target: string) => () => httpLoad(chatAt(target))
const waitOf = (target: string) => () => httpWait({ target, body: CHAT })
const PROXY: readonly Scenario[] = [
  { name: 'pass-through', unit: 'requests/s', prepare: loadOf(PASSING) },
  { name: 'proxy', unit: 'requests/s', ratioTo: 'pass-through', prepare: loadOf(GOVERNED) },
  { name: 'pass-through-p50', unit: 'ms', prepare: waitOf(PASSING) },
  { name: 'proxy-p50', unit: 'ms', addedTo: 'pass-through-p50', most: 1, prepare: waitOf(GOVERNED) },
]

/** What `--account` takes apart. */
export const ACCOUNTED: Readonly<Record<string, HttpTarget>> = {
  decision: DECISION,
  step: STEP,
  chat: { ...chatAt(GOVERNED), connections: 32 },
  mint: MINT,
  'sign-limit': SIGN_LIMIT,
  'operation-layer': OPERATION_LAYER,
  echo: ECHO,
}

const SIZES = [10_000, 100_000, 1_000_000] as const
const READINGS = { start_ms: 'ms', proof_ms_p50: 'ms', rss_mib: 'MiB' } as const
type Reading = keyof typeof READINGS

const probed = new Map<number, Promise<Record<Reading, number>>>()

/** A ledger of a million receipts is grown once; its three readings are taken from the same processes. */
function probe(size: number): Promise<Record<Reading, number>> {
  const taken =
    probed.get(size) ??
    run(process.execPath, [pathOf('./programs/scale.ts'), 'grow', String(size)]).then(({ stdout }) =>
      JSON.parse(stdout),
    )
  probed.set(size, taken)
  return taken
}

const nameOf = (reading: Reading, size: number): string =>
  `${reading.replace(/_(ms|mib)/, '').replaceAll('_', '-')}-at-${size}`

/** Start-up, proof latency and memory at growing sizes. Each is judged against itself at 10,000 receipts: flat is 1. */
const SCALE: readonly Scenario[] = (Object.keys(READINGS) as Reading[]).flatMap((reading) =>
  SIZES.map((size) => ({
    name: nameOf(reading, size),
    unit: READINGS[reading],
    ...(size === SIZES[0] ? {} : { ratioTo: nameOf(reading, SIZES[0]) }),
    isReadOnce: true,
    prepare: async () => runner(async () => (await probe(size))[reading]),
  })),
)

const BUILT_ORGANS = Array.from({ length: 25 }, (_, at) => at + 1).map((number) => `n${number}`)
let organFigures: { taken: Set<string>; figures: Promise<Record<string, number>> } | null = null

/** One process measures all organs of a round. */
async function organFigure(name: string): Promise<number> {
  if (organFigures === null || organFigures.taken.has(name)) {
    const figures = run(process.execPath, [...QUIET_NODE, pathOf('./programs/organs.ts')]).then(({ stdout }) =>
      JSON.parse(stdout),
    )
    organFigures = { taken: new Set(), figures }
  }
  organFigures.taken.add(name)
  const value = (await organFigures.figures)[name]
  if (value === undefined) throw new Unavailable(`${name} was not measured`)
  return value
}

/** The example of each organ over HTTP, its receipt included, beside the raw primitive under it. */
const ORGANS: readonly Scenario[] = BUILT_ORGANS.flatMap((name) => [
  { name: `raw-${name}`, unit: 'ms', digits: 4, prepare: async () => runner(() => organFigure(`raw-${name}`)) },
  {
    name: `organ-${name}`,
    unit: 'ms',
    digits: 4,
    ratioTo: `raw-${name}`,
    prepare: async () => runner(() => organFigure(`organ-${name}`)),
  },
])

const MODEL: readonly Scenario[] = [
  {
    name: 'm1-generate',
    unit: 'tokens per second of one core',
    prepare: async () => runner(() => measureInChild('m1-tokens.ts')),
  },
]

export const SCENARIOS: readonly Scenario[] = [
  ...[...HTTP, ...LEDGER, ...VERIFY, ...PROXY],
  ...[...ORGANS, ...MODEL, ...SCALE],
]
