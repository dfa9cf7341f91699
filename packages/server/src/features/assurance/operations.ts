import { PACK_PAYLOAD_TYPE } from '@orch/core'
import type { FormulaRun } from '../../domain/formulas.ts'
import { lakeHealth, organListing } from '../../domain/organs.ts'
import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Metrics, Ports } from '../../ports.ts'
import type { AssuranceSources } from './checks.ts'
import { assessFit } from './fit.ts'
import { buildMatrix, evaluate, evaluatedAt } from './matrix.ts'
import { buildPack, packEnvelope, packReceipts, sealPack } from './pack.ts'
import * as schemas from './schemas.ts'

type Deps = Pick<Ports, 'artifacts' | 'ledger' | 'readiness' | 'catalog' | 'signer' | 'authMode' | 'clock'> & {
  formulaRun: () => Promise<FormulaRun>
  metrics: Metrics
  /** How long a result that is costly to make counts for others, at most; each carries its own date. */
  resultKeepMs: number
}

const READING = { group: 'Attestation and assurance', method: 'GET', scope: null } as const

/** What the deployment can show for itself. Every claim is checked at the time it says; the pack alone is signed. */
export const assurance = (deps: Deps) => {
  const { artifacts, clock, ledger, readiness, resultKeepMs, signer, authMode } = deps
  const now = () => isoNow(clock)
  const sources: AssuranceSources = {
    ...deps,
    now,
    registryFile: () => artifacts.text('formula-registry'),
  }
  // A ledger that turns out to be broken makes the rows of a moment ago untrue, however young they are.
  const evaluated = shared(
    { keepMs: resultKeepMs, monotonic: () => clock.monotonic(), version: () => ledger.state().readOnly },
    () => evaluate(sources),
  )
  const sign = (statement: Uint8Array) =>
    ledger.signStatement(PACK_PAYLOAD_TYPE, statement).catch(() => {
      // A key that is there and does not answer is no reason to hand out a pack that says there is none.
      throw new ServiceError('signer_unavailable', 'the signer did not answer, so the pack was not made; retry later')
    })
  return [
    operation({
      id: 'assurance.matrix',
      ...READING,
      path: '/assurance/matrix',
      summary: 'Eight requirements, each with the check behind it and when it ran; a failing one is never LIVE',
      reply: schemas.Matrix,
      labels: ['LIVE', 'MEASURED', 'ROADMAP'],
      run: async () => buildMatrix(await evaluated()),
    }),
    operation({
      id: 'assurance.evidencePack',
      ...READING,
      path: '/assurance/evidence-pack',
      alias: true,
      scope: 'receipts:read',
      summary: 'The evidence pack: matrix, chains, doctrine and keys, with a digest and, where there is a key, signed',
      description: 'Verify it with `orch pack verify`, on the page /verify, or with examples/check_pack.py.',
      query: schemas.PackQuery,
      narrows: true,
      reply: schemas.PackEnvelope,
      labels: ['LIVE', 'ROADMAP', 'MEASURED'],
      errors: ['signer_unavailable', 'receipt_not_found'],
      async run({ query, caller }) {
        const generatedAt = now()
        const state = signer()
        const rows = await evaluated()
        const isEmpty = query.receipts === 0 && query.indexes === undefined
        const receipts = isEmpty ? null : await packReceipts(ledger, caller, query, state.fingerprint)
        const audit = await ledger.walk()
        const organs = organListing(audit, caller, state.status, generatedAt)
        const lake = lakeHealth(audit, caller, ledger.state().durability)
        const pack = buildPack({ rows, organs, lake, signer: state, receipts, generatedAt })
        const seal = sealPack(pack)
        return packEnvelope(pack, seal, await sign(seal.statement))
      },
    }),
    operation({
      id: 'assurance.fit',
      ...READING,
      path: '/assurance/fit',
      summary: 'Which sets of requirements this deployment meets now, and what each of the others lacks',
      reply: schemas.Fit,
      labels: ['LIVE', 'ROADMAP'],
      async run() {
        const [rows, report] = [await evaluated(), await readiness.report()]
        const { durability } = ledger.state()
        const facts = {
          durability,
          signer: signer().status,
          authMode: authMode(),
          productionReady: report.productionReady,
        }
        return assessFit(rows, facts, evaluatedAt(rows) ?? now())
      },
    }),
  ]
}
