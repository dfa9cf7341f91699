/** The closed table of what this project hands out about itself. A key is looked up here and never becomes a path. */

export const ASSET_KINDS = ['json', 'text', 'jsonl', 'directory'] as const
type AssetKind = (typeof ASSET_KINDS)[number]

/** Artifacts that lie in the checkout, by names of a closed list: no name becomes a path. */
export const ASSET_PLACES = {
  openapi: 'openapi.json',
  'formula-registry': 'packages/core/src/formulas/formula-registry.json',
  policies: 'policies',
  'gate-rules': 'packages/server/rules',
  'golden-vectors': 'vectors/golden.json',
  sbom: 'sbom.json',
  'bench-results': 'bench/results.json',
  'pinn-bench': 'bench/pinn.json',
  changelog: 'CHANGELOG.md',
  license: 'LICENSE',
}
export type AssetFile = keyof typeof ASSET_PLACES

/** `computed`: written from the running process for the request. `absent`: named by the interface, and why there is none. */
type Source = { file: AssetFile } | { computed: ComputedAsset } | { absent: string }

export type ComputedAsset =
  | 'doctrine'
  | 'error-codes'
  | 'receipt-schema'
  | 'pack-schema'
  | 'public-keys'
  | 'organ-catalog'

export interface Entry {
  what: string
  kind: AssetKind
  mediaType: string
  source: Source
}

const JSON_TYPE = 'application/json'
const json = (what: string, source: Source): Entry => ({ what, kind: 'json', mediaType: JSON_TYPE, source })
/** What is served of a folder is its list of digests and names. */
const folder = (what: string, file: AssetFile): Entry => ({
  what,
  kind: 'directory',
  mediaType: 'text/plain',
  source: { file },
})
const text = (what: string, mediaType: string, file: AssetFile): Entry => ({
  what,
  kind: 'text',
  mediaType,
  source: { file },
})

export const ASSETS = {
  openapi: json('interface description of this build', { file: 'openapi' }),
  doctrine: json('doctrine constants, served as constants', { computed: 'doctrine' }),
  'formula-registry': json('the locked formulas and the conjectures', { file: 'formula-registry' }),
  policies: folder('policies of the authorizer as they lie on the disk', 'policies'),
  'gate-rules': folder('rules of the text gates as they lie on the disk', 'gate-rules'),
  'error-codes': json('every code a refusal can carry', { computed: 'error-codes' }),
  'organ-catalog': json('catalog of the organs', { computed: 'organ-catalog' }),
  'receipt-schema': json('JSON Schema of a receipt body', { computed: 'receipt-schema' }),
  'pack-schema': json('JSON Schema of an evidence pack', { computed: 'pack-schema' }),
  'golden-vectors': json('receipts, packs and exports with known digests', { file: 'golden-vectors' }),
  'public-keys': json('every key that ever signed in this ledger', { computed: 'public-keys' }),
  sbom: json('bill of materials, written with a release', { file: 'sbom' }),
  'bench-results': json('the newest committed run of the bench, with its own date', { file: 'bench-results' }),
  'pinn-bench': json('committed comparison of solvers', { file: 'pinn-bench' }),
  changelog: text('what changed for a user', 'text/markdown', 'changelog'),
  license: text('the licence', 'text/plain', 'license'),
} as const satisfies Record<string, Entry>

export type AssetKey = keyof typeof ASSETS
export const ASSET_KEYS = Object.keys(ASSETS) as AssetKey[]

/** Own names alone: `constructor` is no asset. */
export const isAssetKey = (key: string): key is AssetKey => Object.hasOwn(ASSETS, key)
