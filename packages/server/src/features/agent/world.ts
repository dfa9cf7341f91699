/** The world as the tools of one run get it: this caller's receipts, this session's notes, this run's observations. */

import { receiptFacts } from '../../domain/tools/receipt-facts.ts'
import { verifyStored } from '../../domain/verification.ts'
import { sees } from '../../domain/visibility.ts'
import { isoNow } from '../../platform/clock.ts'
import { goalRequest } from './decision-requests.ts'
import type { Note } from './rules/retrieve.ts'
import type { World } from './rules/tool-box.ts'
import { observedTexts, type Run } from './run-state.ts'

export function worldOf(run: Run, notes: readonly Note[]): World {
  const { ledger, clock, governance } = run.deps
  const { caller } = run.call
  const visible = async (digest: string) => {
    const row = await ledger.reader.byDigest(digest)
    return row !== null && sees(caller, row) ? row : null
  }
  return {
    now: () => clock.now(),
    notes,
    scope: run.request.sessionId === null ? 'run' : 'session',
    observed: observedTexts(run),
    receipt: async (digest) => receiptFacts(caller, await ledger.reader.byDigest(digest)),
    async verify(digest) {
      const row = await visible(digest)
      if (row === null) return null
      const report = await verifyStored(ledger, row, isoNow(clock))
      return { verdict: report.verdict, checks: report.checks.map(({ check, status }) => ({ check, status })) }
    },
    async check(text) {
      const decisionRequest = { ...goalRequest(run, null), text, context: undefined, sessionId: null }
      const { decision, examined } = await governance.decide(await governance.examine(decisionRequest), {
        dryRun: true,
      })
      const rules = [...new Set(examined.examination.findings.map(({ rule }) => rule))]
      return { decision: decision.decision, reasons: decision.reasons, rules }
    },
  }
}
