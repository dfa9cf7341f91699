import { frontierRoot, hexEncode, noInput, RECEIPT_PAYLOAD_TYPE, type VerificationReport } from '@orch/core'
import { evidenceOf, inclusionOf, logProof, receiptRecord } from '../../domain/evidence.ts'
import { keyPath } from '../../domain/keys.ts'
import { organListing, organRecord } from '../../domain/organs.ts'
import type { ReceiptFilter } from '../../domain/receipts/filter.ts'
import { assertCursor } from '../../domain/receipts/page.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { verifyPresented, verifyStored } from '../../domain/verification.ts'
import { AnyObject, EnvelopeQuery } from '../../domain/wire.ts'
import { APPENDING, ServiceError } from '../../errors.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports, StreamLimits } from '../../ports.ts'
import { dagOf } from './dag.ts'
import { beginning, lastEventId, subscriptionOf } from './event-client.ts'
import { EventHub } from './event-hub.ts'
import { buildExport } from './export.ts'
import { keyOperations } from './key-operations.ts'
import { lakeOperations } from './lake-operations.ts'
import { EXAMPLE_DIGEST, getDefaults, group, lookupsOf, openDefaults, shownPage } from './lookups.ts'
import { minted, mintPayload, presentedIn, verifyManifest } from './presented.ts'
import * as replies from './replies.ts'
import * as schemas from './schemas.ts'

type Deps = Pick<Ports, 'ledger' | 'recorder' | 'clock' | 'signer' | 'publicOrigin'> & { streamLimits: StreamLimits }

const VERIFY_BYTES = 256 * 1024
const byDigest = {
  params: schemas.DigestPath,
  errors: ['receipt_not_found'],
  example: { params: { digest: EXAMPLE_DIGEST } },
} as const

/** Everything a user does with receipts. Only minting and rotating a key append; verification appends nothing. */
export const receipts = ({ ledger, recorder, clock, signer, publicOrigin, streamLimits }: Deps) => {
  const now = () => isoNow(clock)
  const hub = new EventHub(ledger, streamLimits, () => clock.monotonic())
  const { visible, intact, listed, auditedChain, newest, outcomes } = lookupsOf(ledger)
  const verifyById = async (caller: Call['caller'], digest: string, wanted: { organ?: string } = {}) =>
    reported(await verifyStored(ledger, await visible(caller, digest), now(), wanted))
  const verifySent = async (body: schemas.VerifyInput, { caller, requestId }: Pick<Call, 'caller' | 'requestId'>) => {
    const { receipt_id: receiptId, organ, public_key_pem: publicKeyPem } = body
    const value = presentedIn(body)
    const found = await (value === undefined
      ? null
      : verifyPresented(ledger, value, now(), { receiptId, organ, publicKeyPem }))
    if (found !== null && !(found.verdict === 'NO_INPUT' && found.kind === 'unknown')) return reported(found)
    if (receiptId !== undefined) return verifyById(caller, receiptId, organ === undefined ? {} : { organ })
    return nothingSent(requestId, now())
  }

  return [
    operation({
      id: 'khipu.sign',
      group,
      method: 'POST',
      path: '/api/orch/khipu/sign',
      root: true,
      scope: 'receipts:write',
      summary: 'Mint a receipt over an object of the caller',
      description:
        'The object, or the one under `receipt`, becomes `payload.statement` of a signed receipt. Its canonical form has at most 16 KiB. With `envelope=1` the reply carries a signed checkpoint as well.',
      query: EnvelopeQuery,
      body: AnyObject,
      bodyRule: { minProperties: 1 },
      reply: replies.Minted,
      labels: ['STRUCTURAL-ONLY'],
      errors: APPENDING,
      example: { body: { receipt: { note: 'released build 42' } } },
      run: (call) =>
        recorder.record(call, 'khipu.sign', {
          decide: () => ({ chain: 'mint', kind: 'mint', payload: mintPayload(call.body), answer: {}, prove: true }),
          toReply: async (receipt, _answer, size) =>
            minted(
              receipt,
              call.query.envelope === true
                ? await evidenceOf(ledger, receipt, size)
                : { inclusion: await inclusionOf(ledger, receipt, size) },
            ),
        }),
    }),
    operation({
      ...getDefaults,
      id: 'khipu.dag',
      path: '/api/orch/khipu/dag',
      root: true,
      summary: 'The newest receipts, or the neighbourhood of one, as a graph',
      query: schemas.DagQuery,
      narrows: true,
      reply: replies.Dag,
      labels: ['MEASURED'],
      errors: ['receipt_not_found', 'chain_not_found'],
      example: { query: { request: 'latest' } },
      async run({ query, caller }) {
        const dag = await dagOf(ledger, caller, query.request)
        const { size, frontier } = await ledger.reader.head()
        return { ...dag, khipu_root: hexEncode(frontierRoot({ size, hashes: frontier })), ledger_size: size }
      },
    }),
    operation({
      ...getDefaults,
      id: 'khipu.ledger',
      path: '/api/orch/khipu/ledger',
      root: true,
      summary: 'Receipts, newest first, narrowed by what they say',
      description:
        'A call reads at most 5000 receipts: a page may be short, and next_cursor goes on until it is null. `count` is null where it is not known.',
      query: schemas.LedgerQuery,
      narrows: true,
      reply: replies.LedgerPage,
      labels: ['STRUCTURAL-ONLY'],
      example: { query: { limit: 20, decision: 'DENY' } },
      async run({ query: { limit, cursor, ...filter }, caller }) {
        // Read before the page: whoever follows the events after it misses nothing that the page does not hold.
        const { size } = await ledger.reader.head()
        const page = await listed(caller, filter as ReceiptFilter, { limit: limit!, cursor })
        return { ...shownPage(page), ledger_size: size }
      },
    }),
    operation({
      ...getDefaults,
      id: 'receipts.outcomes',
      path: '/ledger/outcomes',
      summary: 'How often each outcome came in a span of time, slice by slice',
      description:
        'The last day unless `since` and `until` say otherwise, narrowed like the ledger; `decision` is not narrowed by. Reads at most the newest 20000 receipts; `ended` says where it stopped.',
      query: schemas.OutcomesQuery,
      narrows: true,
      reply: replies.Outcomes,
      labels: ['MEASURED'],
      errors: ['chain_not_found'],
      example: { query: { slices: 24 } },
      async run({ query: { slices, ...filter }, caller }) {
        const found = await outcomes(caller, filter as ReceiptFilter, slices!, clock.now())
        if (found === null) throw new ServiceError('chain_not_found', `no chain ${filter.chain} in this ledger`)
        return { label: 'MEASURED', source: 'receipts of the ledger', read_at: now(), ...found } as const
      },
    }),
    operation({
      ...getDefaults,
      id: 'receipts.get',
      path: '/receipts/:digest',
      summary: 'One receipt with its envelope and its proof, as a file that verifies by itself',
      ...byDigest,
      reply: replies.ReceiptRecord,
      labels: ['STRUCTURAL-ONLY'],
      async run({ params, caller }) {
        const row = await intact(caller, params.digest)
        return receiptRecord(row, await logProof(ledger, row))
      },
    }),
    operation({
      ...getDefaults,
      id: 'receipts.canonical',
      path: '/receipts/:digest/canonical',
      summary: 'The exact bytes that were hashed, signed and logged',
      ...byDigest,
      reply: replies.Bytes,
      labels: ['STRUCTURAL-ONLY'],
      produces: RECEIPT_PAYLOAD_TYPE,
      run: async ({ params, caller }) =>
        new Reply((await intact(caller, params.digest)).body, { type: RECEIPT_PAYLOAD_TYPE }),
    }),
    operation({
      ...getDefaults,
      id: 'khipu.organs',
      path: '/khipu/organs',
      summary: 'The chains, organ by organ, re-walked to their heads for this reply',
      query: schemas.OrgansQuery,
      narrows: true,
      reply: replies.OrganListing,
      labels: ['MEASURED'],
      run: async ({ query, caller }) => organListing(await ledger.walk(query.rewalk), caller, signer().status, now()),
    }),
    operation({
      ...getDefaults,
      id: 'khipu.chain',
      path: '/khipu/chain/:organ',
      summary: 'One chain: its head, what the re-walk found, its receipts newest first',
      params: schemas.OrganPath,
      query: schemas.ChainQuery,
      narrows: true,
      reply: replies.ChainPage,
      labels: ['MEASURED'],
      errors: ['chain_not_found'],
      example: { params: { organ: 'mint' } },
      async run({ params, query: { limit, cursor }, caller }) {
        const chain = await auditedChain(caller, params.organ)
        assertCursor(cursor, chain)
        const page = await ledger.queries.receiptPage(caller, { limit: limit!, cursor, filter: {}, chain })
        return { ...organRecord(chain), ...shownPage(page), order: 'newest first, by seq' }
      },
    }),
    operation({
      ...getDefaults,
      id: 'khipu.verifyById',
      path: '/khipu/verify/:digest',
      summary: 'Verify a receipt of this ledger',
      ...byDigest,
      reply: replies.Report,
      labels: ['MEASURED'],
      run: ({ params, caller }) => verifyById(caller, params.digest),
    }),
    operation({
      id: 'khipu.verify',
      group,
      method: 'POST',
      path: '/api/orch/khipu/verify',
      root: true,
      scope: null,
      summary: 'Verify a DSSE envelope',
      description: 'The envelope itself, or `{envelope}`.',
      body: AnyObject,
      bodyLimit: VERIFY_BYTES,
      reply: replies.Report,
      errors: ['no_input'],
      labels: ['MEASURED'],
      example: { body: { payloadType: RECEIPT_PAYLOAD_TYPE, payload: 'e30=', signatures: [] } },
      run: (call) => verifySent({ envelope: (call.body.envelope ?? call.body) as Record<string, unknown> }, call),
    }),
    operation({
      ...getDefaults,
      id: 'receipts.export',
      path: '/api/orch/v1/receipt/export',
      root: true,
      aliases: ['/receipt/export'],
      summary: 'A receipt with everything needed to check it without this service',
      description: 'The newest one, or the one named by `digest`. `verify_offline` runs as printed in a shell.',
      query: schemas.ExportQuery,
      narrows: true,
      reply: replies.Export,
      labels: ['MEASURED'],
      errors: ['receipt_not_found'],
      async run({ query: { digest }, caller, headers }) {
        const row = digest === undefined ? await newest(caller) : await visible(caller, digest)
        const { durability, readOnly } = ledger.state()
        const productionSigner = signer().status === 'LIVE'
        return buildExport(ledger, row, {
          durability,
          readOnly,
          productionSigner,
          startUp: ledger.tail,
          origin: publicOrigin(headers.host as string | undefined),
          keyPath: keyPath(isActive(row) ? null : row!.keyid),
          now: now(),
        })
      },
    }),
    operation({
      ...openDefaults,
      id: 'receipts.verifyManifest',
      path: '/verify/receipt',
      alias: true,
      summary: 'What can be verified here, and how the answer reads',
      reply: replies.VerifyManifest,
      labels: ['STRUCTURAL-ONLY'],
      run: () => verifyManifest(ledger.vkey, ledger.signer.keyid),
    }),
    operation({
      id: 'receipts.verify',
      group,
      method: 'POST',
      path: '/verify/receipt',
      alias: true,
      scope: null,
      summary: 'Verify an envelope, a receipt, an export or a receipt of this ledger by its id',
      description: 'Nothing to verify is 400 with the verdict NO_INPUT. Verification appends nothing.',
      body: schemas.VerifyBody,
      bodyLimit: VERIFY_BYTES,
      emptyBody: 'optional',
      reply: replies.Report,
      labels: ['MEASURED'],
      errors: ['no_input', 'receipt_not_found'],
      example: { body: { envelope: { payloadType: RECEIPT_PAYLOAD_TYPE, payload: 'e30=', signatures: [] } } },
      run: (call) =>
        Object.keys(call.body).length > 0 ? verifySent(call.body, call) : nothingSent(call.requestId, now()),
    }),
    operation({
      ...getDefaults,
      id: 'receipts.verifyById',
      path: '/verify/receipt/:receipt_id',
      alias: true,
      summary: 'Re-walk the chain and report on one receipt of this ledger',
      params: schemas.ReceiptPath,
      reply: replies.Report,
      labels: ['MEASURED'],
      errors: ['receipt_not_found'],
      example: { params: { receipt_id: EXAMPLE_DIGEST } },
      run: ({ params, caller }) => verifyById(caller, params.receipt_id),
    }),
    operation({
      ...getDefaults,
      id: 'receipts.events',
      path: '/events',
      summary: 'Receipts as server-sent events, one each, `id` is the node index',
      description:
        'Begins after Last-Event-ID or `after`, else with the next receipt. A comment line every 15 s while nothing happens. A client that reads too slowly gets an event `closing` with the id to resume after.',
      query: schemas.EventsQuery,
      narrows: true,
      reply: replies.Bytes,
      labels: ['STRUCTURAL-ONLY'],
      produces: 'text/event-stream',
      errors: ['too_many_streams'],
      example: { query: { after: -1 } },
      async run({ query: { after, ...filter }, caller, client, headers, signal, headOnly }) {
        const { size } = await ledger.reader.head()
        const place = { ...beginning(lastEventId(headers['last-event-id']), after, size), signal }
        const subscription = subscriptionOf(caller, filter as ReceiptFilter, place)
        const stream = headOnly === true ? '' : hub.open(subscription, streamCaller(caller, client))
        return new Reply(stream, { type: 'text/event-stream; charset=utf-8', headers: { 'x-accel-buffering': 'no' } })
      },
    }),
    operation({
      ...getDefaults,
      id: 'receipts.exportLedger',
      path: '/ledger/export',
      scope: 'log:entries',
      summary: 'The whole ledger as lines: a header, one line per receipt, a footer',
      description: 'Streams up to the newest checkpoint, every namespace included. `orch verify` reads it as it is.',
      narrows: true,
      reply: replies.Bytes,
      labels: ['STRUCTURAL-ONLY'],
      produces: 'application/jsonl',
      async run() {
        await ledger.checkpointNow()
        return new Reply(await untilFirst(ledger.exportLines()), { type: 'application/jsonl; charset=utf-8' })
      },
    }),
    ...keyOperations({ ledger, recorder }),
    ...lakeOperations({ ledger }),
  ]

  /** A receipt that the key in use did not sign is checked with the key that did. */
  function isActive(row: StoredReceipt | null): boolean {
    return row === null || row.keyid === null || row.keyid === ledger.signer.keyid
  }
}

const reported = (report: VerificationReport, status = 200): Reply =>
  new Reply(report, { status, headers: { 'x-orch-verify-verdict': report.verdict } })

function nothingSent(requestId: string, checkedAt: string): Reply {
  const message =
    'the body has nothing to verify; it is one of envelope, receipt, export or receipt_id, such as {"receipt_id":"64 hex characters"}'
  const error = { code: 'no_input', message, request_id: requestId }
  return reported({ ...noInput('unknown', message, checkedAt), error } as VerificationReport, 400)
}

/** Whom a stream is counted for: the credential where there is one, else the address. */
const streamCaller = ({ namespace, keyId }: Call['caller'], client: string | undefined): string | null =>
  keyId === null ? (client ?? null) : `${namespace} ${keyId}`

/** The stream once its first part is there: what fails before that can still be refused with a status of its own. What fails
 *  later can only show by a body that ends too early. */
async function untilFirst<T>(source: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const parts = source[Symbol.asyncIterator]()
  const first = await parts.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => parts }
  })()
}
