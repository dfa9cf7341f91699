/** The lake chain: a second chain per organ over the same receipts, in another hash family, so that a break of one is
 *  caught by the other. */
import { sha3_256Hex } from './digest.ts'

export const LAKE_SCHEMA = 'orch.lake.receipt/v1'

export interface LakeLink {
  schema: typeof LAKE_SCHEMA
  organ: string
  /** From 1. */
  chain_index: number
  prev_hash: string
  receipt_digest: string
  ts_utc: string
}

/** The organ a chain feeds: its own name in the default namespace, else qualified by the namespace. */
export const organOf = (ns: string, chain: string): string => (ns === 'public' ? chain : `${ns}/${chain}`)

/** Written out in canonical order: every value is a name, a hex digest or a time, so none needs escaping. */
export const lakeText = (link: Omit<LakeLink, 'schema'>): string =>
  `{"chain_index":${link.chain_index},"organ":"${link.organ}","prev_hash":"${link.prev_hash}","receipt_digest":"${link.receipt_digest}","schema":"${LAKE_SCHEMA}","ts_utc":"${link.ts_utc}"}`

export const lakeHash = (link: Omit<LakeLink, 'schema'>): string => sha3_256Hex(lakeText(link))
