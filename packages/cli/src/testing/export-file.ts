// Ledger exports of any size for tests and measurements, signed by a key made on the spot.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import {
  appendLeaf,
  bodyTemplate,
  bodyText,
  emptyFrontier,
  footerLine,
  frontierRoot,
  GENESIS_PREV,
  headerLine,
  hexEncode,
  importPublicKey,
  lakeHash,
  leafHash,
  type PublicKey,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  receiptLine,
  sha256Hex,
  utf8Encode,
} from '@orch/core'

type TestKey = { key: PublicKey; pem: string; privateKey: KeyObject }

export function makeTestKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  return { key: importPublicKey(pem) as PublicKey, pem, privateKey }
}

type ExportFileOptions = {
  receipts: number
  key: TestKey
  /** Receipts whose signature is made by nobody's key but names this one, by node_index. */
  forged?: readonly number[]
  unsigned?: boolean
}

/** Receipts over three chains; the first line of the file is the header, so receipt n stands on line n + 2. */
export function writeExportFile(
  path: string,
  { receipts, key, forged = [], unsigned = false }: ExportFileOptions,
): void {
  const otherKey = forged.length > 0 ? makeTestKey() : key
  const lines: string[] = []
  let frontier = emptyFrontier()
  const heads = new Map<string, { depth: number; prev: string; lake: string }>()
  for (let index = 0; index < receipts; index += 1) {
    const chain = ['runtime', 'governance', 'markets'][index % 3] as string
    const head = heads.get(chain) ?? { depth: 0, prev: GENESIS_PREV, lake: GENESIS_PREV }
    const ts_utc = new Date(Date.UTC(2026, 0, 1) + index).toISOString()
    const body = utf8Encode(bodyText(bodyTemplate(draft(chain, ts_utc, index), null), head.prev, head.depth))
    const digest = sha256Hex(body)
    const lake = lakeHash({
      organ: chain,
      chain_index: head.depth + 1,
      prev_hash: head.lake,
      receipt_digest: digest,
      ts_utc,
    })
    heads.set(chain, { depth: head.depth + 1, prev: digest, lake })
    frontier = appendLeaf(frontier, leafHash(body))
    const { privateKey } = forged.includes(index) ? otherKey : key
    const signature = unsigned ? null : new Uint8Array(sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, body), privateKey))
    lines.push(receiptLine({ node_index: index, body, signature, keyid: unsigned ? null : key.key.keyid, lake }))
  }
  const root = hexEncode(frontierRoot(frontier))
  const keys = [{ keyid: key.key.keyid, kind: 'demo', pem: key.pem }]
  const header = headerLine({ origin: 'orch.test/log', size: receipts, root, checkpoint: null, keys })
  writeLines(path, [header, ...lines, footerLine({ count: receipts, root })])
}

const draft = (chain: string, ts_utc: string, index: number) => ({
  kind: 'decision' as const,
  ns: 'public',
  chain,
  ts_utc,
  request_id: `req-${index}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: { rules_digest: sha256Hex('rules'), policy_digest: sha256Hex('policy') },
  payload: {
    decision: 'ALLOW',
    lambda: 0.93,
    lambda_floor: 0.9,
    lambda_inputs: {},
    gates_fired: [],
    gates_passed: ['threat-signature-scan', 'pii-egress-guard'],
    breaches: [],
    geofence_inside: null,
    input_sha256: sha256Hex(`input ${index}`),
    input_length: 42,
  },
})

function writeLines(path: string, lines: readonly string[]): void {
  const fd = openSync(path, 'w')
  for (let at = 0; at < lines.length; at += 5_000) writeSync(fd, `${lines.slice(at, at + 5_000).join('\n')}\n`)
  closeSync(fd)
}
