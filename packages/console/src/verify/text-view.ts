// Text of unknown origin, made safe to look at: characters that hide, reorder or end a line are spelled out, so that
// what is seen is what is there.
import { element } from './element.ts'

const MAX_SHOWN = 600
const EDGE_CHARS = 10

const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

export const spelledOut = (text: string): string =>
  text.replace(DECEPTIVE, (mark) => `\\u{${(mark.codePointAt(0) as number).toString(16)}}`)

export const clipped = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text

export const plainText = (text: string): HTMLElement => element('bdi', {}, spelledOut(clipped(text)))

export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Shortened in the middle; pressing it shows all of it. */
export function digestView(digest: string): HTMLElement {
  const short = `${digest.slice(0, EDGE_CHARS)}…${digest.slice(-EDGE_CHARS)}`
  const button = element('button', { type: 'button', class: 'digest', title: digest, 'aria-expanded': 'false' }, short)
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') === 'false'
    button.setAttribute('aria-expanded', String(open))
    button.textContent = open ? digest : short
  })
  return button
}
