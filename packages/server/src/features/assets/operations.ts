import { sha256Hex } from '@orch/core'
import { entityTag, isHeld } from '../../domain/entity-tag.ts'
import { ServiceError } from '../../errors.ts'
import { API_PREFIX, type Call, untypedOperation as operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { ASSET_KEYS, ASSETS, type AssetKey, isAssetKey } from './catalog.ts'
import { computedBytes } from './computed.ts'
import { inChargeOf } from './in-charge.ts'
import { type Content, itemOf, manifestOf, rowOf } from './record.ts'
import * as schemas from './schemas.ts'

const TOOLS_FILE = 'tools.json'

type Deps = Pick<Ports, 'assetFiles' | 'ledger' | 'clock' | 'gates' | 'policies' | 'anatomy'>

const reading = { group: 'Operations', method: 'GET', scope: null } as const
const urlOf = (key: AssetKey): string => `${API_PREFIX}/assets/${key}`

/** The project’s own artifacts, read for each request. Nothing is fetched. */
export const assets = (deps: Deps) => [
  operation({
    ...reading,
    id: 'assets.manifest',
    path: '/assets/manifest',
    summary: 'The artifacts of this build with their digests, read now',
    description: 'The digest of a folder is over its sorted lines of digest and name.',
    reply: schemas.AssetManifest,
    labels: ['MEASURED'],
    example: {},
    async run() {
      const rows = await Promise.all(
        ASSET_KEYS.map(async (key) => [key, rowOf(key, await contentOf(deps, key), urlOf(key))] as const),
      )
      return manifestOf(Object.fromEntries(rows))
    },
  }),
  operation({
    ...reading,
    id: 'assets.item',
    path: '/assets/:key',
    summary: 'One artifact: its digest and how it begins, or its bytes',
    description: 'With `raw=1` the bytes, at most 8 MiB; the ETag is their SHA-256. Of a folder these are its lines.',
    params: schemas.AssetPath,
    query: schemas.AssetQuery,
    reply: schemas.AssetReply,
    errors: ['unknown_asset', 'asset_absent'],
    example: { params: { key: 'doctrine' } },
    labels: ['MEASURED', 'UNAVAILABLE'],
    async run({ params: { key }, query, headers }) {
      if (!isAssetKey(key)) throw new ServiceError('unknown_asset', 'no such asset; the manifest lists all of them')
      const now = () => new Date(deps.clock.now()).toISOString()
      if (query.raw === 1) return rawReply(key, await contentOf(deps, key), headers)
      return itemOf(key, (wanted) => contentOf(deps, wanted), urlOf(key), now)
    },
  }),
]

async function contentOf(deps: Deps, key: AssetKey): Promise<Content> {
  const { source } = ASSETS[key]
  const { assetFiles, ledger } = deps
  if ('absent' in source) return { present: false, reason: source.absent }
  if ('file' in source) return charged(deps, key, await assetFiles.read(source.file))
  const running = { keys: () => ledger.reader.keys(), activeKey: ledger.signer.keyid }
  return { present: true, bytes: await computedBytes(source.computed, running), modifiedAt: null }
}

function charged({ gates, policies, anatomy }: Deps, key: AssetKey, content: Content): Content {
  const rules = gates.status().files
  if (key === 'gate-rules')
    return { ...content, charge: inChargeOf(content, rules, (name) => rules.some((file) => file.name === name)) }
  if (key !== 'policies') return content
  const inFolder = anatomy.status().files.map(({ name, sha256 }) => ({ name: `anatomy/${name}`, sha256 }))
  const { files } = policies.status()
  // The tools file may lie elsewhere; then the one of the folder is read by nobody.
  const hasTools = files.some(({ name }) => name === TOOLS_FILE)
  const isRead = (name: string) =>
    name === TOOLS_FILE ? hasTools : /^(?:anatomy\/)?[^/]+\.(?:cedar|cedarschema)$/.test(name)
  return { ...content, charge: inChargeOf(content, [...files, ...inFolder], isRead) }
}

function rawReply(key: AssetKey, content: Content, headers: Call['headers']): Reply {
  if (!content.present) throw new ServiceError('asset_absent', `there are no bytes to send: ${content.reason}`)
  const etag = entityTag(sha256Hex(content.bytes))
  const held = isHeld(headers['if-none-match'], etag)
  const sent = { etag, 'content-disposition': 'attachment' }
  const type = `${ASSETS[key].mediaType}; charset=utf-8`
  return new Reply(held ? null : content.bytes, { status: held ? 304 : 200, type, headers: sent })
}
