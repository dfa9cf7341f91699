import { frontierRoot, hexEncode, parseVkey } from '@orch/core'
import { logProof } from '../../domain/evidence.ts'
import { lakeHealth } from '../../domain/organs.ts'
import { lakeProof } from '../../domain/receipts/lake.ts'
import { seesNamespace } from '../../domain/visibility.ts'
import { operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { EXAMPLE_DIGEST, getDefaults, lookupsOf, shownPage } from './lookups.ts'
import * as replies from './replies.ts'
import * as schemas from './schemas.ts'

const lakeDefaults = { ...getDefaults, root: true } as const

/** The second chain over the same receipts, in another hash family. */
export const lakeOperations = ({ ledger }: Pick<Ports, 'ledger'>) => {
  const { visible, lakeListed, auditedChain } = lookupsOf(ledger)
  return [
    operation({
      ...lakeDefaults,
      id: 'lake.health',
      path: '/api/lake/v1/health',
      summary: 'The lake chains: how many receipts, where their heads are',
      reply: replies.LakeHealth,
      labels: ['MEASURED'],
      run: async ({ caller }) => lakeHealth(await ledger.audit(), caller, ledger.state().durability),
    }),
    operation({
      ...lakeDefaults,
      id: 'lake.receipts',
      path: '/api/lake/v1/receipts',
      summary: 'Links of the lake chains, newest first',
      query: schemas.LakeQuery,
      narrows: true,
      reply: replies.LakePage,
      labels: ['STRUCTURAL-ONLY'],
      async run({ query: { limit, cursor, organ }, caller }) {
        return shownPage(
          await lakeListed(caller, organ === undefined ? {} : { chain: organ }, { limit: limit!, cursor }),
        )
      },
    }),
    operation({
      ...lakeDefaults,
      id: 'lake.heads',
      path: '/api/lake/v1/chain/head',
      summary: 'Heads of the lake chains, or of one organ',
      query: schemas.HeadQuery,
      narrows: true,
      reply: replies.LakeHeads,
      labels: ['MEASURED'],
      errors: ['chain_not_found'],
      async run({ query: { organ }, caller }) {
        const chains = organ === undefined ? (await ledger.audit()).chains : [await auditedChain(caller, organ)]
        const heads = chains
          .filter(({ ns }) => seesNamespace(caller, ns))
          .map((one) => ({
            organ: one.organ,
            chain_index: one.depth,
            chain_head: one.lake_head,
            verified_to: one.verified_to,
          }))
        return { heads, count: heads.length, chain_alg: 'sha3_256' as const }
      },
    }),
    operation({
      ...lakeDefaults,
      id: 'lake.proof',
      path: '/api/lake/v1/proof/:id',
      summary: 'The lake link of one receipt, recomputed, with its proof of inclusion in the log',
      params: schemas.LakePath,
      reply: replies.LakeProof,
      labels: ['MEASURED'],
      errors: ['receipt_not_found'],
      example: { params: { id: EXAMPLE_DIGEST } },
      async run({ params, caller }) {
        const row = await visible(caller, params.id)
        const proof = await lakeProof(ledger.reader, row)
        if (!proof.ok)
          ledger.reportBreak(`receipt ${row.nodeIndex} is broken: its lake hash is not the one of its link`, row)
        return { ...proof, ...(await logProof(ledger, row)) }
      },
    }),
    operation({
      ...lakeDefaults,
      scope: null,
      id: 'lake.log',
      path: '/api/lake/v1/log',
      summary: 'The transparency log over all receipts: name, key, size, root, newest checkpoint',
      reply: replies.LakeLog,
      labels: ['MEASURED'],
      async run() {
        const checkpoint = await ledger.reader.checkpoint()
        const { size, frontier } = await ledger.reader.head()
        return {
          origin: parseVkey(ledger.vkey)!.name,
          vkey: ledger.vkey,
          size,
          root: hexEncode(frontierRoot({ size, hashes: frontier })),
          checkpoint_size: checkpoint?.size ?? null,
          checkpoint: checkpoint?.note ?? null,
        }
      },
    }),
  ]
}
