// The gate rules as data. There is no expression language in them: words in order, literals, or the name of a
// detector. Nothing in a rules file can therefore cost more than a walk over the text.
import { canonicalBytes, sha256Hex } from '@orch/core'
import { type Confusables, loadConfusables } from '../text/confusables.ts'
import type { KeyShape } from './detectors/access-key.ts'
import type { Severity, TextGate } from './finding.ts'
import { Lexicon } from './lexicon.ts'
import { type RuleDocument, RulesError, readRules } from './rules-document.ts'
import { WordPattern } from './word-pattern.ts'

export { RulesError }

export interface Rule {
  id: string
  version: number
  gate: TextGate
  title: string
  /** What a short value is called in a sample. */
  kind: string
  severity: { input: Severity; output: Severity }
  words: WordPattern | null
  literals: string[]
  detector: string | null
  validator: string | null
  context: string[]
  keys: KeyShape[]
  /** Lowered to a note or a hold where the words are quoted. */
  mentionable: boolean
  match: string[]
  no_match: string[]
  /** SHA-256 of the canonical form of what it looks for, its sets written out. */
  pattern_sha256: string
}

export interface Rules {
  version: string
  digest: string
  engine: string
  rules: Rule[]
  lexicon: Lexicon
  confusables: Confusables
  allowedHosts: string[]
}

export interface RuleDocuments {
  gates: unknown
  confusables: unknown
}

/** No expressions are compiled from the rules, so none of them can be made to backtrack. */
export const ENGINE = 'orch.word-automaton/v1'

/** Fails closed: one bad rule and there are no rules, which keeps the service from deciding at all. */
export function loadRules({ gates, confusables }: RuleDocuments): Rules {
  const document = readRules(gates)
  const table = loadConfusables(confusables)
  const lexicon = new Lexicon(table)
  const rules = document.rules.map(({ pattern, ...rule }) => ({
    ...rule,
    words: pattern?.words ? new WordPattern(pattern.words, lexicon) : null,
    literals: pattern?.literals ?? [],
    pattern_sha256: patternDigest(rule, pattern ?? null),
  }))
  return {
    version: document.version,
    digest: rulesDigest(gates),
    engine: ENGINE,
    rules,
    lexicon,
    confusables: table,
    allowedHosts: document.allowed_hosts,
  }
}

const patternDigest = ({ detector, validator, context, keys }: Omit<RuleDocument, 'pattern'>, pattern: unknown) =>
  sha256Hex(canonicalBytes({ pattern, detector, validator, context, keys }))

export const rulesDigest = (gates: unknown): string => sha256Hex(canonicalBytes(gates))
