/** What a caller sent, or the refusal that says where it is wrong. */

import { InputError } from '../../errors.ts'
import type { BodyFault, Read } from './rules/bodies.ts'

export function bodyIn<T>(read: Read<T>): T {
  if (read.ok) return read.value
  throw new InputError(
    read.faults.slice(0, 32).map((fault) => ({ loc: locationOf(fault), msg: fault.message, type: 'shape' })),
  )
}

/** Paths are dotted; only positions of lists are whole numbers. */
const locationOf = ({ path }: BodyFault): (string | number)[] => [
  'body',
  ...(path === '' ? [] : path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))),
]

export function refuseEmpty(body: Record<string, unknown>): void {
  if (Object.keys(body).length > 0) return
  throw new InputError([{ loc: ['body'], msg: 'an empty object evaluates nothing', type: 'empty' }])
}
