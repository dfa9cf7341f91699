/** How an operation leaves its receipt. Every operation that decides or computes for a caller comes through here, so
 *  idempotency, actors and the shape of the answer are settled once. */

import {
  canonicalBytes,
  canonicalize,
  hexEncode,
  mayGoUnsigned,
  parseJsonText,
  REPLY_DIGEST,
  type ReceiptBody,
  type ReceiptDraft,
  replays,
  replyDigest,
  sha256,
  sha256Hex,
} from '@orch/core'
import { boundDocuments } from '../domain/bound-documents.ts'
import { receiptChecks } from '../domain/receipt-checks.ts'
import { receiptSummary } from '../domain/receipt-view.ts'
import { bodyOf } from '../domain/stored-receipt.ts'
import { InputError, ServiceError } from '../errors.ts'
import { type Call, Reply } from '../operation.ts'
import { isoNow } from '../platform/clock.ts'
import { KeyedMutex } from '../platform/keyed-mutex.ts'
import type { Clock, Draft, Ledger, OwnIdentity, PendingWrites, Recorder, Recording, ToReply } from '../ports.ts'
import type { Appended, Idempotency, StoredAnswer } from './contract.ts'
import { optimisticRetry, type RetryOnConflict } from './optimistic-retry.ts'

type Identity = Omit<Idempotency, 'answer'>
type Stored = Pick<StoredAnswer, 'nodeIndex' | 'treeSize' | 'answer'>

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

const withReceipt: ToReply = (receipt, answer) => ({ ...answer, receipt: receiptSummary(receipt) })

export function createRecorder(
  ledger: Ledger,
  clock: Clock,
  retryOnConflict: RetryOnConflict = optimisticRetry(clock),
): Recorder {
  const keys = new KeyedMutex()
  const check = receiptChecks(ledger, ledger.reader)

  const append = (call: Call, draft: Draft, identity: Identity | null): Promise<Appended> => {
    const idempotency = identity && { ...identity, answer: JSON.stringify(draft.answer) }
    return ledger.append(buildReceipt(call, draft, idempotency, clock), {
      idempotency,
      documents: draft.documents,
      counters: draft.counters,
      prove: draft.prove ?? false,
      unsigned: draft.unsigned ?? false,
    })
  }

  const replay = async (stored: Stored, identity: Identity, { toReply, own }: Answering): Promise<Reply> => {
    const row = await ledger.reader.byIndex(stored.nodeIndex)
    if (row === null) throw answerAltered()
    const { signature } = await check(row)
    // F1: what is answered a second time rests on bytes that replay to the digest they are kept under.
    const written = replays(row.body, row.digest) ? bodyOf(row) : null
    const isBelieved = signature !== false || (own.sample === true && isSample(written, stored))
    const named = isBelieved ? written?.payload.idempotency : null
    if (canonicalize(named ?? null) !== canonicalize(boundAnswer({ ...identity, answer: stored.answer })))
      throw answerAltered()
    const body = await toReply(row, parseJsonText(stored.answer) as Record<string, unknown>, stored.treeSize)
    return new Reply(body, { headers: { 'idempotent-replay': 'true' } })
  }

  const decideAndAppend = async (
    call: Call,
    identity: Identity | null,
    decide: () => Draft | Promise<Draft>,
    answering: Answering,
  ): Promise<Reply> => {
    // Looked up before anything is decided: a replay must not call an upstream or spend a budget a second time.
    const known = identity === null ? null : await ledger.reader.answer(identity.key)
    if (known !== null) {
      assertSameRequest(known, identity!)
      return replay(known, identity!, answering)
    }
    const [draft, appended] = await retryOnConflict(decide, (decided) => append(call, decided, identity))
    if (appended.replayed !== null) return replay({ ...appended, answer: appended.replayed }, identity!, answering)
    draft.recorded?.(appended)
    return new Reply(await answering.toReply({ ...appended, chain: draft.chain }, draft.answer, appended.treeSize))
  }

  const write = async ({ documents = [], counters = [] }: PendingWrites): Promise<void> => {
    if (documents.length + counters.length > 0) await ledger.writeDocuments(documents, counters)
  }

  return {
    async record(call, operationId, recording) {
      const { toReply = withReceipt, identity: own = {} } = recording
      const identity = toIdentity(call, operationId, own)
      const work = () => decideAndAppend(call, identity, draftOf(recording), { toReply, own })
      return identity === null ? work() : keys.run(Buffer.from(identity.key).toString('hex'), work)
    },
    commitBefore: async (decide) => (await retryOnConflict(decide, write))[0],
  }
}

/** How the reply is made, the first time and for a replay. */
interface Answering {
  toReply: ToReply
  own: OwnIdentity
}

const draftOf =
  <D>(recording: Recording<D>) =>
  async (): Promise<Draft> =>
    recording.toReceipt === undefined ? recording.decide() : recording.toReceipt(await recording.decide())

function assertSameRequest(known: StoredAnswer, { request }: Identity): void {
  if (Buffer.from(known.request).equals(request)) return
  throw new ServiceError(
    'idempotency_conflict',
    'the header Idempotency-Key was used with another request; send a new one, for example a random UUID',
  )
}

const answerAltered = () =>
  new ServiceError('stored_record_altered', 'the answer kept for this Idempotency-Key is not the recorded one')

/** Nobody signs a simulated row. One that was rewritten could say anything, so none of them brings an answer back. */
const isSample = (body: ReceiptBody | null, { answer }: Stored): boolean =>
  body !== null && mayGoUnsigned(body) && answer === '{}'

/** An answer is kept beside the ledger and may be edited there: the receipt says for which key and request it was made,
 *  and what it was. A receipt without this is of no kept answer. */
const boundAnswer = ({ key, request, answer }: Idempotency) => ({
  key_sha256: hexEncode(key),
  request_sha256: hexEncode(request),
  answer_sha256: sha256Hex(answer),
})

const buildReceipt = (
  { caller, requestId, inputSource }: Call,
  draft: Draft,
  idempotency: Idempotency | null,
  clock: Clock,
) => ({
  ns: caller.namespace,
  chain: draft.chain,
  ...toStatement(draft, inputSource, {
    ...boundDocuments(draft.documents),
    ...(idempotency === null ? {} : { idempotency: boundAnswer(idempotency) }),
  }),
  ts_utc: isoNow(clock),
  request_id: requestId,
  actor: { owner: caller.owner, key_id: caller.keyId, auth_mode: caller.authMode },
  policy: draft.policy ?? null,
})

/** A request that lost its body must not pass for a decision: what the example came to stands one level deeper, where no
 *  reader of decisions looks for it. */
function toStatement(
  draft: Draft,
  inputSource: Call['inputSource'],
  bound: object,
): Pick<ReceiptDraft, 'kind' | 'payload'> {
  const { kind, payload } = draft
  const around = { ...bound, ...(draft.coversAnswer ? replyDigestOf(draft.answer) : {}) }
  if (inputSource === 'CALLER') return { kind, payload: { ...payload, ...around } }
  return { kind: 'example', payload: { example_of: kind, value: payload, ...around } }
}

/** Of the answer as it is sent: what JSON leaves out is no part of it. */
function replyDigestOf(answer: Record<string, unknown>): Record<string, string> {
  const digest = replyDigest(parseJsonText(JSON.stringify(answer)))
  return digest === null ? {} : { [REPLY_DIGEST]: digest }
}

/** Null without a key: such a request is its own, however often it is sent. */
function toIdentity(call: Call, operationId: string, own: OwnIdentity): Identity | null {
  const given = call.headers['idempotency-key'] ?? own.key
  if (given === undefined) return null
  if (typeof given !== 'string' || !IDEMPOTENCY_KEY.test(given))
    throw new InputError([
      { loc: ['header', 'idempotency-key'], msg: 'must be 1 to 255 visible ASCII characters', type: 'pattern' },
    ])
  const { namespace, owner } = call.caller
  return {
    key: sha256(canonicalBytes([namespace, owner, operationId, given])),
    request: own.request ?? sha256(canonicalBytes([call.params ?? null, call.query ?? null, call.body ?? null])),
  }
}
