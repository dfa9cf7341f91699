/** Addresses and telephone numbers add up over a whole answer, however far apart they stand: those that have left are
 *  examined again with every later part. */
import type { Finding } from '../../../domain/gates/finding.ts'

const CONTACTS = ['P05', 'P06']
/** What a rule reads around a number to tell that it is one. */
const BEFORE = 48
const AFTER = 24
/** Two values are let through; the others are further spellings of them. */
const MAX = 16
/** Wider than anything a rule reads around a value, so that the parts do not make one another suspect. */
const SEAM = `\n${'|'.repeat(64)}\n`

export class Contacts {
  readonly #contacts = new Map<string, string>()

  with(text: string): string {
    return [...this.#contacts.values(), text].join(SEAM)
  }

  keep(text: string, findings: readonly Finding[]): void {
    const found = findings.filter(({ rule, pointer }) => pointer === null && CONTACTS.includes(rule))
    if (found.length === 0) return
    const points = [...text]
    for (const { start, end } of found) {
      const value = points.slice(start, end).join('')
      if (this.#contacts.has(value) || this.#contacts.size >= MAX) continue
      this.#contacts.set(value, points.slice(Math.max(0, start - BEFORE), end + AFTER).join(''))
    }
  }
}
