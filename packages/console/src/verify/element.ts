// The only way this page makes elements. Whatever came with the evidence enters as a text node and never as markup.

type Child = Node | string

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** An element of the page itself; its absence is a fault of the build. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} named ${id}`)
  return found
}

// Text of unknown origin, made safe to look at: characters that hide, reorder or end a line are spelled out, so that
// what is seen is what is there.
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
