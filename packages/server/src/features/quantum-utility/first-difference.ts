/** Where two JSON values differ. */
import type { Static } from 'typebox'
import type { ReplayReply } from './replies.ts'

export type Difference = NonNullable<Static<typeof ReplayReply>['result']['first_difference']>

/** In canonical order: fields by name, items by place. What is absent is shown as null. */
export function firstDifference(expected: unknown, got: unknown, pointer = ''): Difference | null {
  if (Object.is(expected, got) || (expected === 0 && got === 0)) return null
  if (!isBranch(expected) || !isBranch(got) || Array.isArray(expected) !== Array.isArray(got))
    return { pointer, expected: shown(expected), got: shown(got) }
  const all = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
  const names = Array.isArray(expected) ? all.sort((a, b) => Number(a) - Number(b)) : all.sort()
  for (const name of names) {
    const [a, b] = [expected, got].map((branch) => (Object.hasOwn(branch, name) ? branch[name] : undefined))
    const found = firstDifference(a, b, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (found !== null) return found
  }
  return null
}

export const isBranch = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object'

/** A whole branch in the place of a value would make the reply as long as the receipt. */
const shown = (value: unknown): unknown =>
  value === undefined ? null : isBranch(value) ? (Array.isArray(value) ? '[list]' : '[object]') : value
