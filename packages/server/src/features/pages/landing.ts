/** The page at the root: what this is, and where one goes from here. */

import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'

export const LANDING_TITLE = 'Every decision leaves a receipt'
export const LANDING_INTRO =
  'This service stands between agents and what they do. Each decision is hashed, chained to the one before, signed by the key in charge and written to a log. Whoever holds a receipt and a public key can check it without asking us.'

const SENTENCES: Readonly<Record<string, string>> = {
  Decisions: 'What was allowed, held and denied, as it happens, with the reason in words.',
  Receipts: 'One receipt with its place in the chain and its path to the signed root, verified in your browser.',
  Reviews: 'What waits for a person, what was asked and why it was held.',
  Organs: 'Twenty-five instruments, each with a form that runs it.',
  Readiness: 'What works, what does not, and what was only read from outside.',
  Assurance: 'What is covered and what is not, and the evidence pack for an auditor.',
  Docs: 'How to call it, how to run it and what its words mean.',
  'Organ catalog': 'All organs in tables that need no script, each with a way to its form.',
  Operator: 'The parts of this service, each made to do its work while the page is made.',
  Compute: 'What this process has to compute with, read while the page is made.',
  'Model m1': 'The embedded model: its gate, its figures, its limits and a box to try it.',
}

export const landingMain = (links: readonly Link[]): string => `<nav aria-label="Pages of the console">
<ul class="cards ways">
${links
  .filter(({ kind }) => kind === 'navigation')
  .map(item)
  .join('\n')}
</ul>
</nav>
<nav class="card" aria-labelledby="others">
<h2 id="others">Pages outside the console</h2>
<ul class="links">
${links
  .filter(({ kind }) => kind === 'place')
  .map(item)
  .join('\n')}
</ul>
</nav>`

const item = ({ title, path, summary }: Link): string =>
  `<li><a href="${escaped(path)}">${escaped(title)}</a><p class="quiet">${escaped(SENTENCES[title] ?? summary)}</p></li>`
