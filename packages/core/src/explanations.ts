/** Every reason code and gate rule in words: one title and one sentence of at most 120 characters each, from the table
 *  explanations.json. The service, the command line, the pages and docs/reasons.md all read it, so that a code means the
 *  same everywhere. Titles of rules are those of packages/server/rules/gates.json. */
import table from './explanations.json' with { type: 'json' }

export interface Explanation {
  code: string
  title: string
  sentence: string
}

/** Why a decision, a run of the agent or an admission came out as it did. */
export const REASON_EXPLANATIONS: readonly Explanation[] = Object.freeze(table.reasons)
/** What the six gates look at, by their names on the wire. */
export const GATE_EXPLANATIONS: readonly Explanation[] = Object.freeze(table.gates)
/** What the rules of the gates look for. */
export const RULE_EXPLANATIONS: readonly Explanation[] = Object.freeze(table.rules)

const BY_CODE: ReadonlyMap<string, Explanation> = new Map(
  [...REASON_EXPLANATIONS, ...GATE_EXPLANATIONS, ...RULE_EXPLANATIONS].map((entry) => [entry.code, entry]),
)

/** Null for a code that is not ours, such as one an operator's own policy names. */
export const explain = (code: string): Explanation | null => BY_CODE.get(code) ?? null

/** What is known of each code, each once, in the order they come. */
export const explainAll = (codes: Iterable<string>): Explanation[] =>
  [...new Set(codes)].flatMap((code) => BY_CODE.get(code) ?? [])

/** Why a tool is not found by the beginning of its name, and what finds it. */
export const UNREGISTERED_TOOL =
  'Receipts name registered tools alone and keep a digest of any other, which a part of the name does not find: give its whole name, or register it in policies/tools.json, and later receipts name it'
