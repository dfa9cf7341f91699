/** The page at the root: what is here, and where. No script; it reads well without a style too. */
import { BUILD_VERSION, DOCTRINE } from '@orch/core'

/** What a newcomer looks for, in that order. Listed only where it is served. */
const WANTED = [
  ['console.page', 'Console'],
  ['pages.verify', 'Offline verifier'],
  ['docs.page', 'API reference'],
  ['runtime.openapi', 'Interface description'],
  ['runtime.healthz', 'Health'],
  ['runtime.readyz', 'Readiness'],
] as const

export interface Link {
  title: string
  path: string
  summary: string
}

/** The paths come from the description of what is mounted, so a link cannot lead nowhere. */
export function linksOf(description: object): Link[] {
  const { paths = {} } = description as { paths?: Record<string, { get?: { operationId: string; summary: string } }> }
  const served = Object.entries(paths).flatMap(([path, { get }]) => (get ? [{ path, ...get }] : []))
  return WANTED.flatMap(([id, title]) => {
    const found = served.find(({ operationId }) => operationId === id)
    return found ? [{ title, path: found.path, summary: found.summary }] : []
  })
}

export const landingPolicy = (styleSource: string): string =>
  `default-src 'none'; style-src ${styleSource}; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

export const landingPage = (links: readonly Link[], style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>orch</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header class="top"><p class="brand"><span class="mark" aria-hidden="true"></span>orch</p></header>
<main>
<div class="intro">
<h1>Every decision leaves a receipt</h1>
<p>This service stands between agents and what they do. Each decision is hashed, chained to the one before, signed by the key in charge and written to a log. Whoever holds a receipt and a public key can check it without asking us.</p>
</div>
<nav class="card" aria-label="What is here">
<ul class="links">
${links.map(linkItem).join('\n')}
</ul>
</nav>
</main>
<footer><p class="quiet">orch ${escaped(BUILD_VERSION)}, doctrine ${escaped(DOCTRINE)}</p></footer>
</body>
</html>
`

const linkItem = ({ title, path, summary }: Link): string =>
  `<li><a href="${escaped(path)}">${escaped(title)}</a> <code class="quiet">${escaped(path)}</code><p class="quiet">${escaped(summary)}</p></li>`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] as string)
