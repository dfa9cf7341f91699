import { base64urlDecode } from '@orch/core'
import { isAlnumCode, isGluedBefore, type Match, places, runEnd } from './scanner.ts'

const MAX_PART = 8192
const strict = new TextDecoder('utf-8', { fatal: true })

/** Three parts, a header that names its algorithm, and a signature: what a server would take as proof. */
export function signedTokens(text: string): Match[] {
  const found: Match[] = []
  for (const from of places(text, 'eyJ')) {
    if (isGluedBefore(text, from)) continue
    const header = partEnd(text, from)
    const payload = text.charAt(header) === '.' ? partEnd(text, header + 1) : -1
    const to = payload > header + 1 && text.charAt(payload) === '.' ? partEnd(text, payload + 1) : -1
    if (to > payload + 16 && namesAlgorithm(text.slice(from, header)))
      found.push({ from, to, value: text.slice(from, to) })
  }
  return found
}

const isPart = (code: number): boolean => isAlnumCode(code) || code === 95 || code === 45
const partEnd = (text: string, from: number): number => runEnd(text, from, isPart, MAX_PART)

function namesAlgorithm(part: string): boolean {
  const bytes = base64urlDecode(part)
  if (!bytes) return false
  try {
    const header: unknown = JSON.parse(strict.decode(bytes))
    const alg = typeof header === 'object' && header !== null && 'alg' in header ? header.alg : undefined
    return typeof alg === 'string' && alg !== 'none'
  } catch (refused) {
    if (refused instanceof SyntaxError || refused instanceof TypeError) return false
    throw refused
  }
}
