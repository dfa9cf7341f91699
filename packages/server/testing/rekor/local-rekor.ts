/** A log that speaks Rekor v1 on a local port: it checks what is proposed, keeps a real Merkle tree and signs real tree
 *  heads. A test may bend its replies. */
import { createSign, generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  base64Decode,
  base64Encode,
  canonicalBytes,
  canonicalize,
  type Envelope,
  formatCheckpoint,
  hexEncode,
  importPublicKey,
  inclusionProof,
  leafHash,
  parseEnvelope,
  type ReadNodes,
  rootOf,
  sha256Hex,
  utf8Decode,
  utf8Encode,
  verifyEnvelope,
} from '@orch/core'

const ORIGIN = 'rekor.local - 1193050959916656506'
const TREE_ID = '108e9186e8c5677a'

// biome-ignore lint/suspicious/noExplicitAny: a reply that a test may damage in any place
type Reply = any

interface LocalRekor {
  url: string
  publicKeyPem: string
  /** How many entries were proposed. */
  submitted(): number
  /** Changes every reply before it is sent. */
  bend(change: (reply: Reply) => Reply): void
  /** Changes what is recorded of a proposal before it is kept, so that the proof of it holds. */
  record(change: (body: Uint8Array) => Uint8Array): void
  /** Answers instead of the log. */
  answer(handler: ((response: ServerResponse) => void) | null): void
  close(): Promise<void>
}

export async function localRekor(): Promise<LocalRekor> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const logId = importPublicKey(publicKeyPem)!.keyid
  const sign = (bytes: Uint8Array): string => createSign('sha256').update(bytes).sign(privateKey, 'base64')
  // Others were there before: our entry is never alone in the tree.
  const bodies = ['a', 'b', 'c', 'd', 'e'].map((text) => utf8Encode(text))
  let submitted = 0
  let change: (reply: Reply) => Reply = (reply) => reply
  let forge: (body: Uint8Array) => Uint8Array = (body) => body
  let handler: ((response: ServerResponse) => void) | null = null

  const nodes: ReadNodes = (coordinates) =>
    coordinates.map(({ level, index }) =>
      rootOf(bodies.slice(index * 2 ** level, (index + 1) * 2 ** level).map(leafHash)),
    )

  const entryAt = async (index: number): Promise<Reply> => {
    const body = base64Encode(bodies[index]!)
    const root = rootOf(bodies.map(leafHash))
    const note = formatCheckpoint({ origin: ORIGIN, size: bodies.length, root })
    const blob = Buffer.concat([Buffer.from(logId.slice(0, 8), 'hex'), Buffer.from(sign(utf8Encode(note)), 'base64')])
    const promised = { body, integratedTime: 1_760_000_000, logID: logId, logIndex: 1_000 + index }
    return {
      [`${TREE_ID}${hexEncode(leafHash(bodies[index]!))}`]: {
        ...promised,
        verification: {
          inclusionProof: {
            checkpoint: `${note}\n\u2014 rekor.local ${blob.toString('base64')}\n`,
            hashes: (await inclusionProof(index, bodies.length, nodes)).map(hexEncode),
            logIndex: index,
            rootHash: hexEncode(root),
            treeSize: bodies.length,
          },
          signedEntryTimestamp: sign(canonicalBytes(promised)),
        },
      },
    }
  }

  const server = createServer(async (request, response) => {
    if (handler !== null) return handler(response)
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    if (pathname !== '/api/v1/log/entries') return send(404, { code: 404 })
    if (request.method === 'GET') return send(200, change(await entryAt(Number(searchParams.get('logIndex')) - 1_000)))
    const body = await recorded(await collected(request))
    if (body === null) return send(400, { code: 400 })
    submitted += 1
    bodies.push(forge(body))
    return send(201, change(await entryAt(bodies.length - 1)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKeyPem,
    submitted: () => submitted,
    bend: (next) => {
      change = next
    },
    record: (next) => {
      forge = next
    },
    answer: (next) => {
      handler = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function collected(request: IncomingMessage): Promise<Reply> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

/** What the log keeps of a proposed dsse entry, or null for one whose signature does not verify. */
async function recorded({ kind, apiVersion, spec }: Reply): Promise<Uint8Array | null> {
  if (kind !== 'dsse' || apiVersion !== '0.0.1') return null
  const { envelope: text, verifiers } = spec.proposedContent as { envelope: string; verifiers: string[] }
  const envelope = JSON.parse(text) as Envelope
  const key = importPublicKey(utf8Decode(base64Decode(verifiers[0]!)!)!)!
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok || (await verifyEnvelope(envelope, [key], envelope.payloadType)).status !== 'VERIFIED') return null
  const entry = {
    apiVersion,
    kind,
    spec: {
      envelopeHash: { algorithm: 'sha256', value: sha256Hex(text) },
      payloadHash: { algorithm: 'sha256', value: sha256Hex(parsed.payload) },
      signatures: [{ signature: envelope.signatures[0]!.sig, verifier: verifiers[0] }],
    },
  }
  return utf8Encode(canonicalize(entry))
}
