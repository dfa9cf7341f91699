/** A browser that opens the address of an operation is led to the page that shows the same thing, or gets the reply on a
 *  page. Programs get what the operation says. */
import type { FastifyRequest } from 'fastify'
import { type Operation, Reply } from '../operation.ts'
import type { BrowserPages } from '../ports.ts'
import type { RequestContext } from './request-context.ts'
import { answerText, HTML_TYPE, isStream } from './response.ts'

/** Where this browser is led; null for a program, for a page, and where no page shows the same. */
export function pageAddress(exchange: RequestContext, op: Operation, pages: BrowserPages | null): string | null {
  if (!exchange.isNavigation || pages === null || isPage(op)) return null
  const { params, query } = exchange.request as FastifyRequest & Parameters<BrowserPages['addressOf']>[1]
  return params === null ? null : pages.addressOf(op.id, { params, query })
}

export const answerRedirect = (exchange: RequestContext, location: string): void =>
  answerText(exchange, 302, 'text/plain; charset=utf-8', `${location}\n`, { location })

/** What goes out for this result: to a browser JSON and plain text stand on a page. */
export function shownResult(
  exchange: RequestContext,
  op: Operation,
  result: object,
  pages: BrowserPages | null,
): object {
  if (!exchange.isNavigation || pages === null || isPage(op)) return result
  const { status, type, body, headers } = result instanceof Reply ? result : new Reply(result)
  if (body === null || isStream(body) || !SHOWN.test(type)) return result
  const { url, headers: asked } = exchange.request
  const page = pages.showReply({ id: op.id, url, host: asked.host, body: readable(body, type) })
  return new Reply(page.html, { status, type: HTML_TYPE, headers: { ...headers, ...page.headers } })
}

const SHOWN = /^(?:application\/json|text\/plain)\b/

/** A reply that was made into text or bytes before is shown as what it holds. */
function readable(body: object | string | Uint8Array, type: string): object | string {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return body
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  return type.startsWith('application/json') ? (JSON.parse(text) as object) : text
}

const isPage = ({ produces = '' }: Operation): boolean => /^text\/(?:html|javascript|css)/.test(produces)
