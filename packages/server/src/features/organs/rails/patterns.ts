/** A caller's own patterns over the turns. Linear in the text, but a pattern may still have tens of thousands of states,
 *  so this is a job of the compute pool. */
import { cutText } from '@orch/core'
import { RE2JS } from 're2js'
import type { Matched, PatternRail, Turn } from './shapes.ts'

export interface PatternSearch {
  patterns: (PatternRail & { list: 'input' | 'output' })[]
  /** Each in all its readings. */
  turns: { role: Turn['role']; texts: string[] }[]
}
/** For each turn the rails that matched; or which pattern is not supported, and why. */
export type PatternsFound = { fault: { list: 'input' | 'output'; message: string } } | { matched: Matched[] }

export function findPatterns({ patterns, turns }: PatternSearch): PatternsFound {
  const compiled: (PatternSearch['patterns'][number] & { expression: RE2JS })[] = []
  for (const rail of patterns)
    try {
      compiled.push({ ...rail, expression: RE2JS.compile(rail.pattern) })
    } catch (error) {
      const message = `the pattern ${rail.id}: ${cutText((error as Error).message, 200)}`
      return { fault: { list: rail.list, message } }
    }
  const matchedBy = ({ role, texts }: PatternSearch['turns'][number]): Matched =>
    compiled
      .filter(({ list }) => list === LISTS[role])
      .filter(({ expression }) => texts.some((text) => expression.matcher(text).find()))
      .map(({ id, action }) => ({ id, action }))
  return { matched: turns.map(matchedBy) }
}

const LISTS = { user: 'input', assistant: 'output' } as const
