/** The checks behind the rows that may say LIVE. Each does something now and returns what it saw; one that fails, throws
 *  or finds nothing to check says why, and its row is then not LIVE. */
import {
  CONJECTURES,
  isLabel,
  LABELS,
  LAMBDA,
  LAMBDA_FORMULA_ID,
  LAMBDA_POWER,
  measured,
  type Reading,
  type VerificationReport,
} from '@orch/core'
import type { Evidence } from '../../domain/evidence.ts'
import { type FormulaRun, type RegistryFile, tiersOf } from '../../domain/formulas.ts'
import { brokenSentence, isVerified, walkedSentence } from '../../domain/organs.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { verifyStored } from '../../domain/verification.ts'

export interface Outcome {
  passed: boolean
  /** One sentence. */
  detail: string
  evidence: Record<string, unknown>
}

export interface AssuranceSources {
  registryFile(): Promise<RegistryFile>
  ledger: Evidence & {
    queries: { newestSigned(): Promise<StoredReceipt | null> }
    signer: { keyid: string | null; test: { ok: boolean; testedAt: string; reason: string | null } }
  }
  readiness: {
    report(): Promise<{ ready: boolean; blocking: string[]; components: Record<string, { state: string }> }>
  }
  metrics: { text(): Promise<string> }
  catalog: readonly { id: string; labels: readonly string[] }[]
  /** The clock of the request. */
  now(): string
  /** The newest run of the property checks, with its own date. */
  formulaRun(): Promise<FormulaRun>
}

export type Check = (sources: AssuranceSources) => Promise<Outcome> | Outcome

const seen = (detail: string, evidence: Outcome['evidence']): Outcome => ({ passed: true, detail, evidence })
const failed = (detail: string, evidence: Outcome['evidence'] = {}): Outcome => ({ passed: false, detail, evidence })

/** By the requirement they stand behind; rows without one claim nothing. */
export const CHECKS = {
  async 'MC-1'(sources) {
    const run = await sources.formulaRun()
    const { lambda, tiers, registry_digest } = tiersOf(await sources.registryFile(), run)
    const claims = tiers['SEMANTIC-VERIFIED']
    const broken = claims.filter(({ check }) => !check.passed).map(({ id }) => id)
    const evidence = {
      ...{ checked_at: run.checked_at, function: LAMBDA_FORMULA_ID, power: LAMBDA_POWER, status: lambda.status },
      ...{ registry_sha256: registry_digest.value, claims: claims.length, broken, lambda_use: run.lambdaUse },
    }
    if (lambda.status !== LAMBDA.status || CONJECTURES.lambda !== lambda.status)
      return failed('the card does not state lambda as the conjecture it is', evidence)
    if (broken.length > 0) return failed(`a stated bound has a counterexample: ${broken.join(', ')}`, evidence)
    if (!run.lambdaUse.passed) return failed(`lambda does not keep to what it may do: ${LAMBDA_POWER}`, evidence)
    return seen(`${LAMBDA_FORMULA_ID} was run: its bounds hold, and it ${LAMBDA_POWER}`, evidence)
  },

  'DC-1': ({ catalog: operations }) => {
    const without = operations.filter(({ labels }) => labels.length === 0).map(({ id }) => id)
    const foreign = operations.flatMap(({ labels }) => labels).filter((word) => !isLabel(word))
    const evidence = {
      ...{ words: LABELS.length, operations: operations.length, with_labels: operations.length - without.length },
      ...{ without_labels: without.length, operations_without_labels: without, foreign: foreign.slice(0, 8) },
    }
    if (foreign.length > 0) return failed('an operation declares a label that is none of the nine', evidence)
    if (operations.length === 0 || without.length > 0)
      return failed(`${without.length} of ${operations.length} operations declare no labels`, evidence)
    if (!refusesInvention()) return failed('a value that nobody read could be labelled MEASURED', evidence)
    return seen(
      `all ${operations.length} operations declare labels of the nine; a made-up reading was refused`,
      evidence,
    )
  },

  async 'SI7-1'({ ledger }) {
    const audit = await ledger.walk()
    const { walk, broken } = audit
    const evidence = { receipts: audit.size, rewalked_to: audit.walked_to, chains: audit.chains.length, walk }
    if (broken !== null) return failed(brokenSentence(broken), evidence)
    if (!isVerified(audit)) return failed('the walk has not reached the newest receipt', evidence)
    return seen(walkedSentence(audit), evidence)
  },

  async 'TEVV-1'(sources) {
    const run = await sources.formulaRun()
    const { tiers } = tiersOf(await sources.registryFile(), run)
    const rows = tiers['LOCKED-PROVEN']
    const called = rows.filter(({ called_by }) => called_by.length > 0).map(({ id }) => id)
    const ran = run.checks
      .filter(({ formula_id }) => called.includes(formula_id))
      .map(({ formula_id, checked_cases, passed }) => ({ formula_id, checked_cases, passed }))
    const broken = ran.filter(({ passed }) => !passed).map(({ formula_id }) => formula_id)
    const evidence = {
      ...{ checked_at: run.checked_at, checks: ran },
      not_called_yet: rows.map(({ id }) => id).filter((id) => !called.includes(id)),
      conjecture_counterexample_stands: run.counterexample.stands,
    }
    if (called.length === 0 || ran.length !== called.length)
      return failed('not every locked formula that the service calls was checked', evidence)
    if (broken.length > 0) return failed(`a counterexample was found for ${broken.join(', ')}`, evidence)
    if (!run.counterexample.stands)
      return failed('the counterexample kept for the conjecture no longer stands', evidence)
    return seen(`the ${ran.length} locked formulas that the service calls were checked: no counterexample`, evidence)
  },

  async 'RA-1'({ readiness, metrics }) {
    const report = await readiness.report()
    const series = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
    const components = Object.fromEntries(Object.entries(report.components).map(([name, { state }]) => [name, state]))
    const evidence = { components, metric_series: series }
    if (!report.ready) return failed(`not ready: ${report.blocking.join(', ') || 'draining'}`, evidence)
    if (series === 0) return failed('no metric is exported', evidence)
    return seen('every blocking component was checked and is well, and metrics are exported', evidence)
  },

  async 'IV-1'({ ledger, now }) {
    const { keyid, test } = ledger.signer
    if (keyid === null) return failed('no signing key is present, so there is no signature to verify')
    if (!test.ok) return failed(`the signer does not work: ${test.reason ?? 'its self-test failed'}`, { keyid })
    const newest = await ledger.queries.newestSigned()
    const base = { keyid, self_test_at: test.testedAt }
    if (newest === null)
      return seen('the signer signed a probe and it verified; there is no receipt yet', {
        ...base,
        receipts_checked: 0,
      })
    const report = await verifyStored(ledger, newest, now())
    // Whose receipt it is stays unsaid, and its digest would show it to everybody.
    const evidence = { ...base, receipts_checked: 1, verdict: report.verdict }
    const wrong = ['signature', 'payload_digest', 'inclusion'].filter((name) => statusOf(report, name) !== 'VERIFIED')
    if (report.verdict === 'FAIL' || wrong.length > 0)
      return failed(`the newest receipt does not verify: ${wrong.join(', ') || report.verdict}`, evidence)
    return seen('the newest receipt was verified as an outsider would: signature, digest and inclusion', evidence)
  },
} satisfies Record<string, Check>

const statusOf = ({ checks }: VerificationReport, name: string) => checks.find(({ check }) => check === name)?.status

/** The type system refuses a bare number; this is what happens to one that gets past it by a cast. */
function refusesInvention(): boolean {
  try {
    measured({ value: 1, source: 'nobody', readAt: '2026-01-01T00:00:00.000Z' } as unknown as Reading<number>)
    return false
  } catch (error) {
    return error instanceof TypeError
  }
}
