/** A caller's own patterns over the turns. Linear in the text, but a pattern may still have tens of thousands of states,
 *  so this is a job of the compute pool. */
import { RE2JS } from 're2js'
import type { Turn } from './shapes.ts'

export interface PatternRail {
  id: string
  pattern: string
  action: 'review' | 'deny'
}
export interface PatternSearch {
  input: PatternRail[]
  output: PatternRail[]
  turns: Turn[]
}
/** For each turn the rails that matched; or which pattern is not supported, and why. */
export type PatternsFound =
  | { fault: { list: 'input' | 'output'; id: string; message: string } }
  | { matched: Pick<PatternRail, 'id' | 'action'>[][] }

export function findPatterns({ input, output, turns }: PatternSearch): PatternsFound {
  const compiled = {
    input: [] as (PatternRail & { expression: RE2JS })[],
    output: [] as (PatternRail & { expression: RE2JS })[],
  }
  for (const [list, rails] of [
    ['input', input],
    ['output', output],
  ] as const)
    for (const rail of rails)
      try {
        compiled[list].push({ ...rail, expression: RE2JS.compile(rail.pattern) })
      } catch (error) {
        return { fault: { list, id: rail.id, message: (error as Error).message.slice(0, 200) } }
      }
  return {
    matched: turns.map(({ role, text }) =>
      compiled[role === 'user' ? 'input' : 'output']
        .filter(({ expression }) => expression.matcher(text).find())
        .map(({ id, action }) => ({ id, action })),
    ),
  }
}
