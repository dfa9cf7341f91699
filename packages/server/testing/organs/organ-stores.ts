/** Organs over a real ledger of each store, without a service around them. */
import { rmSync } from 'node:fs'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../src/errors.ts'
import type { Organ } from '../../src/features/organs/organ.ts'
import type { DocumentWrite } from '../../src/ledger/contract.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { Ledger } from '../../src/ports.ts'
import { settingsFor } from '../ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '../postgres.ts'
import { freshFolder } from '../private-folder.ts'
import { type Tried, tryOrgan } from './try-organ.ts'

interface StoredRuns {
  ledger: Ledger
  /** The data folder. */
  data: string
  /** Runs a request and writes what it wants written, again and again while others write the same. */
  run(body: Record<string, unknown>, options?: Parameters<typeof tryOrgan>[2]): Promise<Tried>
  /** Closes the ledger and opens it again, with an organ that remembers nothing. */
  restart(): Promise<void>
}

/** The same test on a fresh ledger of each store; a server that was started stops with the file. */
export function onEachStore(name: string, make: (ledger: Ledger) => Organ) {
  let server: Promise<PostgresDatabases> | null = null
  let databases = 0
  after(async () => (await server)?.stop())
  const opened = async (t: TestContext, kind: 'sqlite' | 'postgres'): Promise<StoredRuns> => {
    const data = freshFolder(name)
    server ??= kind === 'postgres' ? sharedPostgres() : null
    databases += 1
    const url = kind === 'postgres' ? await (await server!).createDatabase(`${name}_${databases}`) : null
    const settings = settingsFor(data, url === null ? {} : { store: 'postgres', postgresUrl: url })
    let ledger = await openLedger(settings)
    let organ = make(ledger)
    t.after(async () => {
      await ledger.close()
      rmSync(data, { recursive: true, force: true })
    })
    return {
      data,
      get ledger() {
        return ledger
      },
      run: (body, options) => runStored(ledger, organ, body, options),
      async restart() {
        await ledger.close()
        ledger = await openLedger(settings)
        organ = make(ledger)
      },
    }
  }
  return (sentence: string, check: (runs: StoredRuns, kind: 'sqlite' | 'postgres') => Promise<void>): void => {
    for (const kind of ['sqlite', 'postgres'] as const)
      test(`${kind}: ${sentence}`, async (t) => {
        const unavailable = kind === 'postgres' ? postgresUnavailable() : undefined
        if (unavailable) return t.skip(unavailable)
        await check(await opened(t, kind), kind)
      })
  }
}

/** Runs a request and writes what it wants written, again and again while others write the same. */
export async function runStored(
  ledger: Pick<Ledger, 'writeDocuments'>,
  organ: Organ,
  body: Record<string, unknown>,
  options?: Parameters<typeof tryOrgan>[2],
): Promise<Tried> {
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOrgan(organ, body, options)
    // The deadline of an op is wall-clock time, which a busy machine may not have: nothing was written then.
    if (tried.answer.status === 'LIMIT_EXCEEDED' && attempt < 50) continue
    try {
      if (tried.documents.length > 0) await ledger.writeDocuments(tried.documents as DocumentWrite[])
      return tried
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'state_conflict' && attempt < 50)) throw error
      await pause(attempt)
    }
  }
}
