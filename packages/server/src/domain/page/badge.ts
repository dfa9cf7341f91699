/** The honesty badge as pages made on the server show it: the word, a shape of its own, and on focus where the value came
 *  from and when. The console draws the same shapes. */
import type { Label } from '@orch/core'
import { escaped } from './markup.ts'

const DOT = 'fill="currentColor" stroke="none"'

const LOOKS: Readonly<Record<string, readonly [name: string, shape: string]>> = {
  LIVE: ['live', `<circle cx="8" cy="8" r="6"/><circle cx="8" cy="8" r="2.4" ${DOT}/>`],
  MEASURED: ['measured', `<rect x="2.2" y="2.2" width="11.6" height="11.6" ${DOT}/>`],
  MODELED: ['modeled', '<path d="M8 2 14.6 13.6H1.4z"/>'],
  SIMULATED: ['simulated', '<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.2"/>'],
  SAMPLE: ['sample', `<path d="M8 1.4 14.6 8 8 14.6 1.4 8z"/><path d="M8 1.4 14.6 8 8 14.6z" ${DOT}/>`],
  UNAVAILABLE: ['unavailable', '<circle cx="8" cy="8" r="6"/><path d="M3.8 12.2 12.2 3.8"/>'],
  'STRUCTURAL-ONLY': [
    'structural',
    '<rect x="2.2" y="2.2" width="11.6" height="11.6"/><path d="M2.2 8h11.6M8 2.2v11.6"/>',
  ],
  ROADMAP: ['roadmap', '<path d="M3 3.2 7.6 8 3 12.8M8.6 3.2 13.2 8l-4.6 4.8"/>'],
}

export function badge(label: Label, source: string, at: string | null = null): string {
  const [name, shape] = LOOKS[label] ?? ['unlabelled', '']
  const tip = escaped(at === null ? source : `${source}, read ${at}`)
  return `<span class="badge badge-${name} tip" data-label="${escaped(label)}" data-tip="${tip}" tabindex="0"><svg class="i" viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>${escaped(label)}<span class="unseen">, ${tip}</span></span>`
}
