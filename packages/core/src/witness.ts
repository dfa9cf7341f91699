// What a log and a witness say to each other: C2SP tlog-witness requests and tlog-cosignature answers. A witness keeps the
// newest checkpoint of a log; its cosignature says "I have seen this one, and it continues the one I saw before".
import {
  formatSignatureLine,
  formatVkey,
  type NoteKey,
  parseKeyOfType,
  parseNote,
  verifyEd25519,
} from './checkpoint.ts'
import { base64Decode, base64Encode, utf8Encode } from './encoding.ts'
import { HASH_BYTES } from './merkle.ts'

const COSIGNATURE_TYPE = 0x04
const TIME_BYTES = 8
const MAX_PROOF_LINES = 63
/** A proof and a note; anybody may send one, so it is not read beyond this. */
export const MAX_WITNESS_REQUEST_BYTES = 16_384

export interface AddCheckpoint {
  /** Size of the checkpoint that the proof starts from. */
  old: number
  proof: readonly Uint8Array[]
  /** The signed note. */
  checkpoint: string
}

export const formatAddCheckpoint = ({ old, proof, checkpoint }: AddCheckpoint): string =>
  [`old ${old}`, ...proof.map(base64Encode), '', checkpoint].join('\n')

/** Null for anything but the exact format; says nothing of what the note or the proof are worth. */
export function parseAddCheckpoint(text: string): AddCheckpoint | null {
  const end = text.indexOf('\n\n')
  if (end < 0) return null
  const [first = '', ...lines] = text.slice(0, end).split('\n')
  const size = /^old (0|[1-9][0-9]{0,15})$/.exec(first)?.[1]
  const proof = lines.map(base64Decode)
  const old = Number(size)
  if (size === undefined || !Number.isSafeInteger(old) || proof.length > MAX_PROOF_LINES) return null
  if (!proof.every((hash) => hash?.length === HASH_BYTES)) return null
  return { old, proof: proof as Uint8Array[], checkpoint: text.slice(end + 2) }
}

export const formatWitnessKey = (name: string, publicKey: Uint8Array): string =>
  formatVkey(name, publicKey, COSIGNATURE_TYPE)

export const parseWitnessKey = (vkey: string): NoteKey | null => parseKeyOfType(vkey, COSIGNATURE_TYPE)

/** The line that a witness adds to the note. `sign` returns a raw 64-byte Ed25519 signature. */
export async function cosign(
  noteText: string,
  { name, keyHash }: Pick<NoteKey, 'name' | 'keyHash'>,
  seconds: number,
  sign: (message: Uint8Array) => Promise<Uint8Array> | Uint8Array,
): Promise<string> {
  const raw = await sign(cosignedBytes(noteText, seconds))
  const signature = new Uint8Array(TIME_BYTES + raw.length)
  new DataView(signature.buffer).setBigUint64(0, BigInt(seconds))
  signature.set(raw, TIME_BYTES)
  return formatSignatureLine({ name, keyHash, signature })
}

/** Whether the note carries a good cosignature of this witness; cosignatures of others are ignored. */
export async function isCosigned(note: string, witnessKey: string): Promise<boolean> {
  const key = parseWitnessKey(witnessKey)
  const parsed = parseNote(note)
  if (key === null || parsed === null) return false
  const own = parsed.signatures.filter(({ name, keyHash }) => name === key.name && keyHash === key.keyHash)
  const verdicts = own.map(({ signature }) => {
    if (signature.length <= TIME_BYTES) return false
    const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
    return verifyEd25519(key.publicKey, cosignedBytes(parsed.text, seconds), signature.slice(TIME_BYTES))
  })
  return own.length > 0 && (await Promise.all(verdicts)).every((good) => good)
}

const cosignedBytes = (noteText: string, seconds: number): Uint8Array =>
  utf8Encode(`cosignature/v1\ntime ${seconds}\n${noteText}`)
