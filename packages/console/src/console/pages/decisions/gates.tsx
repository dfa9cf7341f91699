/** The six gates as steps, the ones that decided open with their reason and what they found. Receipts keep no text: a
 *  finding has its rule, its place and a masked sample. */
import { explain } from '@orch/core'
import { Icon } from '../../components/icon.tsx'
import { gateTitle, outcomeOf, sentencesOf } from '../../words.ts'

interface Gate {
  name: string
  verdict: string
  completed?: number
  planned?: number
}

interface Finding {
  gate: string
  rule: string
  severity: string
  start: number
  end: number
  sample_masked: string | null
}

const SAID: Readonly<Record<string, string>> = { allow: 'passed', review: 'would hold', deny: 'blocks' }

interface GatesProps {
  gates: readonly Gate[]
  findings: readonly Finding[]
  decision: string | null
  reasons: readonly string[]
  /** Where an operator would give the permit that was missing. */
  hint: string | null
  onPick(gate: string): void
}

export const Gates = ({ gates, findings, decision, reasons, hint, onPick }: GatesProps) => (
  <ol className="gates" aria-label="Gates in order">
    {gates.map((gate) => {
      const { tone, shape } = outcomeOf(gate.verdict)
      const found = findings.filter((finding) => finding.gate === gate.name)
      const fired = gate.verdict !== 'allow'
      const said = sentencesOf(gate.name, reasons)
      if (gate.name === 'cedar-policy' && hint !== null) said.push(hint)
      const decided = fired && gate.verdict.toUpperCase() === decision
      return (
        <li key={gate.name} className={tone} data-gate={gate.name}>
          <Icon name={shape} />
          <div>
            <div className="gate-line">
              <b>{gateTitle(gate.name)}</b>
              <span className="said">{SAID[gate.verdict] ?? gate.verdict}</span>
              {fired ? (
                <button
                  type="button"
                  className="only ms"
                  title={`Only decisions where ${gateTitle(gate.name)} fired`}
                  onClick={() => onPick(gate.name)}
                >
                  Only these
                </button>
              ) : null}
            </div>
            {decided && said.length + found.length > 0 ? <Findings said={said} found={found} /> : null}
            {fired && !decided && found.length > 0 ? (
              <details>
                <summary>What it found</summary>
                <Findings said={[]} found={found} />
              </details>
            ) : null}
          </div>
        </li>
      )
    })}
  </ol>
)

const Findings = ({ said, found }: { said: readonly string[]; found: readonly Finding[] }) => (
  <div className="gate-open">
    {said.map((sentence) => (
      <p className="reason" key={sentence}>
        {sentence}
      </p>
    ))}
    {found.map((finding) => (
      <div className="finding" key={`${finding.rule} ${finding.start}`}>
        <span className="rule">{finding.rule}</span>
        <span>{explain(finding.rule)?.title ?? 'A rule of the operator'}</span>
        <span className="where">
          {finding.sample_masked === null ? null : <span className="masked">{finding.sample_masked}</span>} at{' '}
          {finding.start} to {finding.end}, {finding.severity}
        </span>
      </div>
    ))}
  </div>
)
