import { statementIn, verifyStatement } from '@orch/core'
import { type FormulaRun, verifiedKernel } from '../../domain/formulas.ts'
import { trustedKeys } from '../../domain/keys.ts'
import { verifyStored } from '../../domain/verification.ts'
import { sees } from '../../domain/visibility.ts'
import { LEDGER_ERRORS } from '../../domain/wire.ts'
import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Ports } from '../../ports.ts'
import { attestReceipt } from './factors.ts'
import { readProvenance, readTitle, type TitleSources } from './readings.ts'
import { anchorAnswer, anchorPayload, READ_ONLY, readOnlyEnvelope, titleRecord } from './record.ts'
import * as schemas from './schemas.ts'
import { compareStatements, judgeStatement, NOT_OURS, notOurs } from './verification.ts'

type Deps = Omit<TitleSources, 'provenance'> &
  Pick<Ports, 'artifacts' | 'build' | 'ledger' | 'recorder' | 'clock'> & {
    formulaRun: () => Promise<FormulaRun>
    /** How long a result that is costly to make counts for others, at most; each carries its own date. */
    resultKeepMs: number
  }

const READING = { group: 'Attestation and assurance', method: 'GET', scope: null } as const
const MAX_PRESENTED = 256 * 1024

/** Attestation is read-only: nothing here signs, appends or submits, except the one operation that says so. */
export const attestation = (deps: Deps) => {
  const { anchoring, artifacts, clock, formulaRun, ledger, meters, recorder, resultKeepMs } = deps
  const now = () => isoNow(clock)
  const provenance = shared({ keepMs: resultKeepMs, monotonic: () => clock.monotonic() }, () =>
    readProvenance(deps, now()),
  )
  const title = (signal: AbortSignal) => readTitle({ provenance, meters, anchoring }, signal)
  const trust = async () => ({ keys: trustedKeys(await ledger.reader.keys()), checkedAt: now() })
  const readRecord = async (requireTransparency: boolean, signal: AbortSignal) => {
    const { statement, anchor, policy, builtAt } = await title(signal)
    const envelope = readOnlyEnvelope(statement)
    const report = await verifyStatement({ statement, envelope }, await trust())
    const verification = judgeStatement({ report, anchor, requireTransparency, verifiedAt: now() })
    return { report, record: titleRecord({ statement, envelope, anchor, verification, policy, builtAt }) }
  }
  return [
    operation({
      id: 'attest.manifest',
      ...READING,
      path: '/attest/manifest',
      summary:
        'The chain-of-title statement of at most ten seconds ago, checked and disclosed field by field for this request',
      query: schemas.RequireTransparency,
      narrows: true,
      reply: schemas.TitleRecord,
      labels: ['MEASURED', 'MODELED', 'UNAVAILABLE'],
      run: async ({ query, signal }) => (await readRecord(query.require_transparency, signal)).record,
    }),
    operation({
      id: 'attest.verify',
      ...READING,
      path: '/attest/verify',
      summary: 'The policy verdict on the chain-of-title statement as it would be served now',
      query: schemas.RequireTransparency,
      narrows: true,
      reply: schemas.VerifyReply,
      labels: ['MEASURED', 'MODELED'],
      async run({ query, signal }) {
        const { report, record } = await readRecord(query.require_transparency, signal)
        return { ...record.verification, checks: report.checks, lake: READ_ONLY }
      },
    }),
    operation({
      id: 'attest.verifyPresented',
      ...READING,
      method: 'POST',
      path: '/attest/verify',
      summary: 'The policy verdict on a statement that somebody brings; nothing is appended',
      description:
        'Everything that is judged is computed again from the statement. One that this service does not itself state now is at best UNKNOWN unless a trusted key signed it; one in our name whose weights, corpus or build level are not those read here fails.',
      query: schemas.RequireTransparency,
      narrows: true,
      body: schemas.Presented,
      bodyLimit: MAX_PRESENTED,
      example: { body: { statement: { _type: 'https://in-toto.io/Statement/v1', subject: [], predicate: {} } } },
      reply: schemas.VerifyReply,
      labels: ['MODELED'],
      async run({ body, query, signal }) {
        const [report, presented] = [await verifyStatement(body, await trust()), statementIn(body)]
        // What is no statement is compared with nothing: it costs no reading of ours.
        const compared = presented === null ? NOT_OURS : compareStatements((await title(signal)).statement, presented)
        const requireTransparency = query.require_transparency
        const judged = { report, anchor: notOurs, requireTransparency, verifiedAt: now(), compared }
        return { ...judgeStatement(judged), checks: report.checks, lake: READ_ONLY }
      },
    }),
    operation({
      id: 'attest.byHash',
      ...READING,
      path: '/attest/:receipt_hash',
      summary: 'One receipt by its hash under six heads; a hash that is not known here is an answer, not an error',
      params: schemas.ReceiptHash,
      example: { params: { receipt_hash: '0'.repeat(64) } },
      reply: schemas.ReceiptAttestation,
      labels: ['MEASURED', 'STRUCTURAL-ONLY', 'UNAVAILABLE', 'ROADMAP'],
      async run({ params, caller, signal }) {
        const [hash, checkedAt] = [params.receipt_hash.toLowerCase(), now()]
        const found = await ledger.reader.byDigest(hash)
        const row = found !== null && sees(caller, found) ? found : null
        const report = row === null ? null : await verifyStored(ledger, row, checkedAt)
        const [anchor, registry] = [await anchoring.read(signal), await artifacts.text('formula-registry')]
        const kernel = verifiedKernel(registry, await formulaRun())
        const nodeIndex = row?.nodeIndex ?? null
        return attestReceipt({ hash, report, anchor, nodeIndex, kernel, meters: meters.configured, checkedAt })
      },
    }),
    operation({
      id: 'log.anchor',
      group: READING.group,
      method: 'POST',
      path: '/log/anchor',
      scope: 'log:anchor',
      summary:
        'Submits the newest checkpoint of the log to the configured external log and verifies the proof it returns',
      description: 'Answers 200 whatever the external log does: `rekor.status` says it. The attempt leaves a receipt.',
      body: schemas.Nothing,
      emptyBody: 'example',
      example: { body: {} },
      reply: schemas.AnchorReply,
      labels: ['MEASURED', 'MODELED'],
      errors: ['anchoring_not_configured', ...LEDGER_ERRORS],
      run(call) {
        if (!anchoring.configured)
          throw new ServiceError(
            'anchoring_not_configured',
            'the setting ORCH_REKOR_URL is missing, which names the external transparency log; set ORCH_REKOR_URL and ORCH_REKOR_PUBLIC_KEY and restart',
          )
        return recorder.record(call, 'log.anchor', {
          decide: () => anchoring.anchor(call.signal),
          toReceipt: (anchor) => ({
            chain: 'log',
            kind: 'mint',
            payload: anchorPayload(anchor),
            answer: anchorAnswer(anchor, now()),
          }),
        })
      },
    }),
  ]
}
