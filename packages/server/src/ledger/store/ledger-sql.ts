/** The questions about receipts, chains, the tree, keys, checkpoints and answers, as both databases read them. */
import type { CheckpointRow, KeyRow, LedgerReader, Row } from '../contract.ts'
import type { Dialect, Question } from './side-writes-sql.ts'
import { answerOf, answerRowOf, bytesOf, chainOf, rowOf, storedHeadOf } from './stored-rows.ts'

/** The texts, with the names of columns as the contract has them wherever nothing else is to be done to a value. */
export function ledgerTexts({ prefix, mark, aside = '' }: Dialect) {
  const [first, second, third, fourth] = [1, 2, 3, 4].map(mark)
  // A row that lies beyond the head was put there past the ledger, and is not served.
  const row = `SELECT r.node_index AS "nodeIndex", c.ns, c.chain, r.seq, r.prev, r.digest, r.lake, r.body,
      r.sig AS signature, k.keyid, k.kind AS "keyKind"
    FROM ${prefix}receipts r JOIN ${prefix}chains c ON c.id = r.chain_id LEFT JOIN ${prefix}keys k ON k.id = r.key_id
    WHERE ${aside}r.node_index < (SELECT size FROM ${prefix}head WHERE id = 1)`
  const ofChain = `r.chain_id = (SELECT id FROM ${prefix}chains WHERE ns = ${first} AND chain = ${second})`
  const chain = `SELECT id, ns, chain, depth, head, head_index AS "headIndex", lake FROM ${prefix}chains`
  const answer = 'request, node_index AS "nodeIndex", tree_size AS "treeSize", answer'
  return {
    head: `SELECT size, frontier, chains FROM ${prefix}head WHERE id = 1`,
    byIndex: `${row} AND r.node_index = ${first}`,
    byDigest: `${row} AND r.digest = ${first}`,
    bySeq: `${row} AND ${ofChain} AND r.seq = ${third}`,
    range: `${row} AND r.node_index >= ${first} ORDER BY r.node_index LIMIT ${second}`,
    chainRange: `${row} AND ${ofChain} AND r.seq >= ${third} ORDER BY r.seq LIMIT ${fourth}`,
    chains: `${chain} ORDER BY id`,
    chain: `${chain} WHERE ns = ${first} AND chain = ${second}`,
    tile: `SELECT data FROM ${prefix}tiles WHERE level = ${first} AND idx = ${second} UNION ALL
      SELECT data FROM ${prefix}edges WHERE level = ${first} AND idx = ${second} AND length(data) > 0 LIMIT 1`,
    keys: `SELECT keyid, spki, kind, from_index AS "fromIndex", to_index AS "toIndex", from_ts AS "from", to_ts AS "to"
      FROM ${prefix}keys ORDER BY id`,
    checkpoint: `SELECT size, note FROM ${prefix}checkpoints ORDER BY size DESC LIMIT 1`,
    checkpointFrom: `SELECT size, note FROM ${prefix}checkpoints WHERE size >= ${first} ORDER BY size LIMIT 1`,
    answer: `SELECT ${answer} FROM ${prefix}answers WHERE key = ${first}`,
    answersAfter: `SELECT key, ${answer}, at_ms AS "atMs" FROM ${prefix}answers WHERE key > ${first} ORDER BY key LIMIT ${second}`,
    meta: `SELECT value FROM ${prefix}meta WHERE name = ${first}`,
  } as const
}

type LedgerReads = Pick<LedgerReader, Exclude<keyof ReturnType<typeof ledgerTexts>, 'chain'>>

/** Like `sideWriteReads`: `ask` gives all rows of a question. */
export function ledgerReads(dialect: Dialect, ask: (question: Question) => Promise<unknown[]>): LedgerReads {
  const texts = ledgerTexts(dialect)
  const all = (name: keyof LedgerReads, ...values: Question['values']) => ask({ name, text: texts[name], values })
  const first = async <T>(name: keyof LedgerReads, ...values: Question['values']): Promise<T | null> =>
    ((await all(name, ...values))[0] as T | undefined) ?? null
  const row = async (name: keyof LedgerReads, ...values: Question['values']): Promise<Row | null> => {
    const found = await first(name, ...values)
    return found === null ? null : rowOf(found)
  }
  return {
    async head() {
      const { size, hashes, chains } = storedHeadOf(await first('head'))
      return { size, frontier: hashes, chains }
    },
    byIndex: (index) => row('byIndex', index),
    byDigest: (digest) => row('byDigest', bytesOf(digest)),
    bySeq: (ns, chain, seq) => row('bySeq', ns, chain, seq),
    range: async (from, limit) => (await all('range', from, limit)).map(rowOf),
    chainRange: async (ns, chain, fromSeq, limit) => (await all('chainRange', ns, chain, fromSeq, limit)).map(rowOf),
    chains: async () => (await all('chains')).flatMap((found) => chainOf(found) ?? []),
    tile: async (level, index) => (await first<{ data: Uint8Array }>('tile', level, index))?.data ?? null,
    keys: async () => (await all('keys')).map((found) => ({ ...(found as KeyRow) })),
    checkpoint: () => first<CheckpointRow>('checkpoint'),
    checkpointFrom: (size) => first<CheckpointRow>('checkpointFrom', size),
    answer: async (key) => answerOf(await first('answer', key)),
    answersAfter: async (key, limit) => (await all('answersAfter', key ?? new Uint8Array(), limit)).map(answerRowOf),
    meta: async (name) => (await first<{ value: string }>('meta', name))?.value ?? null,
  }
}
