/** Whether later arguments carry text of an observation. What a tool gave back may have been written by anybody, so an
 *  argument made of it is not the caller's own word. Compared as folded text, decoded, and without all that is no
 *  letter or digit: spaces, case, punctuation, base64 or a cut into several fields do not wash it clean. */
import { isRecord } from '../../../domain/stored-receipt.ts'
import { decodedChildren } from '../../../domain/text/children.ts'
import { foldedOf, plainOf } from '../../../domain/text/fold.ts'
import { type MappedText, rawText } from '../../../domain/text/mapped-text.ts'

/** Code points of an observation that make an argument tainted. */
export const TAINT_LENGTH = 16

/** A value as it is compared: each text a list of code points. */
export type Trace = readonly Uint32Array[]

/** The tool's own field names are not the observation's text, those further in are. */
export function traceOfOutput(output: unknown): Trace {
  const values = isRecord(output) ? Object.values(output) : [output]
  return traceOf(values.flatMap(leaves), values.flatMap(valuesIn))
}

/** Longer arguments are not looked through. No tool that changes anything takes as many characters. */
export const MAX_ARGUMENTS = 32_768

/** Null where they are too long. */
export function traceOfArguments(args: unknown): Trace | null {
  const texts = leaves(args)
  const characters = texts.reduce((total, { length }) => total + length, 0)
  return characters > MAX_ARGUMENTS ? null : traceOf(texts, valuesIn(args))
}

/** Linear in both. A match is by a 53-bit rolling hash: equal texts always match, and two others that meet by chance
 *  only send a step to a person. What was not looked through counts as carrying. */
export function carries(args: Trace | null, observed: readonly Trace[]): boolean {
  if (args === null) return observed.length > 0
  const windows = new Set<number>()
  for (const text of args) eachWindow(text, (hash) => windows.add(hash) && false)
  if (windows.size === 0) return false
  return observed.some((trace) => trace.some((text) => eachWindow(text, (hash) => windows.has(hash))))
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap(leaves)
  return isRecord(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...leaves(item)]) : []
}

/** Without the keys, which would stand between the pieces of a text that was cut into fields. */
function valuesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return leaves(value)
  return Object.values(value).flatMap(valuesIn)
}

/** Stands between two leaves, so that the end of one and the beginning of the next are no run. Folding keeps it. */
const BETWEEN = '\uffff'
const SEPARATOR = 0xffff

function traceOf(texts: readonly string[], values: readonly string[]): Trace {
  const raw = rawText(texts.join(BETWEEN))
  const plain = plainOf(raw)
  const carried = decodedChildren(raw, plain).children.map((child) => child.plain)
  const joined = values.length < texts.length ? [plainOf(rawText(values.join(BETWEEN)))] : []
  return [plain, ...joined, ...carried].flatMap(viewsOf)
}

/** Pieces joined without what stands between them show a text that was cut into fields. */
function viewsOf(plain: MappedText): Uint32Array[] {
  const folded = foldedOf(plain).text
  return [folded, folded.replace(/[^\p{L}\p{N}]+/gu, '')].map(codePoints)
}

const codePoints = (text: string): Uint32Array => Uint32Array.from(text, (letter) => letter.codePointAt(0) as number)

const BASES = [0x01000193, 0x5bd1e995] as const
const LEAVING = BASES.map((base) => power(base, TAINT_LENGTH - 1)) as [number, number]

function power(base: number, times: number): number {
  let result = 1
  for (let i = 0; i < times; i++) result = Math.imul(result, base)
  return result
}

/** Calls `take` with the hash of every run of sixteen code points of one leaf until it says true. */
function eachWindow(text: Uint32Array, take: (hash: number) => boolean): boolean {
  let [one, two] = [0, 0]
  let run = 0
  for (let at = 0; at < text.length; at++) {
    if (at >= TAINT_LENGTH) {
      const gone = text[at - TAINT_LENGTH] as number
      one = (one - Math.imul(gone, LEAVING[0])) | 0
      two = (two - Math.imul(gone, LEAVING[1])) | 0
    }
    one = (Math.imul(one, BASES[0]) + (text[at] as number)) | 0
    two = (Math.imul(two, BASES[1]) + (text[at] as number)) | 0
    run = text[at] === SEPARATOR ? 0 : run + 1
    if (run >= TAINT_LENGTH && take((one >>> 0) * 2 ** 21 + (two >>> 11))) return true
  }
  return false
}
