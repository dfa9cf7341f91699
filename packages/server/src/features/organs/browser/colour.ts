/** Colours of style sheets, and whether one can be told from another. */
import NAMES from './colours.json' with { type: 'json' }

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
  const parts = inside?.split(/[\s,/]+/).filter((part) => part !== '') ?? []
  if (name === undefined || parts.length < 3 || !parts.every((part) => /^[+-]?[\d.]+(?:%|deg)?$/.test(part)))
    return null
  const share = (part: string, whole: number) =>
    part.endsWith('%') ? (Number.parseFloat(part) / 100) * whole : Number.parseFloat(part)
  const alpha = parts[3] === undefined ? 1 : share(parts[3], 1)
  if (name === 'rgb') return [...parts.slice(0, 3).map((part) => share(part, 255)), alpha]
  const [hue, saturation, light] = [Number.parseFloat(parts[0]!), share(parts[1]!, 1), share(parts[2]!, 1)]
  const channel = (n: number) => {
    const k = (((n + hue / 30) % 12) + 12) % 12
    return 255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [channel(0), channel(8), channel(4), alpha]
}

export const isFaint = ([, , , alpha = 1]: readonly number[]): boolean => alpha < 0.1

/** The contrast ratio of WCAG 2, of the colour as it lies over the ground. */
export function contrastOf(colour: readonly number[], ground: readonly number[]): number {
  const alpha = colour[3] ?? 1
  const over = [0, 1, 2].map((at) => colour[at]! * alpha + ground[at]! * (1 - alpha))
  const [one, other] = [luminance(over), luminance(ground)]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
