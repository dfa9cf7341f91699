/** Colours of style sheets, and whether one can be told from another. */
import NAMES from './colours.json' with { type: 'json' }

const N = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)`
const form = (pattern: string) => new RegExp(`^${pattern.replaceAll('N', N).replaceAll(',', '\\s*,\\s*')}$`)
/** With commas, numbers and percentages are not mixed; without them a slash stands before the opacity. */
const RGB = [form('N,N,N(?:,N%?)?'), form('N%,N%,N%(?:,N%?)?'), form('N%?\\s+N%?\\s+N%?(?:\\s*/\\s*N%?)?')]
const HSL = [form('N(?:deg)?,N%,N%(?:,N%?)?'), form('N(?:deg)?\\s+N%\\s+N%(?:\\s*/\\s*N%?)?')]

/** Red, green, blue to 255 and the opacity to 1; null for what is not read. */
export function parseColour(text: string): number[] | null {
  const plain = (NAMES as Record<string, string>)[text] ?? text
  if (plain === 'transparent') return [0, 0, 0, 0]
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(plain)?.[1]
  if (hex !== undefined) {
    const pairs = hex.length < 6 ? [...hex].map((one) => one + one) : hex.match(/../g)!
    const [red, green, blue, alpha = 255] = pairs.map((pair) => Number.parseInt(pair, 16))
    return [red!, green!, blue!, alpha / 255]
  }
  const [, name, inside] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(plain) ?? []
  if (name === undefined) return null
  const kind = name === 'rgb' ? RGB : HSL
  const parts = kind.some((form) => form.test(inside!.trim()))
    ? inside!.split(/[\s,/]+/).filter((part) => part !== '')
    : []
  if (parts.length < 3) return null
  const share = (part: string, whole: number) =>
    part.endsWith('%') ? (Number.parseFloat(part) / 100) * whole : Number.parseFloat(part)
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value))
  const alpha = parts[3] === undefined ? 1 : within(share(parts[3], 1), 1)
  if (name === 'rgb') return [...parts.slice(0, 3).map((part) => within(share(part, 255), 255)), alpha]
  const [hue, saturation, light] = [
    Number.parseFloat(parts[0]!),
    within(share(parts[1]!, 1), 1),
    within(share(parts[2]!, 1), 1),
  ]
  const channel = (n: number) => {
    const k = (((n + hue / 30) % 12) + 12) % 12
    return 255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [channel(0), channel(8), channel(4), alpha]
}

export const isFaint = ([, , , alpha = 1]: readonly number[]): boolean => alpha < 0.1

/** A colour as it looks over a ground. */
export function over(colour: readonly number[], ground: readonly number[]): number[] {
  const alpha = colour[3] ?? 1
  return [...[0, 1, 2].map((at) => colour[at]! * alpha + ground[at]! * (1 - alpha)), 1]
}

/** The contrast ratio of WCAG 2. */
export function contrastOf(colour: readonly number[], ground: readonly number[]): number {
  const [one, other] = [luminance(colour), luminance(ground)]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
