import Type from 'typebox'
import { entityTag, isCachedBy } from '../../domain/entity-tag.ts'
import { framedPage, STYLE_PATH, THEME_PATH } from '../../domain/page/frame.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { pageLinks } from '../../domain/page/links.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import type { PageFile, Pages, Ports } from '../../ports.ts'
import { LANDING_INTRO, LANDING_TITLE, landingMain } from './landing.ts'

const HOME = '/'
const HTML = 'text/html; charset=utf-8'
const getDefaults = {
  group: 'Operations',
  method: 'GET',
  root: true,
  scope: null,
  exempt: true,
  reply: Type.String(),
  labels: ['STRUCTURAL-ONLY'],
} as const

/** Pages for people. They are the same for everyone and need no credential. */
export const pages = ({ pages, catalog, build }: Pick<Ports, 'catalog' | 'build'> & { pages: Pages }) => [
  operation({
    ...getDefaults,
    id: 'pages.verify',
    group: 'Receipts and verification',
    path: '/verify',
    summary: 'Check receipts, exports and evidence packs in the browser, with no connection to anything',
    description: 'One self-contained HTML file, the same bytes for everyone of a build. Its SHA-256 is the ETag.',
    produces: 'text/html',
    run() {
      const { html, sha256, policy } = pages.verify
      return new Reply(html, { type: HTML, headers: { ...pageHeaders(policy), etag: `"${sha256}"` } })
    },
  }),
  operation({
    ...getDefaults,
    id: 'pages.landing',
    group: 'Health and identity',
    path: HOME,
    summary: 'What is here, as a page',
    produces: 'text/html',
    run() {
      const links = pageLinks(catalog)
      const words = { title: LANDING_TITLE, intro: LANDING_INTRO, main: landingMain(links) }
      const html = framedPage({ ...words, links, path: HOME, scripts: [], commit: build.gitSha.value })
      return new Reply(html, { type: HTML, headers: pageHeaders(PAGE_POLICY) })
    },
  }),
  operation({
    ...getDefaults,
    id: 'pages.style',
    path: STYLE_PATH,
    summary: 'The one style of all pages',
    produces: 'text/css',
    run: ({ headers }) => fileReply(pages.sheet, 'text/css; charset=utf-8', headers),
  }),
  operation({
    ...getDefaults,
    id: 'pages.theme',
    path: THEME_PATH,
    summary: 'The choice between light and dark, for all pages',
    produces: 'text/javascript',
    run: ({ headers }) => fileReply(pages.theme, 'text/javascript; charset=utf-8', headers),
  }),
]

function fileReply({ text, sha256 }: PageFile, type: string, headers: Call['headers']): Reply {
  const etag = entityTag(sha256)
  const isCached = isCachedBy(headers['if-none-match'], etag)
  const sent = { etag, 'cache-control': 'public, max-age=3600' }
  return new Reply(isCached ? null : text, { status: isCached ? 304 : 200, type, headers: sent })
}
