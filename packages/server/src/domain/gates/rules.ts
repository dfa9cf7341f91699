/** The gate rules as data. There is no expression language in them: words in order, literals, or the name of a
 *  detector. Nothing in a rules file can therefore cost more than a walk over the text. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { type Confusables, loadConfusables } from '../text/confusables.ts'
import { withoutAccents } from '../text/plain-letters.ts'
import { WordIndex } from '../text/word-index.ts'
import { IDENTIFIER } from './detectors/table.ts'
import { Identifiers } from './identifiers/identifiers.ts'
import { Lexicon } from './lexicon.ts'
import { type RuleDocument, RulesError, readRules } from './rules-document.ts'
import type { Scorer } from './scorer/scorer.ts'
import { readScorer } from './scorer/scorer-document.ts'
import { WordPatterns } from './word-pattern.ts'

export { RulesError }

/** A rule as it stands in the data, with what it looks for made ready. */
export interface Rule extends Omit<RuleDocument, 'pattern'> {
  /** The number of its pattern among all; null for a rule that goes by no words. */
  words: number | null
  literals: string[]
  /** The number of its row among the identifiers; null for every other rule. */
  identifier: number | null
  /** SHA-256 of the canonical form of what it looks for, its sets written out: worked out when it is first asked for. */
  patternDigest: () => string
}

export interface Rules {
  version: string
  digest: string
  engine: string
  rules: Rule[]
  patterns: WordPatterns
  lexicon: Lexicon
  identifiers: Identifiers
  /** What the canonical view knows of the words of the rules. */
  index: WordIndex
  confusables: Confusables
  allowedHosts: string[]
  /** Null where no rule asks for it. */
  scorer: Scorer | null
}

export interface RuleDocuments {
  gates: unknown
  confusables: unknown
  /** The weights of the learned scorer, which the rules name by digest. */
  scorer: unknown
}

/** No expressions are compiled from the rules, so none of them can be made to backtrack. */
export const ENGINE = 'orch.word-automaton/v1'

/** Fails closed: one bad rule and there are no rules, which keeps the service from deciding at all. */
export function loadRules({ gates, confusables, scorer }: RuleDocuments): Rules {
  const document = readRules(gates)
  const table = loadConfusables(confusables)
  const lexicon = new Lexicon(table)
  const patterns = new WordPatterns()
  const rows = document.rules.filter(({ detector }) => detector === IDENTIFIER)
  const rules = document.rules.map(({ pattern, ...rule }) => ({
    ...rule,
    words: pattern?.words ? patterns.add(pattern.words, lexicon) : null,
    literals: pattern?.literals ?? [],
    identifier: rule.detector === IDENTIFIER ? rows.findIndex(({ id }) => id === rule.id) : null,
    patternDigest: patternDigest(rule, pattern ?? null),
  }))
  // A mistake is forgiven to the words of attacks alone, and of orders in data: the rest is written by honest people too,
  // as are the words of sequences that are no more than doubtful.
  const mistyped = document.rules
    .filter(({ severity, origins }) => severity.input === 'block' || origins !== null)
    .flatMap(({ pattern }) => pattern?.words ?? [])
    .filter(({ severity }) => severity !== 'hold')
    .flatMap(({ slots }) => slots)
  const forgiven = [...new Set(mistyped)].flatMap((phrases) => phrases.flatMap((phrase) => phrase.split(' ')))
  return {
    version: document.version,
    digest: rulesDigest(gates),
    engine: ENGINE,
    rules,
    patterns,
    lexicon,
    identifiers: new Identifiers(rows),
    index: new WordIndex(lexicon.spellings(), new Set(forgiven.map(withoutAccents)), document.ordinary_words),
    confusables: table,
    allowedHosts: document.allowed_hosts,
    scorer: scorerOf(rules, scorer),
  }
}

function scorerOf(rules: readonly Rule[], document: unknown): Scorer | null {
  const [digest, ...others] = new Set(rules.flatMap(({ weights_sha256 }) => weights_sha256 ?? []))
  if (others.length > 0) throw new RulesError('two rules ask for different weights of the learned scorer')
  const scorer = digest === undefined ? null : readScorer(document, digest)
  if (typeof scorer === 'string') throw new RulesError(scorer)
  return scorer
}

function patternDigest(rule: Omit<RuleDocument, 'pattern'>, pattern: unknown): () => string {
  const { detector, validator, context, keys, weights_sha256, shapes, plain_shapes } = rule
  const weights = weights_sha256 === null ? {} : { weights_sha256 }
  const written = detector === IDENTIFIER ? { shapes, plain_shapes } : {}
  let digest: string | undefined
  return () => {
    digest ??= sha256Hex(canonicalBytes({ pattern, detector, validator, context, keys, ...weights, ...written }))
    return digest
  }
}

export const rulesDigest = (gates: unknown): string => sha256Hex(canonicalBytes(gates))
