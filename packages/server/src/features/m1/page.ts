/** The card of the embedded model, as a page that reads well without a script. */
import { momentOf } from '@orch/core/topology-words'
import { badge } from '../../domain/page/badge.ts'
import { framedPage } from '../../domain/page/frame.ts'
import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'
import { isRecord } from '../../domain/stored-receipt.ts'
import { CHECK_NAMES, type Gate } from './schemas.ts'

const INTRO =
  'A small language model that is part of this build and runs in this process: 8.3 million parameters, trained from scratch on public-domain and permissively licensed text. It continues texts. It is no assistant.'

interface Places {
  page: string
  script: string
  json: string
  infer: string
}

export const modelPage = (gate: Gate, places: Places, links: readonly Link[], commit: string | null): string =>
  framedPage({
    title: 'Model m1',
    intro: INTRO,
    links,
    path: places.page,
    scripts: [places.script],
    commit,
    main: `<div class="toolbar">
<p><strong title="${escaped(gate.operational_state)}">${STATE_WORDS[gate.operational_state]}</strong>, not promoted to production, no quality claimed ${badge(gate.operational_state === 'READY_EXPERIMENTAL' ? 'MEASURED' : 'UNAVAILABLE', 'the gate of the model', gate.checked_at)} <span class="quiet">${momentOf(gate.checked_at)}</span></p>
<p class="quiet">As JSON: <code>GET ${escaped(places.json)}</code></p>
</div>
<div class="parts">
${glance(gate)}
${tryBox(places)}
${evaluationPart(gate.evaluation)}
${LIMITS}
${gateTable(gate)}
</div>`,
  })

const STATE_WORDS: Readonly<Record<Gate['operational_state'], string>> = {
  READY_EXPERIMENTAL: 'Ready to try',
  BLOCKED: 'Blocked: a check of the gate does not pass',
  UNAVAILABLE: 'Not available here',
}

const counted = (value: number | undefined): string => (value === undefined ? 'not read' : value.toLocaleString('en'))

/** What one looks for first on the card of a model. */
const glance = ({ checks, evaluation }: Gate): string => {
  const scores = isRecord(evaluation?.bits_per_byte) ? evaluation.bits_per_byte : {}
  const own = isRecord(scores.m1) ? scores.m1 : {}
  const facts = [
    ['Size', '8.3 million parameters'],
    ['Weights', `${counted(checks.weights.bytes)} bytes`],
    ['Reads', '512 tokens at once'],
    ['Trained on', '62 MB of text'],
    ['Bits per byte', shown(own.bits_per_byte) || 'not available'],
  ]
  return `<dl class="glance">${facts.map(([term, text]) => `<div><dt>${term}</dt><dd>${escaped(text as string)}</dd></div>`).join('')}</dl>`
}

const tryBox = ({ infer }: Places): string => `<section class="card" aria-labelledby="try"><h2 id="try">Try it</h2>
<form id="m1-form" data-infer="${escaped(infer)}">
<p><label for="m1-prompt">Text to continue</label><textarea id="m1-prompt" rows="3" cols="60" maxlength="2048" required>A receipt is</textarea></p>
<div class="fields"><p><label for="m1-tokens">New tokens</label><input id="m1-tokens" type="number" min="1" max="128" value="32" required>
</p><p><label for="m1-temperature">Temperature</label><input id="m1-temperature" type="number" min="0" max="1" step="0.1" value="0" required>
</p><p><label for="m1-seed">Seed</label><input id="m1-seed" type="number" min="0" max="2147483647" value="0" required></p></div>
<p class="btn-row"><button type="submit" class="btn btn-first">Continue the text</button></p>
</form>
<p><span id="m1-state" role="status" class="quiet">Needs a script; without one, send the request shown in the API reference.</span> <a id="m1-receipt" href="/console/receipts" hidden>Its receipt</a></p>
<pre id="m1-answer" tabindex="0" aria-label="What the model wrote" hidden></pre></section>`

const GATE_COLUMNS = ['Check', 'State', 'SHA-256', 'Bytes']
const DIGEST = /^[0-9a-f]{64}$/
const SCORE_COLUMNS = ['Model', 'Bits per byte', '95 % over documents', 'Perplexity of a token']

const gateTable = ({ checks }: Gate): string => `<section class="card" aria-labelledby="gate"><h2 id="gate">Gate</h2>
<p class="quiet">Each file was hashed, or its digest kept while the file did not change; one forward pass was repeated with files of these digests. ${badge('MEASURED', 'the files of the model')}</p>
<table>${headOf(GATE_COLUMNS)}<tbody>
${CHECK_NAMES.map((name) => {
  const { state, sha256, bytes, reason } = checks[name]
  return row(GATE_COLUMNS, name.replaceAll('_', ' '), [
    reason === undefined || reason === null ? state : `${state}: ${reason}`,
    sha256 ?? '',
    bytes === undefined ? '' : counted(bytes),
  ])
}).join('\n')}
</tbody></table></section>`

const headOf = (columns: readonly string[]): string =>
  `<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>`

/** Each cell names its column: narrow windows show rows as lists. */
const row = (columns: readonly string[], head: string, cells: readonly string[]): string => {
  const shownCells = cells.map(
    (cell, at) =>
      `<td class="long" data-column="${columns[at + 1]}">${cell === '' ? '<span class="quiet">none</span>' : DIGEST.test(cell) ? `<code>${cell}</code>` : escaped(cell)}</td>`,
  )
  return `<tr><th scope="row">${escaped(head)}</th>${shownCells.join('')}</tr>`
}

const NAMES: Readonly<Record<string, string>> = {
  m1: 'm1',
  order_5_kneser_ney: 'Order-5 Kneser-Ney over the same tokens',
  unigram: 'Unigram over the same tokens',
  uniform: 'Uniform over bytes',
}

/** The figures are those of a file whose digest is listed; still nothing of it is taken for markup or for a number. */
function evaluationPart(evaluation: Gate['evaluation']): string {
  const scores = evaluation?.bits_per_byte
  if (evaluation === null || !isRecord(scores))
    return '<section class="card" aria-labelledby="evaluation"><h2 id="evaluation">Evaluation</h2><p>Not available: its check does not pass.</p></section>'
  const perplexity = isRecord(evaluation.token_perplexity) ? evaluation.token_perplexity : {}
  const rows = Object.keys(NAMES).map((name) => {
    const score = isRecord(scores[name]) ? scores[name] : {}
    const interval = Array.isArray(score.ci95) ? score.ci95.join(' to ') : ''
    return row(SCORE_COLUMNS, NAMES[name]!, [shown(score.bits_per_byte), interval, shown(perplexity[name])])
  })
  return `<section class="card" aria-labelledby="evaluation"><h2 id="evaluation">Evaluation</h2>
<p class="quiet">Of ${escaped(dayOf(evaluation.measured_at))}, over ${escaped(shown(evaluation.documents))} held-out documents of ${escaped(grouped(evaluation.bytes))} bytes, none of which was trained on. Lower is better. ${badge('SAMPLE', 'the recorded evaluation', shown(evaluation.measured_at))}</p>
<table>${headOf(SCORE_COLUMNS)}<tbody>
${rows.join('\n')}
</tbody></table>
<p class="quiet">Protocol: ${escaped(shown(evaluation.protocol).replace(/\b\d{4,}\b/g, (count) => grouped(Number(count))))}.</p></section>`
}

const grouped = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : shown(value))
const dayOf = (value: unknown): string => shown(value).slice(0, 10)

const shown = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const LIMITS = `<section class="card" aria-labelledby="data"><h2 id="data">Training data</h2>
<p>62 MB in 834 documents: documentation inside open-source Python packages and the reference of web services (MIT, BSD, Apache-2.0 and alike), definitions of WordNet, addresses to the Congress of the United States, the King James Bible, Moby-Dick, the Constitution of the United States, this project’s documents and transcripts of its own service. Every document with its source, licence and digest is in <code>packages/server/models/m1/corpus-manifest.json</code>. 20 of them chose between two trainings and were not trained on. 109 further documents of the same sources were held out, and training paragraphs that share thirteen words in a row with a held-out paragraph were dropped; 0.6 % of the held-out bytes still stand in paragraphs that resemble one of the training by half or more.</p></section>
<section class="card" aria-labelledby="limits"><h2 id="limits">What it is not</h2>
<ul><li>Not an assistant: it was trained to continue text and follows no instruction.</li>
<li>Not a source: what it writes was checked by nobody, and names, dates and numbers in it may be made up.</li>
<li>Not multilingual: nearly all it read is English.</li>
<li>Not promoted: no claim of quality is made for it, and it is not eligible for production.</li>
<li>It reads 512 tokens, prompt and answer together. Of a longer prompt the box above reads the end and says so; a chat is refused.</li></ul></section>`
