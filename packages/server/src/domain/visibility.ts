/** Whose receipts a caller sees. Without a registry the service has one owner, who sees everything; with one, data is
 *  parted by namespace and owner, and an auditor of a namespace sees all of its owners. */
import { organOf } from '@orch/core'
import { bodyOf, type StoredReceipt } from './stored-receipt.ts'

export interface Viewer {
  namespace: string
  owner: string
  authMode: string
  scopes: ReadonlySet<string>
}

const seesAll = ({ authMode }: Viewer): boolean => authMode !== 'registry'

const isAuditor = ({ scopes }: Viewer): boolean => scopes.has('receipts:audit')

/** Chains and their heads belong to a namespace, not to one of its owners. */
export const seesNamespace = (viewer: Viewer, ns: string): boolean => seesAll(viewer) || ns === viewer.namespace

/** Every receipt of this namespace, so that nothing has to be left out. */
export const seesWhole = (viewer: Viewer, ns: string): boolean =>
  seesAll(viewer) || (ns === viewer.namespace && isAuditor(viewer))

export function sees(viewer: Viewer, row: StoredReceipt): boolean {
  if (seesWhole(viewer, row.ns)) return true
  return row.ns === viewer.namespace && bodyOf(row)?.actor.owner === viewer.owner
}

export interface ChainName {
  ns: string
  chain: string
}

/** An organ by its name: a bare chain is of the caller's namespace, `ns/chain` of the one it says. */
export function chainNamed(viewer: Viewer, organ: string): ChainName | null {
  const slash = organ.indexOf('/')
  if (slash < 0) return { ns: viewer.namespace, chain: organ }
  const named = { ns: organ.slice(0, slash), chain: organ.slice(slash + 1) }
  return seesNamespace(viewer, named.ns) ? named : null
}

export const organNamed = ({ ns, chain }: ChainName): string => organOf(ns, chain)
