/** The documentation for readers without scripts: the same page with its text in the place of the note that the console
 *  needs them. */
import { escaped } from '../../domain/page/markup.ts'
import type { CatalogEntry } from '../../ports.ts'
import type { DocumentEntry, DocumentNode } from './schemas.ts'

const VOID = ['br', 'hr', 'img']

export const markupOf = (nodes: readonly DocumentNode[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return escaped(node)
      const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`)
      const open = `<${node.tag}${attributes.join('')}>`
      return VOID.includes(node.tag) ? open : `${open}${markupOf(node.children)}</${node.tag}>`
    })
    .join('')

/** Under `<noscript>`, so that nobody reads it twice. */
export const withoutScripts = (page: string, main: string): string =>
  page.replace(/<noscript>[\s\S]*?<\/noscript>/, () => `<noscript><main class="prose">${main}</main></noscript>`)

const linkTo = (path: string, text: string): string => `<a href="${escaped(path)}">${escaped(text)}</a>`

export function overviewMarkup(documents: readonly DocumentEntry[], catalog: readonly CatalogEntry[]): string {
  const pages = documents.map(({ name, title }) => `<li>${linkTo(`/docs/${name}`, title)}</li>`)
  const operations = catalog.map(
    ({ id, method, path, summary }) =>
      `<li><code>${method} ${escaped(path)}</code> ${linkTo(`/docs/api/${id}`, id)}: ${escaped(summary)}</li>`,
  )
  return `<h1>Documentation</h1><ul>${pages.join('')}</ul><h2>Operations</h2><ul>${operations.join('')}</ul>`
}

/** The description as the service gives it: its tables and the form need scripts. */
export const operationMarkup = ({ id, method, path, summary, scopes }: CatalogEntry, described: unknown): string =>
  [
    `<p>${linkTo('/docs/readme', 'About orch')}</p>`,
    `<h1>${escaped(summary)}</h1>`,
    `<p><code>${method} ${escaped(path)}</code>, operation <code>${escaped(id)}</code></p>`,
    `<p>${scopes.length === 0 ? 'Needs no credential.' : `Needs the scope ${escaped(scopes.join(', '))}.`}</p>`,
    `<pre>${escaped(JSON.stringify(described, null, 2))}</pre>`,
  ].join('')
