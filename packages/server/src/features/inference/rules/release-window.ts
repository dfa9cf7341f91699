/** Streamed output on its way out. What leaves has been examined together with what follows it, so that a value a gate
 *  would block is never sent in part, however the upstream cuts it. Pure; positions are code units, sizes code points
 *  of which white space in a row, invisible characters and the far end of a long run do not count. */

import type { Finding } from '../../../domain/gates/finding.ts'
import { TextUnits } from './text-units.ts'

/** What one examination sees. */
export const WINDOW = 2_048
/** Held back behind the end: longer than any value with gaps in it that a rule looks for. */
export const HOLDBACK = 256
/** More than this is not held for a part of it to leave: then all of it waits for the decision on the whole. It is as
 *  much as the gates read within their deadline. */
export const MAX_HOLDBACK = 65_536
/** Not every token is worth an examination, and a long one is worth it less often. */
const STEP = 64

export interface Scan {
  text: string
  /** Up to here the stream may leave once this text is found clean. */
  until: number
}

export class ReleaseWindow {
  /** What has not left yet and some of what has: what left long ago is not kept here. */
  #text = ''
  #released = 0
  #lookedAt = 0
  #overfull = false
  readonly #units = new TextUnits()

  push(delta: string): void {
    this.#overfull ||= this.#text.length - this.#released > MAX_HOLDBACK
    this.#text += delta
  }

  /** What to examine next; null while nothing could leave by it. */
  next(): Scan | null {
    const { length } = this.#text
    if (this.#overfull || length - this.#lookedAt < STEP) return null
    this.#units.read(this.#text)
    const until = this.#units.behind(HOLDBACK)
    const reach = Math.min(this.#units.behind(WINDOW), this.#units.before(this.#released, HOLDBACK))
    if (until <= this.#released || length - this.#lookedAt < (length - reach) >> 4) return null
    this.#lookedAt = length
    return { text: this.#text.slice(reach), until }
  }

  /** What leaves now that everything up to `until` was found clean. */
  release(until: number): string {
    const delta = this.#text.slice(this.#released, until)
    this.#released = Math.max(this.#released, until)
    this.#forget()
    return delta
  }

  /** The rest, once the whole text was found clean. */
  releaseAll(): string {
    return this.release(this.#text.length)
  }

  #forget(): void {
    const dropped = this.#units.before(this.#released, WINDOW)
    if (dropped < 8 * WINDOW) return
    this.#text = this.#text.slice(dropped)
    this.#released -= dropped
    this.#lookedAt -= dropped
    this.#units.forget(dropped)
  }
}

const CONTACTS = ['P05', 'P06']
/** What a rule reads around a number to tell that it is one. */
const BEFORE = 48
const AFTER = 24
/** Two values are let through; the others are further spellings of them. */
const MAX = 16
/** Wider than anything a rule reads around a value, so that the parts do not make one another suspect. */
const SEAM = `\n${'|'.repeat(64)}\n`

/** Addresses and telephone numbers add up over a whole answer, however far apart they stand: those that have left are
 *  examined again with every later part. */
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
