import Type from 'typebox'
import { operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { pageHeaders } from './headers.ts'
import { landingPage, landingPolicy, linksOf } from './landing.ts'

const HTML = 'text/html; charset=utf-8'

/** Pages for people. They are the same for everyone and need no credential. */
export const pages = ({ pages, openApi }: Pick<Ports, 'pages' | 'openApi'>) => [
  operation({
    id: 'pages.verify',
    group: 'Receipts and verification',
    method: 'GET',
    path: '/verify',
    root: true,
    scope: null,
    exempt: true,
    summary: 'Check receipts, exports and evidence packs in the browser, with no connection to anything',
    description: 'One self-contained HTML file, the same bytes for everyone of a build. Its SHA-256 is the ETag.',
    reply: Type.String(),
    produces: 'text/html',
    run() {
      const { html, sha256, policy } = pages.verify
      return new Reply(html, { type: HTML, headers: { ...pageHeaders(policy), etag: `"${sha256}"` } })
    },
  }),
  operation({
    id: 'pages.landing',
    group: 'Health and identity',
    method: 'GET',
    path: '/',
    root: true,
    scope: null,
    exempt: true,
    summary: 'What is here, as a page',
    reply: Type.String(),
    produces: 'text/html',
    run() {
      const headers = pageHeaders(landingPolicy(pages.styleSource))
      return new Reply(landingPage(linksOf(openApi()), pages.style), { type: HTML, headers })
    },
  }),
]
