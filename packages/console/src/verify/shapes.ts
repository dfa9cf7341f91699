// A shape of its own for every verdict and status, so that nothing is said by colour alone.
import type { CheckStatus, Verdict } from '@orch/core'

const SVG = 'http://www.w3.org/2000/svg'
type Part = readonly [tag: 'path' | 'circle' | 'rect', attributes: Record<string, string>]

const OUTLINE = { fill: 'none', stroke: 'currentColor', 'stroke-width': '2' }
const CIRCLE = { cx: '12', cy: '12', r: '9.5', ...OUTLINE }
const SQUARE = { x: '3', y: '3', width: '18', height: '18', rx: '2', ...OUTLINE }

const line = (d: string): Part => ['path', { d, ...OUTLINE }]
const dot = (cy: string, r: string): Part => ['circle', { cx: '12', cy, r, fill: 'currentColor' }]
const ring: Part = ['circle', CIRCLE]

const tick = [ring, line('M7.5 12.5l3 3 6-6.5')]
const half: Part[] = [ring, ['path', { d: 'M12 2.5a9.5 9.5 0 0 1 0 19z', fill: 'currentColor' }]]
const octagon = [line('M8 2.5h8L21.5 8v8L16 21.5H8L2.5 16V8z'), line('M8.5 8.5l7 7m0-7l-7 7')]
const mark = line('M9.7 10a2.4 2.4 0 1 1 3.4 2.2c-.8.4-1.1.8-1.1 1.6')
const diamond = [line('M12 2l10 10-10 10L2 12z'), mark, dot('16.6', '1.2')]
const square: Part[] = [['rect', { ...SQUARE, 'stroke-dasharray': '4 3' }]]
const openRing: Part[] = [['circle', { ...CIRCLE, 'stroke-dasharray': '3.5 2.5' }], line('M8 12h8')]
const triangle = [line('M12 3l10 18H2z'), line('M12 9.5v5.5'), dot('17.8', '1.1')]

const SHAPES: Record<Verdict | CheckStatus, readonly Part[]> = {
  PASS: tick,
  PARTIAL: half,
  FAIL: octagon,
  INCONCLUSIVE: diamond,
  NO_INPUT: square,
  VERIFIED: tick,
  MISMATCH: octagon,
  UNSIGNED: triangle,
  UNAVAILABLE: openRing,
  DEMO: half,
}

/** Decoration beside the word, which says the same. */
export function shapeOf(word: Verdict | CheckStatus): SVGElement {
  const svg = drawn('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'shape' })
  svg.append(...SHAPES[word].map((part) => drawn(...part)))
  return svg
}

function drawn(tag: Part[0] | 'svg', attributes: Part[1]): SVGElement {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}
