/** The page at the root: what is here, and where. No script; it reads well without a style too. */
import { BUILD_VERSION, DOCTRINE } from '@orch/core'
import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'

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
