import { DOCTRINE } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'
import { ASSET_KEYS, ASSET_KINDS } from './catalog.ts'

const row = {
  what: Type.String(),
  kind: words(ASSET_KINDS),
  media_type: Type.String(),
  present: Type.Boolean(),
  bytes: Nullable(Count),
  sha256: Nullable(Hex64),
  modified_at: Nullable(Timestamp),
  url: Type.String(),
  raw_url: Type.String(),
  in_charge: Nullable(
    Type.Boolean({
      description: 'Whether the set that decides is the one that lies there; null for what decides nothing',
    }),
  ),
  in_charge_sha256: Nullable(
    Type.String({ ...Hex64, description: 'Over the sorted lines of digest and name of the files in charge' }),
  ),
}
const AssetRow = closed(row)
export type AssetRow = Static<typeof AssetRow>

export const AssetManifest = closed(
  {
    schema: Type.Literal('orch.assets/v1'),
    count: Count,
    assets: Type.Record(words(ASSET_KEYS), AssetRow),
    manifest_sha256: Type.String({ ...Hex64, description: 'SHA-256 of `assets` in canonical JSON' }),
    doctrine: Type.Literal(DOCTRINE),
  },
  { $id: 'AssetManifest' },
)
export type AssetManifest = Static<typeof AssetManifest>

export const AssetItem = closed(
  {
    key: words(ASSET_KEYS),
    ...row,
    preview: Text,
    preview_truncated: Type.Boolean(),
    read_at: Timestamp,
    label: words(['MEASURED', 'UNAVAILABLE'] as const),
    reason: Text,
  },
  { $id: 'AssetItem' },
)
export type AssetItem = Static<typeof AssetItem>

/** With `raw` the bytes of the asset are sent in place of the record. */
export const AssetReply = Type.Union([AssetItem, Type.Unknown({ description: 'bytes' })])

export const AssetPath = Type.Object({ key: Type.String({ description: 'A key of the manifest' }) })
export const AssetQuery = Type.Object({
  raw: Type.Optional(Type.Integer({ minimum: 0, maximum: 1, default: 0, description: '1: the bytes themselves' })),
})
