/** Markdown as a tree of elements out of a closed list. HTML inside a document is text: nothing of it becomes markup. */
import { Lexer, type Token, type Tokens } from 'marked'
import type { DocumentNode } from '../schemas.ts'

type Element = Exclude<DocumentNode, string>

/** Where a link or a picture of a document leads from a page; null where nothing is served for it. */
type Resolve = (href: string) => string | null

export const readMarkdown = (text: string, resolve: Resolve): DocumentNode[] =>
  blocks(new Lexer().lex(text), { resolve, slugs: new Map() })

interface Reading {
  resolve: Resolve
  /** How many headings have had this name so far. */
  slugs: Map<string, number>
}

const element = (tag: string, children: DocumentNode[], attributes: Record<string, string> = {}): Element => ({
  tag,
  attributes,
  children,
})

const blocks = (tokens: readonly Token[], reading: Reading): DocumentNode[] =>
  tokens.flatMap((token) => block(token, reading))

function block(token: Token, reading: Reading): DocumentNode[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return [heading(token as Tokens.Heading, reading)]
    case 'paragraph':
      return [element('p', inline(token.tokens ?? [], reading))]
    case 'code':
      return [element('pre', [(token as Tokens.Code).text], { 'data-language': (token as Tokens.Code).lang ?? '' })]
    case 'blockquote':
      return [element('blockquote', blocks(token.tokens ?? [], reading))]
    case 'hr':
      return [element('hr', [])]
    case 'list':
      return [list(token as Tokens.List, reading)]
    case 'table':
      return [table(token as Tokens.Table, reading)]
    case 'text':
      return token.tokens === undefined ? [unescaped((token as Tokens.Text).text)] : inline(token.tokens, reading)
    default:
      return [element('p', [token.raw])]
  }
}

function heading({ depth, tokens }: Tokens.Heading, reading: Reading): Element {
  const children = inline(tokens, reading)
  const slug = slugOf(textOf(children))
  const same = reading.slugs.get(slug) ?? 0
  reading.slugs.set(slug, same + 1)
  return element(`h${depth}`, children, { id: same === 0 ? slug : `${slug}-${same}` })
}

/** As the places where repositories are read name headings, so that links made for those lead somewhere here too. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const list = ({ ordered, start, items }: Tokens.List, reading: Reading): Element =>
  element(
    ordered ? 'ol' : 'ul',
    items.map(({ tokens }) => element('li', blocks(tokens, reading))),
    ordered && start !== '' && start !== 1 ? { start: String(start) } : {},
  )

function table({ header, rows }: Tokens.Table, reading: Reading): Element {
  const row = (cells: readonly Tokens.TableCell[], tag: string): Element =>
    element(
      'tr',
      cells.map(({ tokens }) => element(tag, inline(tokens, reading), tag === 'th' ? { scope: 'col' } : {})),
    )
  return element('table', [
    element('thead', [row(header, 'th')]),
    element(
      'tbody',
      rows.map((cells) => row(cells, 'td')),
    ),
  ])
}

const inline = (tokens: readonly Token[], reading: Reading): DocumentNode[] =>
  tokens.flatMap((token): DocumentNode[] => {
    const inner = () => inline((token as Tokens.Generic).tokens ?? [], reading)
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return [element(token.type, inner())]
      case 'codespan':
        return [element('code', [(token as Tokens.Codespan).text])]
      case 'br':
        return [element('br', [])]
      case 'link':
        return link(token as Tokens.Link, inner(), reading)
      case 'image':
        return picture(token as Tokens.Image, reading)
      case 'escape':
        return [(token as Tokens.Escape).text]
      case 'text':
        return token.tokens === undefined ? [unescaped((token as Tokens.Text).text)] : inner()
      default:
        return [token.raw]
    }
  })

/** What is not served here is named and not linked. */
function link({ href }: Tokens.Link, children: DocumentNode[], { resolve }: Reading): DocumentNode[] {
  const target = resolve(href)
  if (target !== null) return [element('a', children, { href: target })]
  const isNamed = textOf(children).replaceAll('`', '') === href.replace(/^\.\//, '')
  return isNamed ? children : [...children, ' (', element('code', [href.replace(/^(?:\.\.?\/)+/, '')]), ')']
}

function picture({ href, text }: Tokens.Image, { resolve }: Reading): DocumentNode[] {
  const source = resolve(href)
  return source === null ? [`[${text}]`] : [element('img', [], { src: source, alt: text, loading: 'lazy' })]
}

/** The lexer leaves entities as they stand in the file. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (mark) => ENTITIES[mark]!)

const textOf = (nodes: readonly DocumentNode[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('')
