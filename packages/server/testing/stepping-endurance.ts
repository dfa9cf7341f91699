/** Many sessions against a real service, and what must still hold when they are through: every request answered, the
 *  chain whole, memory no higher at the end than in the middle. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundleWhereNeeded } from '../build.ts'
import { startService } from './service.ts'

/** What is measured is started as `npm start` does. */
const RUNTIME = new URL('../../../deploy/runtime.json', import.meta.url)
const MAIN = fileURLToPath(new URL('../dist/main.mjs', import.meta.url))
const STEPS = 10
const CLIENTS = 32
const ROOM = 'sessions=1000000/1000000,steps=10000000/10000000,effects=1000000/1000000,reviews=100000/100000'
const SAMPLES = 40
/** Between the second quarter and the last: what is kept for each session or step would more than double it. */
const MAX_GROWTH = 1.3

/** `residentMiB` is of the service, as the sessions went. */
export async function steppingEndurance(sessions: number): Promise<{ text: string; residentMiB: number[] }> {
  const { flags, env } = JSON.parse(readFileSync(RUNTIME, 'utf8')) as { flags: string[]; env: Record<string, string> }
  await bundleWhereNeeded((line) => process.stderr.write(`${line}\n`))
  const service = await startService({
    main: MAIN,
    flags,
    env: { ...env, ORCH_GDW_QUOTAS: `${ROOM},bytes=100000000000/100000000000`, ORCH_LOG_LEVEL: 'error' },
  })
  try {
    const memory: number[] = []
    const decisions = new Map<string, number>()
    let [next, done] = [0, 0]
    const client = async () => {
      for (let session = next++; session < sessions; session = next++) {
        for (let step = 1; step <= STEPS; step += 1) count(decisions, await stepped(service.url, session, step))
        done += 1
        if (done % Math.max(1, Math.floor(sessions / SAMPLES)) === 0) memory.push(await residentMiB(service.url))
      }
    }
    const stepping = Promise.all(Array.from({ length: CLIENTS }, client))
    const exported = await drainUntil(service.url, stepping)
    await stepping
    const records = await holds(service.url, sessions)
    const text = `${sessions} sessions of ${STEPS} steps (${toText(decisions)}), ${records} records re-walked and whole, ${exported} effects delivered, memory ${plateau(memory)}`
    return { text, residentMiB: memory }
  } finally {
    await service.close()
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
const toText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, n]) => `${n} ${name}`).join(', ')

/** One session in fifty asks for something that a person has to look at. */
const requestOf = (session: number, step: number): string =>
  session % 50 === 0 && step === STEPS ? 'pay all invoices of Acme' : `read chapter ${step} of report number ${session}`

async function stepped(url: string, session: number, step: number): Promise<string> {
  const body = { session_id: `endurance ${session}`, request: requestOf(session, step) }
  const { decision, step: recorded } = await asked(`${url}/api/orch/v1/gdw/step`, body)
  if (recorded !== step) throw new Error(`session ${session} is at step ${recorded} and should be at ${step}`)
  return String(decision)
}

/** The service delivers 100 every five seconds by itself; whoever steps this fast asks for more. */
async function drainUntil(url: string, stepping: Promise<unknown>): Promise<number> {
  const still = { stepping: true }
  // Its failure is its own; here it only ends the draining.
  const over = () => {
    still.stepping = false
  }
  stepping.then(over, over)
  let exported = 0
  for (;;) {
    const last = !still.stepping
    const report = await asked(`${url}/api/orch/v1/gdw/drain?limit=1000`, {})
    exported += Number(report.exported)
    if (last && report.due_remaining === 0) return exported
    if (report.attempted === 0) await pause(200)
  }
}

async function holds(url: string, sessions: number): Promise<number> {
  const { ok, first_broken, records_total } = await asked(`${url}/api/orch/v1/gdw/integrity/global`)
  if (!ok || records_total !== sessions * STEPS)
    throw new Error(`${records_total} records, first broken ${JSON.stringify(first_broken)}`)
  const ledger = await asked(`${url}/api/orch/v1/khipu/organs?rewalk=true`)
  if (!ledger.ok || ledger.broken !== null) throw new Error(`the ledger is broken: ${JSON.stringify(ledger.broken)}`)
  return Number(records_total)
}

/** Anything but 200 ends the run. */
async function asked(url: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const reply = await fetch(url, { ...sent, signal: AbortSignal.timeout(600_000) })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${new URL(url).pathname} answered ${reply.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

async function residentMiB(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const bytes = /^orch_process_resident_memory_bytes ([\d.e+]+)$/m.exec(text)?.[1]
  if (bytes === undefined) throw new Error('the service does not tell its memory')
  return Number(bytes) / 1_048_576
}

function plateau(memory: readonly number[]): string {
  const quarter = (from: number): number[] =>
    memory.slice(Math.floor((memory.length * from) / 4), Math.ceil((memory.length * (from + 1)) / 4))
  const [middle, end] = [Math.max(...quarter(1)), Math.max(...quarter(3))]
  const shown = `${Math.round(middle)} MiB in the second quarter, ${Math.round(end)} MiB in the last`
  if (end > middle * MAX_GROWTH) throw new Error(`memory grows: ${shown}`)
  return shown
}
