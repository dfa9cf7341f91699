/** Runs an organ as the envelope does, without a service around it. */
import { DEFAULT_NAMESPACE, LOCAL_OWNER } from '../../src/access.ts'
import type { Organ } from '../../src/features/organs/organ.ts'
import { joinOrgans, type RegisteredOrgan } from '../../src/features/organs/registry.ts'
import { readRequest } from '../../src/features/organs/request.ts'
import { runOrgan } from '../../src/features/organs/run.ts'

type Gauges = Parameters<typeof runOrgan>[3]

interface TryOptions {
  owner?: string
  gauges?: Gauges
  signal?: AbortSignal
  /** How many times its deadline an op may take. */
  patience?: number
}

/** A clock that moves by one millisecond, and a counter that moves by a hundred microseconds, whenever they are read. */
export function countingGauges(): Gauges {
  let [wall, cpu] = [0n, 0]
  return {
    clock: { now: () => Date.UTC(2026, 0, 1), monotonic: () => Number(wall) / 1e6 },
    hrtime: () => (wall += 1_000_000n),
    cpuMicros: () => (cpu += 100),
  }
}

export interface Tried {
  /** As the reply holds it, without the receipt. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  answer: Record<string, any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  payload: Record<string, any>
  documents: readonly unknown[]
}

/** Deadlines are wall-clock time, of which a busy machine gives less: what a test is not about must not end at them. */
export const PATIENCE = 30

/** Rejects with `InputError` where the service would answer 422. */
export async function tryOrgan(
  organ: Organ,
  body: Record<string, unknown>,
  {
    owner = LOCAL_OWNER,
    gauges = countingGauges(),
    signal = new AbortController().signal,
    patience = PATIENCE,
  }: TryOptions = {},
): Promise<Tried> {
  const caller = { namespace: DEFAULT_NAMESPACE, owner, keyId: null, authMode: 'open', scopes: new Set() } as never
  const request = await readRequest(organ, body)
  const draft = await runOrgan(registeredAs(organ, patience), request, { caller, signal }, gauges)
  return { answer: draft.answer as Tried['answer'], payload: draft.payload, documents: draft.documents ?? [] }
}

const registered = new WeakMap<Organ, Map<number, RegisteredOrgan>>()

/** Once, as a service does: what is compiled for an organ is found again by its operations. */
function registeredAs(organ: Organ, patience: number): RegisteredOrgan {
  const byPatience = registered.get(organ) ?? new Map<number, RegisteredOrgan>()
  const known = byPatience.get(patience) ?? joinOrgans([withPatience(organ, patience)]).get(organ.id)!
  registered.set(organ, byPatience.set(patience, known))
  return known
}

function withPatience(organ: Organ, patience: number): Organ {
  const ops = Object.entries(organ.ops).map(([name, op]) => [name, { ...op, deadlineMs: op.deadlineMs * patience }])
  return { ...organ, ops: Object.fromEntries(ops) }
}
