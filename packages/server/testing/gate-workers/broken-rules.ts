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
  return { ...rules, rules: rules.rules.map((rule) => (rule.gate === gate ? brokenRule(rule, kind) : rule)) }
}

/** A rule's context words are read each time the rule is applied and at no other time, so that is where it breaks. */
function brokenRule(rule: Rule, kind: Fault['kind']): Rule {
  if (kind === 'lost') return { ...rule, detector: null, words: null, literals: undefined as never }
  return Object.defineProperty({ ...rule }, 'context', {
    get() {
      if (kind === 'throws') throw new Error('a rule that fails')
      for (const until = performance.now() + 60; performance.now() < until; );
      return rule.context
    },
  })
}
