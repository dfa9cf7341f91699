/** Texts inside the text, decoded again and again within bounds that an attacker cannot move: depth, number and length.
 *  Stopping at a bound while something is left to decode is reported, because what was not read may be the attack. */

import { codePointAt } from './code-points.ts'
import { entityRuns, escapeRuns, percentRuns, quotedPrintableRuns } from './escapes.ts'
import { type Plain, plainOf } from './fold.ts'
import { groupedBase64Runs, hexPairRuns } from './grouped-runs.ts'
import { type MappedText, spanOf, wholeRun } from './mapped-text.ts'
import { alphabetRuns, type Run, textOf, type UnpackLimit } from './runs.ts'
import { int32s } from './slab.ts'

export interface Child {
  raw: MappedText
  plain: Plain
  path: string[]
}

export interface Decoded {
  children: Child[]
  /** A bound was hit with candidates left. */
  bounded: boolean
}

const MAX_DEPTH = 3
const MAX_CHILDREN = 64
/** Base64 inside base64 of the longest text is read whole. For more there is no time: a gate has 50 ms. */
const MAX_UNITS = 42 * 1024
const MAX_EXPANSION = 4
const MAX_UNPACKED = 128 * 1024
/** Of UTF-8. */
const MAX_BYTES_OF_UNIT = 3

/** What is left to decode of one request: a caller who spreads his runs over many strings has no more of it. */
export interface DecodeAllowance {
  children: number
  /** Of UTF-16, for so many are read. */
  units: number
}

export const decodeAllowance = (texts: readonly string[]): DecodeAllowance => ({
  children: MAX_CHILDREN,
  units: Math.min(MAX_UNITS, MAX_EXPANSION * texts.reduce((sum, text) => sum + text.length, 0)),
})

export function decodedChildren(raw: MappedText, plain: Plain, left = decodeAllowance([raw.text])): Decoded {
  const found: Decoded = { children: [], bounded: false }
  // Once it is known that something is left out, only what can still be taken is unpacked.
  const limit = (): number => (found.bounded ? Math.min(MAX_UNPACKED, MAX_BYTES_OF_UNIT * left.units) : MAX_UNPACKED)
  const take = (run: Run, parent: MappedText, path: string[]): void => {
    const units = run.decoded.length
    if (run.isUnread || path.length >= MAX_DEPTH || left.children === 0 || units > left.units) {
      found.bounded = true
      return
    }
    left.units -= units
    left.children--
    const text = decodedText(run, parent)
    const child = { raw: text, plain: plainOf(text), path: [...path, run.encoding] }
    if (child.plain.cut) found.bounded = true
    found.children.push(child)
    read(child)
  }
  const read = (child: Child): void => {
    for (const run of runsOf(child.plain, limit)) {
      if (found.bounded && left.children === 0) return
      take(run, child.plain, child.path)
    }
    for (const run of [...tagRuns(child.raw.text), ...variationRuns(child.raw.text)]) take(run, child.raw, child.path)
  }
  read({ raw, plain, path: [] })
  return found
}

/** Ordinary letters between escapes keep their own place: what they say was never hidden. */
function decodedText({ decoded, stretches, from, to }: Run, parent: MappedText): MappedText {
  if (!stretches) return wholeRun(decoded, spanOf(parent, from, to))
  const startOffsets = int32s(decoded.length)
  const endOffsets = int32s(decoded.length)
  let at = 0
  for (const stretch of stretches) {
    const isUnchanged = stretch.size === stretch.to - stretch.from
    const { start, end } = spanOf(parent, stretch.from, stretch.to)
    for (let unit = stretch.from; unit < stretch.from + stretch.size; unit++, at++) {
      startOffsets[at] = isUnchanged ? (parent.startOffsets[unit] as number) : start
      endOffsets[at] = isUnchanged ? (parent.endOffsets[unit] as number) : end
    }
  }
  return { text: decoded, startOffsets, endOffsets }
}

function* runsOf({ text }: Plain, limit: UnpackLimit): Generator<Run> {
  const isOwn = (run: Run): boolean => run.decoded !== text.slice(run.from, run.to)
  const alone: Run[] = []
  for (const run of alphabetRuns(text, limit)) {
    alone.push(run)
    if (isOwn(run)) yield run
  }
  const others = [groupedBase64Runs(text, alone, limit), ...OTHER_RUNS.map((runs) => runs(text))]
  for (const run of others.flat()) if (isOwn(run)) yield run
}

const OTHER_RUNS = [hexPairRuns, percentRuns, entityRuns, escapeRuns, quotedPrintableRuns]

/** A flag of a region takes up to seven tag characters; a longer run is a text written in invisible letters. */
const MIN_TAGS = 8
const TAG_SPACE = 0xe0020
const TAG_TILDE = 0xe007e

/** The unit that every tag character begins with. */
const TAG_LEAD = '\udb40'

/** On the raw text: folding removes these characters, and what they spell with them. */
function tagRuns(text: string): Run[] {
  const runs: Run[] = []
  if (!text.includes(TAG_LEAD)) return runs
  for (let from = 0; from < text.length; ) {
    const { to, letters } = tagsAt(text, from)
    if (letters.length >= MIN_TAGS) runs.push({ encoding: 'tag', from, to, decoded: letters })
    from = Math.max(to, from + 1)
  }
  return runs
}

function tagsAt(text: string, from: number): { to: number; letters: string } {
  let to = from
  let letters = ''
  for (let value = codePointAt(text, to); isTag(value); value = codePointAt(text, to)) {
    letters += String.fromCharCode(value - 0xe0000)
    to += 2
  }
  return { to, letters }
}

const MIN_SELECTORS = 8

/** Variation selectors, of which there are 256: a byte each, behind a letter that shows. On the raw text as well. */
function variationRuns(text: string): Run[] {
  const runs: Run[] = []
  if (!SELECTOR.test(text)) return runs
  for (let from = 0; from < text.length; ) {
    let to = from
    const bytes: number[] = []
    for (let byte = selectorByte(text, to); byte >= 0; byte = selectorByte(text, to)) {
      bytes.push(byte)
      to += byte < 16 ? 1 : 2
    }
    const decoded = bytes.length >= MIN_SELECTORS ? textOf(Uint8Array.from(bytes)) : null
    if (decoded !== null) runs.push({ encoding: 'variation', from, to, decoded })
    from = Math.max(to, from + 1)
  }
  return runs
}

/** The first of a pair of units, or the one unit of the first sixteen. */
const SELECTOR = /\udb40|[\ufe00-\ufe0f]/

function selectorByte(text: string, at: number): number {
  const value = codePointAt(text, at)
  if (value >= 0xfe00 && value <= 0xfe0f) return value - 0xfe00
  return value >= 0xe0100 && value <= 0xe01ef ? value - 0xe0100 + 16 : -1
}

const isTag = (value: number): boolean => value >= TAG_SPACE && value <= TAG_TILDE
