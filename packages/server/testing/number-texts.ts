/** Texts with numbers that are nobody's, and values that are drawn like real ones. All of it comes from a seed. */

export type Draw = (below: number) => number

/** Deterministic, so that a failing text can be made again from the seed printed with it. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const one = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T
const digits = (draw: Draw, size: number): string => Array.from({ length: size }, () => draw(10)).join('')
const letters = (draw: Draw, size: number): string =>
  Array.from({ length: size }, () => String.fromCharCode(65 + draw(26))).join('')
const hex = (draw: Draw, size: number): string => Array.from({ length: size }, () => draw(16).toString(16)).join('')

function grouped(draw: Draw): string {
  const mark = one(draw, [' ', ' ', '-', '.', '/', ', '])
  return Array.from({ length: 2 + draw(5) }, () => digits(draw, 1 + draw(6))).join(mark)
}

const code = (draw: Draw): string =>
  `${letters(draw, 1 + draw(4))}${digits(draw, 4 + draw(9))}${letters(draw, draw(3))}`
const amount = (draw: Draw): string => `${1 + draw(999)},${digits(draw, 3)},${digits(draw, 3)}.${digits(draw, 2)}`
const stamp = (draw: Draw): string => String(1_500_000_000_000 + draw(2 ** 31) * 200)
const uuid = (draw: Draw): string => [8, 4, 4, 4, 12].map((size) => hex(draw, size)).join('-')
const date = (draw: Draw): string =>
  `20${digits(draw, 2)}-0${1 + draw(9)}-1${draw(9)} ${10 + draw(13)}:${10 + draw(49)}`
const table = (draw: Draw): string => {
  const size = 5 + draw(12)
  return Array.from({ length: 2 + draw(5) }, () => `${digits(draw, size)},${draw(1000)}`).join('\n')
}

const NUMBERS: readonly ((draw: Draw) => string)[] = [
  (draw) => digits(draw, 6 + draw(16)),
  (draw) => digits(draw, 8 + draw(12)),
  grouped,
  code,
  amount,
  stamp,
  uuid,
  date,
  table,
]

const FRAMES = [
  '{n}',
  'order {n} has shipped',
  'Invoice {n} is due on Monday.',
  'tracking number {n}',
  'The number is {n}.',
  'ref {n}, please reply',
  'id={n}',
  '{n} rows were read',
  'see ticket {n} and {n}',
  '{"id": "{n}", "count": 7}',
  'Die Bestellung {n} ist unterwegs',
  'le colis {n} est arrivé',
  'el pedido {n} salió hoy',
  '订单{n}已发货',
  'заказ {n} отправлен',
  'the population was {n} in the last census',
]

/** A text in which every number was drawn by chance. */
export function randomNumberText(draw: Draw): string {
  const frame = one(draw, FRAMES)
  const number = one(draw, NUMBERS)
  return frame.replaceAll('{n}', () => number(draw))
}

/** A shape filled by chance: `9` a digit, `A` a letter, `X` either. Lengths that vary are left at their least. */
export const filledShape = (shape: string, draw: Draw): string =>
  shape
    .replace(/(.)\{([0-9]+),[0-9]+\}/g, (_, kind: string, least: string) => kind.repeat(Number(least)))
    .replace(/[9AX]/g, (kind) => (kind === '9' || (kind === 'X' && draw(2) === 0) ? digits(draw, 1) : letters(draw, 1)))

const MAX_TRIES = 100_000

/** A further value of the kind of an example: digits of it drawn anew until its check holds. */
export function sibling(example: string, isValid: (value: string) => boolean, draw: Draw): string {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = example.replace(/[0-9]/g, (digit) => (draw(2) === 0 ? digits(draw, 1) : digit))
    if (value !== example && isValid(value)) return value
  }
  throw new Error(`nothing like ${example} was found`)
}

/** A value without separators in a shape, or null where its letters and digits do not fit. */
export function writtenIn(shape: string, value: string): string | null {
  let at = 0
  let out = ''
  for (const kind of shape) {
    const letter = value.charAt(at)
    const fits = { 9: /[0-9]/, A: /[A-Za-z]/, X: /[0-9A-Za-z]/ }[kind]
    if (fits === undefined) {
      out += kind
      continue
    }
    if (!fits.test(letter)) return null
    out += letter
    at++
  }
  return at === value.length ? out : null
}
