/** Rules of which one gate throws, takes too long or has lost its data. */
import type { TextGate } from '../../src/domain/gates/finding.ts'
import type { Rule, Rules } from '../../src/domain/gates/rules.ts'

export interface Fault {
  gate: TextGate
  kind: 'throws' | 'slow' | 'lost'
}

export const FAULTS: readonly Fault[] = (['threat-signature-scan', 'pii-egress-guard'] as const).flatMap((gate) =>
  (['throws', 'slow', 'lost'] as const).map((kind) => ({ gate, kind })),
)

export function withFault(rules: Rules, gate: TextGate, kind: Fault['kind']): Rules {
  const own = rules.rules.filter((rule) => rule.gate === gate)
  // One slow rule makes its gate late.
  const broken = kind === 'slow' ? own.filter(({ detector }) => detector !== null).slice(0, 1) : own
  return { ...rules, rules: rules.rules.map((rule) => (broken.includes(rule) ? brokenRule(rule, kind) : rule)) }
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A rule's context words are read each time the rule is applied and at no other time, so that is where it breaks. */
function brokenRule(rule: Rule, kind: Fault['kind']): Rule {
  if (kind === 'lost') return { ...rule, detector: null, words: null, literals: undefined as never }
  return Object.defineProperty({ ...rule }, 'context', {
    get() {
      if (kind === 'throws') throw new Error('a rule that fails')
      // By the processor alone: time that others took from this thread in short turns is no work, and no deadline counts it.
      for (const had = processorMs(); processorMs() - had < 60; );
      return rule.context
    },
  })
}
