/** Kill -9 at random moments under load, then hold the ledger to everything it acknowledged. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ChainWalker, sha256Hex } from '@orch/core'
import Type from 'typebox'
import { collection } from '../../src/domain/collection.ts'
import type { LedgerReader } from '../../src/ledger/contract.ts'
import { rootHexAt, rowsBetween } from '../../src/ledger/export.ts'
import type { LedgerSettings } from '../../src/ledger/protocol.ts'

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url))

export const COUNTERS = 'counters'
/** Documents in which writers count their receipts. */
export const counts = collection({
  space: COUNTERS,
  key: (writer: number) => sha256Hex(`writer ${writer}`),
  owner: () => 'public/local',
  rank: () => 0,
  schema: Type.Object({ count: Type.Integer() }),
})
/** The counter that all of them move. */
export const ALL_WRITERS = sha256Hex('all writers')

export interface Journal {
  acknowledged: Map<number, string>
  refused: number
  /** How often each refusal was given, so that a journal with too few receipts says why. */
  refusals: Map<string, number>
}

export const newJournal = (): Journal => ({ acknowledged: new Map(), refused: 0, refusals: new Map() })

export const settingsFor = (data: string, more: Partial<LedgerSettings> = {}): LedgerSettings => ({
  data,
  store: 'sqlite',
  postgresUrl: null,
  signer: 'demo',
  signerUrl: null,
  signerPublicKey: null,
  allowUnsigned: false,
  logOrigin: 'crash.test',
  defaultOrigin: 'crash.test',
  ...more,
})

/** A writer process; every acknowledgement it prints goes into the journal. An index acknowledged twice is a fork. */
export function startWriter(
  settings: LedgerSettings,
  journal: Journal,
  writers: number,
  limit = '',
  node = 'a',
  counting = false,
): { child: ChildProcess; ready: Promise<void>; done: Promise<unknown> } {
  const mode = counting ? ['counting'] : []
  const args = [WRITER, JSON.stringify(settings), String(writers), limit === '' ? 'Infinity' : limit, node, ...mode]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [first, second] = line.split(' ')
      if (first === 'ready') resolve()
      else if (first === 'refused') refuse(journal, second ?? 'without a code')
      else if (first !== 'done') acknowledge(journal, Number(first), second!)
    })
    child.once('exit', (code) => reject(new Error(`the writer ended with ${code}: ${errors.slice(-2000)}`)))
  })
  ready.catch(() => undefined)
  return { child, ready, done: Promise.all([once(child, 'exit'), once(lines, 'close')]) }
}

function refuse(journal: Journal, code: string): void {
  journal.refused += 1
  journal.refusals.set(code, (journal.refusals.get(code) ?? 0) + 1)
}

export function acknowledge(journal: Journal, index: number, digest: string): void {
  const known = journal.acknowledged.get(index)
  if (known !== undefined && known !== digest)
    throw new Error(`index ${index} was acknowledged twice, for two receipts`)
  journal.acknowledged.set(index, digest)
}

/** A small generator with a printed seed, so that a failing run can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export async function crashIterations(
  settings: LedgerSettings,
  iterations: number,
  seed: number,
  writers = 32,
  counting = false,
): Promise<Journal> {
  const journal = newJournal()
  const random = seeded(seed)
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const { child, ready, done } = startWriter(settings, journal, writers, '', 'a', counting)
    await ready
    await pause(20 + Math.floor(random() * 400))
    child.kill('SIGKILL')
    await done
  }
  return journal
}

/** None missing, none changed, no gap, no fork: the whole ledger re-walked and compared with the journal. */
export async function settleAccounts(reader: LedgerReader, journal: Journal): Promise<{ size: number; root: string }> {
  const { size } = await reader.head()
  const walker = new ChainWalker()
  const owed = new Map(journal.acknowledged)
  for await (const row of rowsBetween(reader, 0, size)) {
    const broken = walker.push({ node_index: row.nodeIndex, body: row.body, digest: row.digest, lake: row.lake })
    if (broken) throw new Error(`receipt ${broken.broken_at} is broken: ${broken.reason}`)
    const promised = owed.get(row.nodeIndex)
    if (promised !== undefined && promised !== row.digest)
      throw new Error(`receipt ${row.nodeIndex} is not the one that was acknowledged`)
    owed.delete(row.nodeIndex)
  }
  if (owed.size > 0)
    throw new Error(
      `${owed.size} acknowledged receipts are missing, the first at ${[...owed.keys()].sort((a, b) => a - b)[0]}`,
    )
  const { root } = walker.finish()
  if (root !== (await rootHexAt(reader, size)))
    throw new Error('the stored tree is not the tree of the stored receipts')
  return { size, root }
}

/** Every count is the number of receipts it was committed with, and names the last of them. Gives their sum. */
export async function settleCounters(reader: LedgerReader, writers: number): Promise<number> {
  const { size } = await reader.head()
  const receipts = Array.from({ length: writers }, () => ({ count: 0, last: null as number | null }))
  for await (const { body, nodeIndex } of rowsBetween(reader, 0, size)) {
    const { payload } = JSON.parse(Buffer.from(body).toString()) as { payload: { statement: { writer: number } } }
    const own = receipts[payload.statement.writer]!
    own.count += 1
    own.last = nodeIndex
  }
  for (const [writer, { count, last }] of receipts.entries()) {
    const found = await counts.get(reader, writer)
    const { version = 0, nodeIndex = null } = found?.row ?? {}
    if ((found?.value.count ?? 0) !== count || version !== count || nodeIndex !== last)
      throw new Error(
        `writer ${writer} has ${count} receipts up to ${last}, its document says ${JSON.stringify(found)}`,
      )
  }
  const sum = receipts.reduce((all, { count }) => all + count, 0)
  const moved = await reader.counter(COUNTERS, ALL_WRITERS)
  if (moved !== sum) throw new Error(`there are ${sum} receipts and the counter they all moved says ${moved}`)
  return sum
}
