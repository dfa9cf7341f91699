/** Pieces of the page. Text that somebody else chose is escaped here and cannot turn the direction of the text around it. */
import { escaped } from '../../domain/page/markup.ts'
import type { Part } from './part.ts'

/** Stored text may hold marks that reverse the direction of what follows. */
export const foreign = (text: string | null): string =>
  text === null ? '<span class="quiet">not said</span>' : `<bdi>${escaped(text)}</bdi>`

export const instant = (time: string): string => `<time datetime="${escaped(time)}">${escaped(time)}</time>`

export const link = (path: string | null, text: string, title = ''): string =>
  path === null
    ? escaped(text)
    : `<a href="${escaped(path)}"${title === '' ? '' : ` title="${escaped(title)}"`}>${escaped(text)}</a>`

export const shortDigest = (digest: string): string => `${digest.slice(0, 12)}…${digest.slice(-6)}`

/** Enough to tell one from another; the whole stands in the title. */
export const shortId = (id: string): string => (id.length > 20 ? `${id.slice(0, 16)}…` : id)

/** A card of one part: what was read, or why nothing was. */
export const card = <T>(id: string, title: string, part: Part<T>, shown: (value: T) => string): string =>
  `<section class="card" id="${id}" data-state="${part.state}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${escaped(title)}</h2>
${part.state === 'read' ? shown(part.value) : unread(part.state, part.reason)}
<p class="quiet">${provenance(part)}</p>
</section>`

const unread = (state: 'refused' | 'failed', reason: string): string =>
  `<p><strong>${state === 'refused' ? 'Not shown' : 'Not read'}:</strong> ${escaped(reason)}.</p>`

const provenance = <T>(part: Part<T>): string =>
  part.state === 'read' ? `${part.label}, ${escaped(part.source)}, read at ${instant(part.read_at)}` : part.label

export interface Cell {
  column: string
  inner: string
  more?: string
}

/** The roles stay what they are where a narrow page lays rows out as cards. The first cell heads its row. */
export function table(caption: string, rows: readonly (readonly [Cell, ...Cell[]])[]): string {
  const columns = (rows[0] ?? []).map(({ column }) => `<th role="columnheader" scope="col">${escaped(column)}</th>`)
  return `<table role="table">
<caption>${escaped(caption)}</caption>
<thead role="rowgroup"><tr role="row">${columns.join('')}</tr></thead>
<tbody role="rowgroup">
${rows.map(row).join('\n')}
</tbody></table>`
}

const row = ([first, ...rest]: readonly [Cell, ...Cell[]]): string =>
  `<tr role="row"><th role="rowheader" scope="row">${first.inner}</th>${rest.map(cell).join('')}</tr>`

const cell = ({ column, inner, more = '' }: Cell): string =>
  `<td role="cell" data-column="${escaped(column)}"${more}>${inner}</td>`

/** Name and markup. */
export const facts = (list: readonly (readonly [string, string])[]): string =>
  `<dl class="facts">
${list.map(([name, inner]) => `<div><dt>${escaped(name)}</dt><dd>${inner}</dd></div>`).join('\n')}
</dl>`
