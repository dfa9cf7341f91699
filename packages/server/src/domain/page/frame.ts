/** What every page of ours has around its own part: the header and footer of the console, and one style. Reads well
 *  without a script and without a style. */
import { BUILD_VERSION, DOCTRINE, LABEL_MEANINGS, LABELS } from '@orch/core'
import type { Link } from './links.ts'
import { escaped } from './markup.ts'

export const STYLE_PATH = '/pages/style.css'
export const THEME_PATH = '/pages/theme.js'

interface FramedPage {
  title: string
  intro: string
  /** Markup: whoever makes it escapes what is not his own. */
  main: string
  links: readonly Link[]
  path: string
  scripts: readonly string[]
  commit: string | null
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='6' fill='%232456c8'/%3E%3Cpath d='M7 12.5l3.5 3.5L17 8.5' fill='none' stroke='white' stroke-width='2.5'/%3E%3C/svg%3E"
const THEME_SHAPE =
  '<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.2"/><path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" stroke="none"/></svg>'

export const framedPage = (page: FramedPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} - orch</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${STYLE_PATH}">
${[THEME_PATH, ...page.scripts].map((path) => `<script src="${escaped(path)}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip btn" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>orch</a>
<nav class="nav" aria-label="Console">
${linksOf(page, 'navigation')}
</nav>
<div class="tools"><button type="button" id="theme" class="btn btn-icon" aria-label="Theme: system. Change" title="Theme: system" hidden>${THEME_SHAPE}</button></div>
</header>
<main id="main" class="page" tabindex="-1">
<div class="intro">
<h1>${escaped(page.title)}</h1>
<p>${escaped(page.intro)}</p>
</div>
${page.main}
</main>
<footer class="foot">
<div><span>orch ${escaped(BUILD_VERSION)}</span><span>doctrine ${escaped(DOCTRINE)}</span><span>build commit <code>${escaped(page.commit ?? 'unknown')}</code></span></div>
<nav aria-label="Other pages">
${linksOf(page, 'place')}
</nav>
<nav aria-label="Probes">
${linksOf(page, 'probe')}
</nav>
<details><summary>What the labels mean</summary>
<dl class="kv">
${LABELS.map((label) => `<div><dt>${label}</dt><dd>${escaped(LABEL_MEANINGS[label])}</dd></div>`).join('\n')}
</dl></details>
</footer>
</body>
</html>
`

const linksOf = ({ links, path: here }: FramedPage, kind: Link['kind']): string =>
  links
    .filter((link) => link.kind === kind)
    .map(
      ({ title, path }) =>
        `<a href="${escaped(path)}"${path === here ? ' aria-current="page"' : ''}>${escaped(title)}</a>`,
    )
    .join('\n')
