/** What a walk found, as it is told. No path, no host, and of other people's sessions nothing but a digest. */
import type { Caller } from '../../../access.ts'
import { partitionName } from '../../../domain/partition.ts'
import type { LedgerReader, StoreModes } from '../../../ledger/contract.ts'
import type { Clock } from '../../../ports.ts'
import { effectSpace } from '../outbox/effect-documents.ts'
import { countEffects, sumEffects } from '../outbox/stats.ts'
import type { IntegrityReply } from '../read-schemas.ts'
import { type Broken, headsRoot, type IntegrityState } from '../rules/integrity.ts'
import { INVALID_KINDS } from '../rules/integrity-faults.ts'
import { countStates, readHeads } from './heads.ts'
import { ofNamespace, type Verifier, type Walked } from './verifier.ts'

export interface ReportParts {
  reader: LedgerReader
  clock: Pick<Clock, 'now'>
  verifier: Verifier
  /** Of this store and no other, for as long as it lives. */
  generationId: string
  /** MUST NOT reject: a store that does not say is `unknown`. */
  storeModes(): Promise<StoreModes>
  /** Whether the ledger itself was found not to hold. */
  isLedgerBroken(): boolean
}

export async function ownReport(parts: ReportParts, caller: Caller): Promise<IntegrityReply> {
  const { reader, verifier } = parts
  const heads = await readHeads(reader, partitionName(caller))
  const chain = (await verifier.namespaces()).find(({ namespace }) => namespace === caller.namespace)
  const walked = await verifier.walk(caller.namespace, { owner: caller.owner }, chain?.records ?? 0, heads)
  const space = effectSpace(caller.namespace)
  // Effects are listed under `<owner>/<name of the session>`.
  const counts = heads.map(({ row }) => countEffects(reader, { space, owner: `${caller.owner}/${row.key}` }))
  const effects = sumEffects(await Promise.all(counts))
  const ids = new Map(heads.map(({ row, head }) => [row.key, head?.session_id ?? row.key]))
  return buildReport(parts, 'owner', [walked], effects, (session) => ids.get(session) ?? session)
}

export async function globalReport(parts: ReportParts): Promise<IntegrityReply> {
  const { reader, verifier } = parts
  // Counted before the heads are read: whatever is recorded meanwhile is then listed under one of them.
  const states = await countStates(reader)
  const heads = await readHeads(reader, null)
  const chains = await verifier.namespaces()
  const total = chains.reduce((sum, { records }) => sum + records, 0)
  const walks: Walked[] = []
  // Heads are listed under `<namespace>/<owner>`, and a namespace holds no `/`.
  const listedIn = heads.map(({ row }) => row.owner.split('/', 1)[0]!)
  for (const namespace of new Set([...chains.map((chain) => chain.namespace), ...listedIn]))
    walks.push(await verifier.walk(namespace, 'whole', total, ofNamespace(heads, namespace)))
  const listed = heads.reduce((sum, one) => sum + one.states, 0)
  for (let extra = states - listed; extra > 0; extra--) walks[0]?.walk.asked.stray(null)
  const counts = chains.map(({ namespace }) => countEffects(reader, { space: effectSpace(namespace) }))
  return buildReport(parts, 'global', walks, sumEffects(await Promise.all(counts)), (session) => session)
}

/** Whether the records of one namespace hold, as a walk says that goes on now from where the verifier has come. */
export async function isIntact({ reader, verifier }: ReportParts, namespace: string): Promise<boolean> {
  const heads = ofNamespace(await readHeads(reader, null), namespace)
  const { walk } = await verifier.walk(namespace, 'whole', Number.POSITIVE_INFINITY, heads)
  return !walk.asked.isBroken
}

async function buildReport(
  { clock, verifier, generationId, storeModes, isLedgerBroken }: ReportParts,
  scope: 'owner' | 'global',
  walks: readonly Walked[],
  effects: IntegrityReply['effects'],
  shown: (session: string) => string,
): Promise<IntegrityReply> {
  const states = walks.map(({ walk }) => walk.asked.state())
  const sum = (of: (state: IntegrityState) => number): number => states.reduce((all, state) => all + of(state), 0)
  const heads = states.flatMap((state) => state.heads)
  const records = sum((state) => state.next_index)
  const beyond: Broken | null = isLedgerBroken() ? { session: null, index: records, kind: 'checkpoint' } : null
  const first = states.map((state) => state.first_broken).find((broken) => broken !== null) ?? beyond
  return {
    schema: 'orch.gdw.integrity/v1',
    ok: first === null,
    scope,
    label: 'MEASURED',
    read_at: new Date(clock.now()).toISOString(),
    generation_id: generationId,
    sessions: heads.length,
    records_total: records,
    walk: {
      from_index: walks.reduce((from, { walk }) => from + walk.start, 0),
      to_index: records,
      records_walked: walks.reduce((all, { walk }) => all + walk.walked, 0),
      mode: walks.some(({ mode }) => mode === 'INCREMENTAL') ? 'INCREMENTAL' : 'FULL',
      last_full_walk_at: verifier.lastFullWalkAt,
    },
    first_broken: first && { ...first, session: first.session && shown(first.session) },
    merkle: headsRoot(heads),
    effects,
    orphan_receipts: sum((state) => state.orphan_receipts),
    missing_receipts: sum((state) => state.missing_receipts),
    invalid: Object.fromEntries(
      INVALID_KINDS.map((kind) => [kind, sum((state) => state.invalid[kind])]),
    ) as IntegrityReply['invalid'],
    store: await storeModes(),
  }
}
