/** The reader over a store in memory that compares and sets as the real one does, with a clock a test moves. */
import type { TestContext } from 'node:test'
import { type Measure, openOutbound } from '../../src/adapters/outbound/outbound.ts'
import { ServiceError } from '../../src/errors.ts'
import { openReadings } from '../../src/features/readings/io/readings.ts'
import { readingProviders } from '../../src/features/readings/io/sources.ts'
import type { DocumentRow, DocumentWrite } from '../../src/ledger/contract.ts'
import type { Background, Clock, Ledger, Log } from '../../src/ports.ts'
import { ANCHOR, type LocalHosts, localHosts, REPOSITORY, SPACE } from './local-hosts.ts'

type DocumentStore = Pick<Ledger, 'reader' | 'writeDocuments'> & { rows: Map<string, DocumentRow> }

export function documentStore(): DocumentStore {
  const rows = new Map<string, DocumentRow>()
  const at = ({ space, key }: { space: string; key: string }) => `${space}/${key}`
  const writeDocuments = async (writes: readonly DocumentWrite[]) => {
    if (writes.some((write) => (rows.get(at(write))?.version ?? 0) !== write.expect))
      throw new ServiceError('state_conflict', 'another writer was faster')
    for (const { expect, value, ...write } of writes)
      rows.set(at(write), { ...write, value: value ?? '', version: expect + 1, nodeIndex: null })
  }
  const document = async (space: string, key: string) => rows.get(at({ space, key })) ?? null
  return { rows, writeDocuments, reader: { document } as unknown as Ledger['reader'] }
}

interface MovedClock extends Clock {
  forward(seconds: number): void
  /** What the machine takes for the time is set back; how long it runs is not. */
  setBack(seconds: number): void
}

export function movedClock(): MovedClock {
  let [moved, back] = [0, 0]
  return {
    now: () => Date.parse('2026-01-02T04:00:00.000Z') + moved - back,
    monotonic: () => moved,
    forward(seconds) {
      moved += seconds * 1000
    },
    setBack(seconds) {
      back += seconds * 1000
    },
  }
}

/** Tasks run when the test says so. */
interface HandBackground extends Background {
  run(name: string): Promise<void>
}

function handBackground(): HandBackground {
  const works = new Map<string, () => Promise<void>>()
  return {
    every: (name, _interval, work) => void works.set(name, work),
    tasks: () => [],
    stop: () => works.clear(),
    run: async (name) => works.get(name)?.(),
  } as HandBackground
}

interface ReaderOptions {
  measure?: Measure
  /** Nothing may be sent. */
  off?: boolean
  hosts: LocalHosts
  clock?: MovedClock
  store?: DocumentStore
  shared?: boolean
  deployed?: string | null
  more?: Partial<Parameters<typeof openReadings>[0]>
}

export async function openReader({
  hosts,
  clock = movedClock(),
  store = documentStore(),
  shared = false,
  deployed = null,
  more,
  measure,
  off = false,
}: ReaderOptions) {
  const background = handBackground()
  const warned: object[] = []
  const log = { warn: (fields: object) => warned.push(fields) } as unknown as Log
  const own = async () => ({ http_status: 200, body: { organ: 'orch' } })
  const settings = {
    repository: { name: REPOSITORY, origin: hosts.url, token: 'planted-token', anchor: ANCHOR },
    space: { name: SPACE, origin: hosts.url },
    probe: null,
    spine: null,
    constellation: [],
    spend: null,
    links: [],
    builtFrom: deployed,
    intervalMs: 240_000,
    shared,
    ...more,
  }
  const measured = measure === undefined ? {} : { measure }
  const outbound = openOutbound({ enabled: !off, privateHosts: [] }, readingProviders(settings), {
    store,
    clock,
    ...measured,
  })
  const open = await openReadings(settings, { ledger: store, outbound, background, clock, log, own })
  return { ...open, readings: open.port, background, clock, store, warned }
}

/** Gone, with its hosts, when the test is. */
export async function reader(t: TestContext, options: Partial<ReaderOptions> = {}) {
  const hosts = options.hosts ?? (await localHosts())
  const opened = await openReader({ ...options, hosts })
  t.after(async () => {
    await opened.stop()
    await hosts.close()
  })
  return { ...opened, hosts }
}
