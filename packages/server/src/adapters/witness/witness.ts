/** A witness: the newest checkpoint of each log it knows, moved on only by one that continues it. Anybody may send it
 *  anything; what counts is the signature of the log and the proof of consistency. What it answers it has written down
 *  before, so that a witness that is killed forgets nothing it cosigned. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { join } from 'node:path'
import {
  type AddCheckpoint,
  type Checkpoint,
  cosign,
  formatVkey,
  generationOf,
  hexEncode,
  MAX_WITNESS_REQUEST_BYTES,
  type NoteKey,
  parseAddCheckpoint,
  parseCheckpoint,
  parseNote,
  parseStrictJson,
  parseVkey,
  utf8Decode,
  verifyCheckpoint,
  verifyConsistency,
} from '@orch/core'
import { writeFileDurably } from '../../platform/durable-file.ts'

/** First-seen logs cost a file each, and anybody can make up names. */
const MAX_LOGS = 1_000

interface WitnessAnswer {
  status: number
  text: string
  type?: string
}

export interface WitnessKey extends Pick<NoteKey, 'name' | 'keyHash'> {
  sign(message: Uint8Array): Uint8Array
}

interface KnownLog {
  vkey: string
  /** As the log signed it, and our own line. Null before the first. */
  note: string | null
  checkpoint: Checkpoint | null
}

export interface WitnessSettings {
  folder: string
  key: WitnessKey
  /** Keys of the logs it keeps; null where it remembers the first key that a new name comes with. */
  pinned: readonly string[] | null
  nowMs(): number
  maxLogs?: number
}

const originHash = (origin: string): string => createHash('sha256').update(origin).digest('hex')

const refused = (status: number, text: string): WitnessAnswer => ({ status, text: `${text}\n` })

export class Witness {
  private readonly settings: WitnessSettings
  private readonly logs: Map<string, KnownLog>
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(settings: WitnessSettings, logs: Map<string, KnownLog>) {
    this.settings = settings
    this.logs = logs
  }

  static async open(settings: WitnessSettings): Promise<Witness> {
    const logs = new Map<string, KnownLog>()
    for (const name of readdirSync(settings.folder)) {
      const hash = /^([0-9a-f]{64})\.json$/.exec(name)?.[1]
      if (hash !== undefined) logs.set(hash, await readLog(join(settings.folder, name)))
    }
    for (const vkey of settings.pinned ?? []) {
      const hash = originHash(parseVkey(vkey)!.name)
      const known = logs.get(hash)
      if (known !== undefined && known.vkey !== vkey)
        throw new Error(`the witness keeps another key for the log ${parseVkey(vkey)!.name}`)
      if (known === undefined) logs.set(hash, { vkey, note: null, checkpoint: null })
    }
    return new Witness(settings, logs)
  }

  /** The newest note of the log whose origin has this SHA-256; null where there is none. */
  newest(hash: string): string | null {
    return this.logs.get(hash)?.note ?? null
  }

  /** One after the other: what was looked at must still be so when it is written down. */
  add(body: string, offeredKey: string | null): Promise<WitnessAnswer> {
    const answer = this.turn.then(() => this.judge(body, offeredKey))
    this.turn = answer.catch(() => undefined)
    return answer
  }

  private async judge(body: string, offeredKey: string | null): Promise<WitnessAnswer> {
    const request = parseAddCheckpoint(body)
    const note = request === null ? null : parseNote(request.checkpoint)
    const stated = note === null ? null : parseCheckpoint(note.text)
    if (request === null || note === null || stated === null)
      return refused(400, 'send an old size line, the proof, an empty line and a signed checkpoint')
    const known = this.logs.get(originHash(stated.origin)) ?? this.firstSeen(stated.origin, offeredKey)
    if (known === null) return refused(404, 'this witness does not keep that log')
    const { checkpoint } = await verifyCheckpoint(request.checkpoint, [known.vkey], stated.origin)
    if (checkpoint === undefined) return refused(403, 'the checkpoint is not signed by the key kept for its log')
    const refusal = this.conflict(request, checkpoint, known.checkpoint)
    return refusal ?? this.keep(note.text, request.checkpoint, checkpoint, known.vkey)
  }

  private firstSeen(origin: string, offeredKey: string | null): KnownLog | null {
    const { pinned, maxLogs = MAX_LOGS } = this.settings
    if (this.logs.size >= maxLogs) return null
    const vkey = this.keyOfGeneration(origin) ?? (pinned === null ? offeredKey : null)
    return vkey !== null && parseVkey(vkey)?.name === origin ? { vkey, note: null, checkpoint: null } : null
  }

  /** A log goes on under `<base>/restored-N` after a restore, with its key. Once any of these names is kept, nobody else
   *  gets another of them: whoever took it first would keep the log from being restored. */
  private keyOfGeneration(origin: string): string | null {
    const { base } = generationOf(origin)
    const isRelated = ({ vkey }: KnownLog) => generationOf(parseVkey(vkey)!.name).base === base
    const related = this.logs.get(originHash(base)) ?? [...this.logs.values()].find(isRelated)
    return related === undefined ? null : formatVkey(origin, parseVkey(related.vkey)!.publicKey)
  }

  private conflict({ old, proof }: AddCheckpoint, next: Checkpoint, stored: Checkpoint | null): WitnessAnswer | null {
    if (old > next.size) return refused(400, 'the old size is larger than the checkpoint')
    const size = stored?.size ?? 0
    const conflict = { status: 409, text: `${size}\n`, type: 'text/x.tlog.size' }
    if (old !== size) return conflict
    if (stored === null || size === 0)
      return proof.length === 0 ? null : refused(422, 'there is nothing to prove from 0')
    if (next.size === size && hexEncode(next.root) !== hexEncode(stored.root)) return conflict
    const claim = { from: size, to: next.size, fromRoot: stored.root, toRoot: next.root, hashes: proof }
    return verifyConsistency(claim) ? null : refused(422, 'the proof does not show that the log continues')
  }

  private async keep(text: string, note: string, checkpoint: Checkpoint, vkey: string): Promise<WitnessAnswer> {
    const { folder, key, nowMs } = this.settings
    const line = await cosign(text, key, Math.floor(nowMs() / 1000), key.sign)
    const hash = originHash(checkpoint.origin)
    await writeFileDurably(join(folder, `${hash}.json`), `${JSON.stringify({ vkey, note: note + line })}\n`)
    this.logs.set(hash, { vkey, note: note + line, checkpoint })
    return { status: 200, text: line }
  }
}

/** What it wrote is checked as if somebody else had: a witness that lost its memory must say so and not begin anew. */
async function readLog(file: string): Promise<KnownLog> {
  const damaged = new Error(`${file} is damaged; restore it, the witness does not begin anew by itself`)
  try {
    const { vkey, note } = parseStrictJson(readFileSync(file)) as { vkey: string; note: string }
    const { checkpoint } = await verifyCheckpoint(note, [vkey], parseVkey(vkey)?.name ?? '')
    if (checkpoint === undefined) throw damaged
    return { vkey, note, checkpoint }
  } catch {
    throw damaged
  }
}

const REQUEST_MS = 10_000
const MAX_CONNECTIONS = 512
const NOTE_TYPE = 'text/plain; charset=utf-8'

/** The witness over HTTP: C2SP tlog-witness, and the newest checkpoint of a log for whoever wants to compare. */
export function witnessServer(witness: Witness, vkey: string): Server {
  const answer = async (request: IncomingMessage): Promise<WitnessAnswer> => {
    const path = (request.url ?? '').split('?', 1)[0]!
    if (request.method === 'POST' && path === '/add-checkpoint') return addCheckpoint(witness, request)
    if (request.method !== 'GET') return { status: 405, text: 'GET, or POST /add-checkpoint\n' }
    if (path === '/livez') return { status: 200, text: 'alive\n' }
    if (path === '/key') return { status: 200, text: `${vkey}\n` }
    const hash = /^\/checkpoint\/([0-9a-f]{64})$/.exec(path)?.[1]
    const note = hash === undefined ? null : witness.newest(hash)
    return note === null ? { status: 404, text: 'there is no such checkpoint\n' } : { status: 200, text: note }
  }
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(request)
      .catch((): WitnessAnswer => ({ status: 503, text: 'the checkpoint could not be written down; retry\n' }))
      .then(({ status, text, type = NOTE_TYPE }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
      })
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function addCheckpoint(witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> {
  const body = await bodyOf(request)
  if (body === null) return { status: 413, text: `at most ${MAX_WITNESS_REQUEST_BYTES} bytes are read\n` }
  const text = utf8Decode(body)
  if (text === null) return { status: 400, text: 'the request is not UTF-8\n' }
  return witness.add(text, offeredKey(request))
}

/** The rest of a body that is too large is not kept; the connection ends with the answer. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MAX_WITNESS_REQUEST_BYTES) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}

function offeredKey({ headers }: IncomingMessage): string | null {
  const value = headers['x-orch-log-key']
  try {
    return typeof value === 'string' ? decodeURIComponent(value) : null
  } catch {
    return null
  }
}
