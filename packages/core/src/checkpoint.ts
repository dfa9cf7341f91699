// C2SP signed notes and the transparency-log checkpoint they carry. Whoever hands over a note controls every byte of
// it; the only trusted input is the list of verifier keys, pinned by the caller.
import { ed25519 } from '@noble/curves/ed25519.js'
import { hostCrypto, sha256 } from './digest.ts'
import { base64Decode, base64Encode, hexDecode, utf8Decode, utf8Encode } from './encoding.ts'
import { HASH_BYTES } from './merkle.ts'

const ED25519_TYPE = 0x01
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const MAX_NOTE_BYTES = 1_000_000
const MAX_SIGNATURES = 100

export type Checkpoint = { origin: string; size: number; root: Uint8Array; extensions: readonly string[] }
export type NoteSignature = { name: string; keyHash: number; signature: Uint8Array }
/** `text` is what was signed: it ends in a newline and leaves out the blank line before the signatures. */
export type Note = { text: string; signatures: readonly NoteSignature[] }
export type NoteKey = { name: string; keyHash: number; publicKey: Uint8Array }
/** `sign` gets the note text and returns a raw 64-byte Ed25519 signature. */
export type NoteSigner = {
  name: string
  keyHash: number
  sign: (text: Uint8Array) => Promise<Uint8Array> | Uint8Array
}

export type CheckpointReason =
  | 'verified'
  | 'malformed_note'
  | 'malformed_checkpoint'
  | 'malformed_key'
  | 'ambiguous_key'
  | 'origin_mismatch'
  | 'no_known_signature'
  | 'invalid_signature'
export type CheckpointReport = {
  ok: boolean
  /** Present only when `ok`: the text of an unverified note is not to be read. */
  checkpoint?: Checkpoint
  reason: CheckpointReason
  /** Names of the pinned keys whose signature verified. */
  signedBy: readonly string[]
}

export function formatCheckpoint(
  checkpoint: Omit<Checkpoint, 'extensions'> & { extensions?: readonly string[] },
): string {
  const { origin, size, root, extensions = [] } = checkpoint
  const text = `${[origin, size, base64Encode(root), ...extensions].join('\n')}\n`
  const parsed = hasOnlyNoteCharacters(text) ? parseCheckpoint(text) : null
  // A newline inside the origin or an extension would shift the lines: what comes back must be what went in.
  if (parsed?.origin !== origin || parsed.size !== size || parsed.extensions.length !== extensions.length) {
    throw new TypeError('a checkpoint needs an origin line, a safe integer size, a 32-byte root, non-empty extensions')
  }
  return text
}

export function parseCheckpoint(text: string): Checkpoint | null {
  if (!text.endsWith('\n')) return null
  const [origin, sizeText, rootText, ...extensions] = text.slice(0, -1).split('\n')
  if (!origin || !sizeText || !rootText || extensions.includes('')) return null
  const size = /^(0|[1-9][0-9]{0,15})$/.test(sizeText) ? Number(sizeText) : Number.NaN
  const root = base64Decode(rootText)
  if (!Number.isSafeInteger(size) || root?.length !== HASH_BYTES) return null
  return { origin, size, root, extensions }
}

/** One line per signer, in the order given. */
export async function signNote(text: string, ...signers: readonly NoteSigner[]): Promise<string> {
  if (!text.endsWith('\n') || !hasOnlyNoteCharacters(text)) {
    throw new TypeError('the text of a note is well-formed, ends in a newline and has no other control character')
  }
  const lines = await Promise.all(signers.map((signer) => signatureLine(text, signer)))
  const note = `${text}\n${lines.join('')}`
  if (!parseNote(note)) throw new TypeError('a note carries 1 to 100 signatures and stays under 1 MB')
  return note
}

/** Null for anything but the exact format; says nothing about whether a signature is good. */
export function parseNote(input: Uint8Array | string): Note | null {
  const note = noteText(input)
  const split = note?.lastIndexOf('\n\n') ?? -1
  if (note === null || split < 0 || !note.endsWith('\n')) return null
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return null
  const signatures = lines.map(parseSignatureLine)
  if (!signatures.every((signature) => signature !== null)) return null
  return { text: note.slice(0, split + 1), signatures }
}

/** The first four bytes, big-endian, of SHA-256(name, newline, key type, public key): a hint, not a commitment. */
export function noteKeyHash(name: string, publicKey: Uint8Array, type = ED25519_TYPE): number {
  const prefix = utf8Encode(`${name}\n`)
  const digest = sha256(Uint8Array.of(...prefix, type, ...publicKey))
  return uint32(digest)
}

export function formatVkey(name: string, publicKey: Uint8Array, type = ED25519_TYPE): string {
  if (!isKeyName(name) || publicKey.length !== KEY_BYTES) throw new TypeError('a note key has a name and 32 bytes')
  const hash = noteKeyHash(name, publicKey, type).toString(16).padStart(8, '0')
  return `${name}+${hash}+${base64Encode(Uint8Array.of(type, ...publicKey))}`
}

/** Null unless the name, the key type, the length and the key hash all agree. */
export const parseVkey = (vkey: string): NoteKey | null => parseKeyOfType(vkey, ED25519_TYPE)

export function parseKeyOfType(vkey: string, type: number): NoteKey | null {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey)
  const encoded = match ? base64Decode(match[3]!) : null
  if (!match || encoded?.length !== 1 + KEY_BYTES || encoded[0] !== type) return null
  const [name, publicKey] = [match[1]!, encoded.slice(1)]
  const keyHash = Number.parseInt(match[2]!, 16)
  return isKeyName(name) && noteKeyHash(name, publicKey, type) === keyHash ? { name, keyHash, publicKey } : null
}

/**
 * Signatures by unknown keys are ignored (that is how witnesses and key rotation work); one bad signature by a pinned
 * key refuses the whole note. Pass `origin` when a pinned key may also sign for other logs.
 */
export async function verifyCheckpoint(
  input: Uint8Array | string,
  vkeys: readonly string[],
  origin?: string,
): Promise<CheckpointReport> {
  const note = parseNote(input)
  if (!note) return refused('malformed_note')
  const checkpoint = parseCheckpoint(note.text)
  if (!checkpoint) return refused('malformed_checkpoint')
  const keys = [...new Set(vkeys)].map(parseVkey)
  if (!keys.every((key) => key !== null)) return refused('malformed_key')
  if (new Set(keys.map(keyLabel)).size !== keys.length) return refused('ambiguous_key')
  if (origin !== undefined && checkpoint.origin !== origin) return refused('origin_mismatch')
  const verdicts = await verdictsOfKnown(note, keys)
  if (verdicts.length === 0) return refused('no_known_signature')
  if (verdicts.some((verdict) => !verdict.good)) return refused('invalid_signature')
  return { ok: true, checkpoint, reason: 'verified', signedBy: [...new Set(verdicts.map((verdict) => verdict.name))] }
}

/** The text of a note of any kind that a pinned key signed and none signed badly; null for everything else. */
export async function verifyNote(input: Uint8Array | string, vkeys: readonly string[]): Promise<string | null> {
  const note = parseNote(input)
  const keys = vkeys.map(parseVkey)
  if (!note || !keys.every((key) => key !== null)) return null
  const verdicts = await verdictsOfKnown(note, keys)
  return verdicts.length > 0 && verdicts.every(({ good }) => good) ? note.text : null
}

/** RFC 8032 verification: Node's or the platform's where it has Ed25519, otherwise the strict (not ZIP 215) pure one. */
export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
  const native = verifyNatively(publicKey, message, signature)
  if (native !== null) return native
  const platformKey = await importEd25519(publicKey)
  if (!platformKey) return ed25519.verify(signature, message, publicKey, { zip215: false })
  return crypto.subtle.verify('Ed25519', platformKey, new Uint8Array(signature), new Uint8Array(message))
}

const refused = (reason: CheckpointReason): CheckpointReport => ({ ok: false, reason, signedBy: [] })

const keyLabel = ({ name, keyHash }: { name: string; keyHash: number }): string => `${name}+${keyHash}`

async function verdictsOfKnown(note: Note, keys: readonly NoteKey[]): Promise<{ name: string; good: boolean }[]> {
  const known = new Map(keys.map((key) => [keyLabel(key), key.publicKey]))
  const message = utf8Encode(note.text)
  const verdicts = note.signatures.map(async ({ name, keyHash, signature }) => {
    const publicKey = known.get(keyLabel({ name, keyHash }))
    return publicKey ? { name, good: await verifyEd25519(publicKey, message, signature) } : null
  })
  return (await Promise.all(verdicts)).filter((verdict) => verdict !== null)
}

const SPKI_OF_ED25519 = hexDecode('302a300506032b6570032100') as Uint8Array

/** Null outside Node, or where it refuses the key. */
function verifyNatively(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | null {
  const { createPublicKey, verify } = hostCrypto ?? {}
  if (!createPublicKey || !verify) return null
  try {
    const spki = Uint8Array.of(...SPKI_OF_ED25519, ...publicKey)
    return verify(null, message, { key: createPublicKey({ key: spki, format: 'der', type: 'spki' }) }, signature)
  } catch {
    return null
  }
}

/** Null where the platform has no WebCrypto (an insecure page) or no Ed25519 in it, or refuses the key. */
async function importEd25519(publicKey: Uint8Array): Promise<CryptoKey | null> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (!subtle) return null
  return subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']).catch(() => null)
}

async function signatureLine(text: string, { name, keyHash, sign }: NoteSigner): Promise<string> {
  if (!isKeyName(name)) throw new TypeError('a key name is not empty and has no space or plus')
  const signature = await sign(utf8Encode(text))
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError('an Ed25519 signature has 64 bytes')
  return formatSignatureLine({ name, keyHash, signature })
}

/** One line of a note, with its newline. */
export function formatSignatureLine({ name, keyHash, signature }: NoteSignature): string {
  const blob = new Uint8Array(4 + signature.length)
  new DataView(blob.buffer).setUint32(0, keyHash)
  blob.set(signature, 4)
  return `\u2014 ${name} ${base64Encode(blob)}\n`
}

function parseSignatureLine(line: string): NoteSignature | null {
  const match = /^\u2014 ([^ ]+) ([^ ]+)$/.exec(line)
  const blob = match ? base64Decode(match[2]!) : null
  if (!match || !blob || blob.length < 5 || !isKeyName(match[1]!)) return null
  return { name: match[1]!, keyHash: uint32(blob), signature: blob.slice(4) }
}

function noteText(input: Uint8Array | string): string | null {
  if (input.length > MAX_NOTE_BYTES) return null
  const text = typeof input === 'string' ? input : utf8Decode(input)
  if (text === null || !hasOnlyNoteCharacters(text)) return null
  return utf8Encode(text).length <= MAX_NOTE_BYTES ? text : null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what a note may not hold
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/
const hasOnlyNoteCharacters = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text)

const isKeyName = (name: string): boolean =>
  name !== '' && hasOnlyNoteCharacters(name) && !/[+\p{White_Space}]/u.test(name)

const uint32 = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0)

// A log that accepted a restore is another log from there on: sizes it signed before must never be signed again under one
// name. It keeps its key, and its origin says which generation it is.
const RESTORED = /^(.+)\/restored-([1-9][0-9]{0,5})$/

/** A log that was never restored is of generation 0. */
export function generationOf(origin: string): { base: string; generation: number } {
  const match = RESTORED.exec(origin)
  return match === null ? { base: origin, generation: 0 } : { base: match[1]!, generation: Number(match[2]) }
}

export function nextOrigin(origin: string): string {
  const { base, generation } = generationOf(origin)
  return `${base}/restored-${generation + 1}`
}
