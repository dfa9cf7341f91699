/** The catalog of the organs as a page that needs no script. */

import { ORGAN_BODIES } from '../../domain/organ-table.ts'
import { framedPage, ORGANS_PATH } from '../../domain/page/frame.ts'
import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'
import type { RegisteredOrgan } from './registry.ts'
import type { OrganItem } from './schemas.ts'

const INTRO =
  'Twenty-five small instruments, each answering one question in one POST. The word beside each says what its answers are worth; every run leaves a signed receipt.'

export const organsPage = (organs: readonly RegisteredOrgan[], links: readonly Link[], commit: string | null) =>
  framedPage({
    title: 'Organs',
    intro: INTRO,
    links,
    path: links.find(({ id }) => id === 'organs.page')?.path ?? '',
    scripts: [ORGANS_PATH],
    commit,
    main: ORGAN_BODIES.map((body) =>
      group(
        body,
        organs.filter(({ item }) => item.body === body),
      ),
    ).join('\n'),
  })

const group = (body: string, organs: readonly RegisteredOrgan[]): string =>
  `<section class="card" aria-labelledby="body-${body}"><h2 id="body-${body}">${body[0]!.toUpperCase()}${body.slice(1)}</h2>
<table role="table">
<caption>Organs of the ${body}</caption>
<thead role="rowgroup"><tr role="row">${['Organ', 'What it does', 'Evidence', 'Try it'].map((name) => `<th role="columnheader" scope="col">${name}</th>`).join('')}</tr></thead>
<tbody role="rowgroup">
${organs.map(({ item }) => row(item)).join('\n')}
</tbody></table>
${organs.map(tryForm).join('\n')}</section>`

const row = ({ id, title, job, evidence_class: evidence }: OrganItem): string =>
  `<tr role="row" id="${id}"><th role="rowheader" scope="row">${id} ${escaped(title)}</th><td role="cell">${escaped(job)}</td><td role="cell">${evidence}</td><td role="cell"><a href="#try-${id}">Try ${id}</a></td></tr>`

/** A browser opens what a link leads into. The form holds a prompt; its script can put the written-out example there. */
const tryForm = ({ item: { id, title, run }, organ: { example } }: RegisteredOrgan): string => {
  const path = escaped(run.slice('POST '.length))
  const prompt = escaped(JSON.stringify({ prompt: example.prompt }))
  return `<details><summary>Try ${id} ${escaped(title)}</summary>
<form id="try-${id}" data-run="${path}">
<p><label for="request-${id}">Request of ${id}</label><br><textarea id="request-${id}" rows="6" cols="60" spellcheck="false" required>${prompt}</textarea></p>
<p><button type="submit">Run ${id}</button> <button type="button" class="second">Written-out example of ${id}</button> <a href="${path}">Schemas and limits of ${id}</a></p>
<p role="status" class="quiet">Needs a script; without one, send the request with POST to ${path}.</p>
<pre tabindex="0" aria-label="Answer of ${id}" hidden></pre>
</form></details>`
}
