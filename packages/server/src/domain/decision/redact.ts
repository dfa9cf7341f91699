import type { Examination } from './examine.ts'

/** The text with every personal value and secret replaced by its rule; it changes nothing about the decision. */
export function redacted(text: string, { values }: Pick<Examination, 'values'>): string {
  const letters = [...text]
  let out = ''
  let at = 0
  for (const { start, end, rule } of values) {
    if (end <= at) continue
    out += letters.slice(at, Math.max(at, start)).join('')
    if (start >= at) out += `[${rule}]`
    at = end
  }
  return out + letters.slice(at).join('')
}
