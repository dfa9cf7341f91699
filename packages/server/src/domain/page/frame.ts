/** What every page of ours has around its own part: one style, a header that leads on, a footer that says what runs
 *  and what the words mean. Reads well without a script and without a style. */
import { BUILD_VERSION, DOCTRINE, LABELS, type Label } from '@orch/core'
import type { Link } from './links.ts'
import { escaped } from './markup.ts'

export const STYLE_PATH = '/pages/style.css'
export const THEME_PATH = '/pages/theme.js'
export const ORGANS_PATH = '/pages/organs.js'

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

const MEANINGS: Readonly<Record<Label, string>> = {
  MEASURED: 'read while this was served',
  MODELED: 'computed from an equation that is given',
  SIMULATED: 'a simulation with its seed',
  SAMPLE: 'stored from an earlier reading, with its date',
  UNAVAILABLE: 'nothing was read, and why',
  'STRUCTURAL-ONLY': 'form was checked, content was not',
  LIVE: 'running now, seen in this request',
  ROADMAP: 'planned and not there',
  'SIMULATION-ONLY': 'exists as a simulation and in no other form',
}

export const framedPage = (page: FramedPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} - orch</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
${[THEME_PATH, ...page.scripts].map((path) => `<script src="${escaped(path)}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<p class="brand"><span class="mark" aria-hidden="true"></span>orch</p>
<nav aria-label="Pages"><ul class="ways">
${page.links.map((link) => way(link, page.path)).join('\n')}
</ul></nav>
<button type="button" id="theme" class="second" hidden>Theme: system</button>
</header>
<main id="main" tabindex="-1">
<div class="intro">
<h1>${escaped(page.title)}</h1>
<p>${escaped(page.intro)}</p>
</div>
${page.main}
</main>
<footer>
<p class="quiet">orch ${escaped(BUILD_VERSION)}, doctrine ${escaped(DOCTRINE)}, build commit ${escaped(page.commit ?? 'unknown')}</p>
<details><summary>What the labels mean</summary>
<dl class="facts">
${LABELS.map((label) => `<div><dt>${label}</dt><dd>${escaped(MEANINGS[label])}</dd></div>`).join('\n')}
</dl></details>
</footer>
</body>
</html>
`

const way = ({ title, path }: Link, here: string): string =>
  `<li><a href="${escaped(path)}"${path === here ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`
