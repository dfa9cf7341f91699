/** What the counters of everybody together say. */
import { documentKey } from '../../src/domain/document-key.ts'
import type { Stored } from './stored.ts'

const GLOBAL = documentKey('global')
const ALL = documentKey('all')

export function usedCounters(stored: Stored) {
  const value = (space: string, key: string): number => stored.counters.get(`${space}:${key}`)?.value ?? 0
  return {
    steps: value('gdw.quota.steps', GLOBAL),
    effects: value('gdw.quota.effects', GLOBAL),
    exported: value('gdw.effects.exported', ALL),
    reviews: value('gdw.quota.reviews', GLOBAL),
  }
}
