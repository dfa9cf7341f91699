/** The surfaces the operator listed. Read once; a file that holds anything else refuses the start. */
import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { isLoopbackHost } from '../../../adapters/outbound/addresses.ts'
import { closed, readJson } from '../../../platform/shape.ts'
import type { Peer } from '../contract.ts'

const MAX_SURFACES = 16
const MAX_BYTES = 65_536
const Word = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
const Surface = closed({
  name: Word,
  kind: Word,
  group: Type.Union(['Core', 'Applications', 'Showcase', 'Public'].map((group) => Type.Literal(group))),
  url: Type.String({ maxLength: 512 }),
})
const File = closed({ surfaces: Type.Array(Surface, { maxItems: MAX_SURFACES }) })

export type ConfiguredSurface = Omit<Peer, 'reading'>

export function readConstellation(path: string | null): ConfiguredSurface[] {
  if (path === null) return []
  const rule = `ORCH_CONSTELLATION_FILE must name a file of {"surfaces":[{name, kind, group, url}]} with at most ${MAX_SURFACES} different https addresses and nothing else`
  const text = readFileSync(path, 'utf8')
  const file = text.length > MAX_BYTES ? null : readJson(File, text)
  if (!file?.ok) throw new Error(rule)
  const surfaces = file.value.surfaces as ConfiguredSurface[]
  const urls = surfaces.map(({ url }) => url)
  if (!urls.every(isSecure) || new Set(urls).size !== urls.length) throw new Error(rule)
  return surfaces
}

function isSecure(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url))
}
