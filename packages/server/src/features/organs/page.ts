/** The catalog of the organs as a page that needs no script. */

import { ORGAN_BODIES } from '../../domain/organ-table.ts'
import { badge } from '../../domain/page/badge.ts'
import { framedPage } from '../../domain/page/frame.ts'
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
    scripts: [],
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
<table role="table" class="catalog" aria-labelledby="body-${body}">
<thead role="rowgroup"><tr role="row">${['Organ', 'What it does', 'Evidence', 'Try it'].map((name) => `<th role="columnheader" scope="col">${name}</th>`).join('')}</tr></thead>
<tbody role="rowgroup">
${organs.map(({ item }) => row(item)).join('\n')}
</tbody></table>
</section>`

const row = ({ id, title, job, evidence_class: evidence }: OrganItem): string =>
  `<tr role="row" id="${id}"><th role="rowheader" scope="row">${id} ${escaped(title)}</th><td role="cell">${escaped(job)}</td><td role="cell">${badge(evidence, 'what each of its runs is')}</td><td role="cell"><a href="/console/organs/${id}">Try ${id}</a></td></tr>`
