import { sha256Hex } from '@orch/core'
import { entityTag, isCachedBy } from '../../domain/entity-tag.ts'
import { ServiceError } from '../../errors.ts'
import { API_PREFIX, type Call, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { AssetFiles, Ports } from '../../ports.ts'
import { ASSET_KEYS, ASSETS, type AssetKey, isAssetKey } from './catalog.ts'
import { buildItem, buildManifest, buildRow, type Content, compareWithLoaded, computedBytes } from './record.ts'
import * as schemas from './schemas.ts'

const TOOLS_FILE = 'tools.json'

type Deps = Pick<Ports, 'ledger' | 'clock' | 'gates' | 'policies'> & {
  assetFiles: AssetFiles
  /** The policies of the anatomy ledger, which lie in the same folder. */
  anatomy: Ports['policies']
}

const getDefaults = { group: 'Operations', method: 'GET', scope: null } as const
const urlOf = (key: AssetKey): string => `${API_PREFIX}/assets/${key}`

/** The project's own artifacts, read for each request. Nothing is fetched. */
export const assets = (deps: Deps) => [
  operation({
    ...getDefaults,
    id: 'assets.manifest',
    path: '/assets/manifest',
    summary: 'The artifacts of this build with their digests, read now',
    description: 'The digest of a folder is over its sorted lines of digest and name.',
    reply: schemas.AssetManifest,
    labels: ['MEASURED'],
    example: {},
    run: sharedManifest(deps),
  }),
  operation({
    ...getDefaults,
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
      if (!isAssetKey(key))
        throw new ServiceError('unknown_asset', 'path.key names no asset; GET /api/orch/v1/assets/manifest lists them')
      if (query.raw === 1) return rawReply(key, await readContent(deps, key), headers)
      return buildItem(
        key,
        (wanted) => readContent(deps, wanted),
        urlOf(key),
        () => isoNow(deps.clock),
      )
    },
  }),
]

/** Every artifact is read and hashed: once for all who ask meanwhile. */
const sharedManifest = (deps: Deps) =>
  singleFlight(async () => {
    const rows = await Promise.all(
      ASSET_KEYS.map(async (key) => [key, buildRow(key, await readContent(deps, key), urlOf(key))] as const),
    )
    return buildManifest(Object.fromEntries(rows))
  })

async function readContent(deps: Deps, key: AssetKey): Promise<Content> {
  const { source } = ASSETS[key]
  const { assetFiles, ledger } = deps
  if ('absent' in source) return { present: false, reason: source.absent }
  if ('file' in source) return withActiveState(deps, key, await assetFiles.read(source.file))
  const running = { keys: () => ledger.reader.keys(), activeKey: ledger.signer.keyid }
  return { present: true, bytes: await computedBytes(source.computed, running), modifiedAt: null }
}

function withActiveState({ gates, policies, anatomy }: Deps, key: AssetKey, content: Content): Content {
  const rules = gates.status().files
  if (key === 'gate-rules')
    return { ...content, active: compareWithLoaded(content, rules, (name) => rules.some((file) => file.name === name)) }
  if (key !== 'policies') return content
  const inFolder = anatomy.status().files.map(({ name, sha256 }) => ({ name: `anatomy/${name}`, sha256 }))
  const { files } = policies.status()
  // The tools file may lie elsewhere; then nothing reads the one of the folder.
  const hasTools = files.some(({ name }) => name === TOOLS_FILE)
  const isRead = (name: string) =>
    name === TOOLS_FILE ? hasTools : /^(?:anatomy\/)?[^/]+\.(?:cedar|cedarschema)$/.test(name)
  return { ...content, active: compareWithLoaded(content, [...files, ...inFolder], isRead) }
}

function rawReply(key: AssetKey, content: Content, headers: Call['headers']): Reply {
  if (!content.present) throw new ServiceError('asset_absent', `there are no bytes to send: ${content.reason}`)
  const etag = entityTag(sha256Hex(content.bytes))
  const isCached = isCachedBy(headers['if-none-match'], etag)
  const sent = { etag, 'content-disposition': 'attachment' }
  const type = `${ASSETS[key].mediaType}; charset=utf-8`
  return new Reply(isCached ? null : content.bytes, { status: isCached ? 304 : 200, type, headers: sent })
}
