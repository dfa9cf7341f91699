import { TILE_WIDTH, type Tile } from '@orch/core'
import { operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { consistencyOf, entryBundle, freshCheckpoint, hashTile, inclusionOf, signedTile } from './proofs.ts'
import { Bytes, ConsistencyProof, ConsistencyQuery, InclusionProof, InclusionQuery, Text, TilePath } from './schemas.ts'

const PLAIN = 'text/plain; charset=utf-8'
const OCTETS = 'application/octet-stream'
const getDefaults = { group: 'Receipts and verification', method: 'GET', scope: null } as const
const fileDefaults = { ...getDefaults, root: true, labels: ['STRUCTURAL-ONLY'] } as const

/** The transparency log over all receipts, as tiles anybody can fetch, keep and check. */
export const log = ({ ledger }: Pick<Ports, 'ledger'>) => [
  operation({
    ...fileDefaults,
    id: 'log.checkpoint',
    path: '/log/checkpoint',
    summary: 'The newest signed checkpoint of the log',
    description: 'A signed note: origin, size and Merkle root, signed with the Ed25519 key of the log.',
    reply: Text,
    produces: PLAIN,
    errors: ['log_empty'],
    run: async () => new Reply((await freshCheckpoint(ledger)).note, { type: PLAIN }),
  }),
  operation({
    ...fileDefaults,
    id: 'log.key',
    path: '/log/key',
    summary: 'The verification key of the log, as signed notes spell it',
    reply: Text,
    produces: PLAIN,
    run: () => new Reply(`${ledger.vkey}\n`, { type: PLAIN }),
  }),
  operation({
    ...fileDefaults,
    id: 'log.tile',
    path: '/log/tile/*',
    summary: 'A tile of hashes of the log’s tree',
    params: TilePath,
    reply: Bytes,
    produces: OCTETS,
    errors: ['tile_not_found'],
    example: { params: { '*': '0/000.p/1' } },
    async run({ params }) {
      const tile = await signedTile(ledger, params['*'])
      return tileReply(tile, await hashTile(ledger, tile), 'public')
    },
  }),
  operation({
    ...fileDefaults,
    id: 'log.entries',
    path: '/log/tile/entries/*',
    // Bundles hold the receipts of every namespace, so reading one's own is not enough here.
    scope: 'log:entries',
    summary: 'A bundle of log entries: the exact receipt bodies under a tile of level 0',
    params: TilePath,
    reply: Bytes,
    produces: OCTETS,
    errors: ['tile_not_found'],
    example: { params: { '*': '000.p/1' } },
    async run({ params }) {
      const tile = await signedTile(ledger, `entries/${params['*']}`)
      return tileReply(tile, await entryBundle(ledger, tile), 'private')
    },
  }),
  operation({
    ...getDefaults,
    id: 'log.inclusion',
    path: '/log/proof/inclusion',
    summary: 'Proof that a receipt is in the log',
    query: InclusionQuery,
    narrows: true,
    reply: InclusionProof,
    labels: ['MEASURED'],
    errors: ['receipt_not_found', 'log_empty'],
    example: { query: { digest: '0'.repeat(64) } },
    run: ({ query }) => inclusionOf(ledger, query.digest, query.tree_size),
  }),
  operation({
    ...getDefaults,
    id: 'log.consistency',
    path: '/log/proof/consistency',
    summary: 'Proof that the log at one size is a beginning of the log at another',
    query: ConsistencyQuery,
    narrows: true,
    reply: ConsistencyProof,
    labels: ['MEASURED'],
    errors: ['log_empty'],
    example: { query: { from: 0 } },
    run: ({ query }) => consistencyOf(ledger, query.from, query.to),
  }),
]

/** A full tile never changes again; a partial one is soon replaced by a wider one under another name. */
const tileReply = ({ width }: Tile, bytes: Uint8Array, who: 'public' | 'private') =>
  new Reply(bytes, {
    type: OCTETS,
    headers: width === TILE_WIDTH ? { 'cache-control': `${who}, max-age=31536000, immutable` } : {},
  })
