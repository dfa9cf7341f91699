/** What the verifier found, in its own words: the verdict and its ordered checks. A tick stands for a check that was made
 *  in this page and holds, and for nothing else. */
import {
  type Check,
  type CheckStatus,
  headline,
  type Verdict as VerdictWord,
  type VerificationReport,
} from '@orch/core'
import { CHECK_TITLES, sentence, verdictWord } from '../../verify/words.ts'
import { Icon } from './icon.tsx'

const VERDICTS: Record<VerdictWord, readonly [tone: string, shape: string]> = {
  PASS: ['good', 'tick'],
  PARTIAL: ['open', 'half'],
  FAIL: ['bad', 'cross'],
  INCONCLUSIVE: ['none', 'ask'],
  NO_INPUT: ['none', 'example'],
}
const STATUSES: Record<CheckStatus, readonly [tone: string, shape: string]> = {
  VERIFIED: ['good', 'tick'],
  MISMATCH: ['bad', 'cross'],
  UNSIGNED: ['open', 'warn'],
  UNAVAILABLE: ['none', 'gap'],
  DEMO: ['open', 'demo'],
}

export function Verdict({ report }: { report: VerificationReport }) {
  const isUnsigned = report.checks.some(({ status }) => status === 'UNSIGNED')
  const [tone, shape] = isUnsigned && report.verdict === 'INCONCLUSIVE' ? ['open', 'warn'] : VERDICTS[report.verdict]
  const word = isUnsigned && report.verdict === 'INCONCLUSIVE' ? 'UNSIGNED' : verdictWord(report.verdict)
  return (
    <div className={`verdict ${tone}`} role="status" data-verdict={report.verdict}>
      <Icon name={shape as string} />
      <div>
        <h3>{word}</h3>
        <p>{sentence(headline(report))}</p>
      </div>
    </div>
  )
}

export const Checks = ({ checks }: { checks: readonly Check[] }) => (
  <ol className="checks">
    {checks.map((found) => (
      <CheckLine key={found.check} found={found} />
    ))}
  </ol>
)

function CheckLine({ found: { check, status, reason, ms } }: { found: Check }) {
  const [tone, shape] = STATUSES[status]
  return (
    <li className={tone} data-check={check} data-status={status}>
      <Icon name={shape} />
      <b>{CHECK_TITLES[check]}</b>
      <p>{sentence(reason)}</p>
      <span className={`status ${tone}`}>
        <Icon name={shape} />
        {status}
      </span>
      <span className="ms">{ms === undefined ? '' : `${ms.toFixed(1)} ms`}</span>
    </li>
  )
}
