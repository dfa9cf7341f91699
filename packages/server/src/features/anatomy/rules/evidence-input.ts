/** Finds the statement or envelope in what was sent. What the sender says about its verification is never read. */
import { type Fields, isFields, unknownFields } from './json-shape.ts'

export type EvidenceInput = { kind: 'statement' | 'envelope'; value: unknown }
type FoundEvidence = { ok: true; input: EvidenceInput } | { ok: false; message: string }

const CARRIERS = ['statement', 'attestation', 'envelope']
/** Claims a sender may add. They are accepted, so that older senders work, and ignored, so that they prove nothing. */
const IGNORED = ['verification', 'verified']
const MAX_NESTING = 8

export function findEvidence(value: unknown): FoundEvidence {
  let inner = value
  for (let depth = 0; depth <= MAX_NESTING; depth++) {
    if (!isFields(inner)) return { ok: false, message: 'must be a statement, an envelope, or an object that holds one' }
    const carrier = isCarrier(inner)
    if (!carrier) return { ok: true, input: { kind: isEnvelope(inner) ? 'envelope' : 'statement', value: inner } }
    const carriers = CARRIERS.filter((name) => Object.hasOwn(carrier, name))
    // Two of them would leave open which one was judged.
    if (carriers.length > 1) return { ok: false, message: `holds ${carriers.join(' and ')}; send one` }
    const [foreign] = unknownFields(carrier, [...CARRIERS, ...IGNORED])
    if (foreign !== undefined) return { ok: false, message: `${foreign} is not a field here` }
    inner = carrier[carriers[0] as string]
  }
  return { ok: false, message: `is nested more than ${MAX_NESTING} times` }
}

const isCarrier = (value: Fields): Fields | null => {
  const holds = CARRIERS.some((name) => Object.hasOwn(value, name))
  return holds && !Object.hasOwn(value, '_type') && !isEnvelope(value) ? value : null
}

const isEnvelope = (value: Fields): boolean => Object.hasOwn(value, 'payloadType') || Object.hasOwn(value, 'payload')
