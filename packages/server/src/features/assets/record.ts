/** Rows of the manifest and single items, from the bytes read for this request. */
import {
  BUILD_VERSION,
  type ClockNow,
  CONJECTURES,
  canonicalBytes,
  DOCTRINE,
  GENESIS_PREV,
  INTERFACE_VERSION,
  KERNEL_COMMIT,
  LAMBDA,
  LAMBDA_FORMULA,
  LOCK,
  LOCKED_FORMULAS,
  measured,
  readingAsync,
  SIGNING_SCHEME,
  sha256Hex,
  unavailable,
} from '@orch/core'
import { EvidencePackEnvelope, ReceiptBody } from '@orch/core/schemas'
import { type RingKey, ringRecord } from '../../domain/keys.ts'
import { ORGAN_ITEMS } from '../../domain/organ-table.ts'
import { ERRORS } from '../../errors.ts'
import { ASSETS, type AssetKey, type ComputedAsset } from './catalog.ts'
import type { AssetItem, AssetManifest, AssetRow } from './schemas.ts'

/** `active`: of a set that decides, how it compares with the active one. */
export type Content = { active?: ActiveState } & (
  | { present: true; bytes: Uint8Array; modifiedAt: string | null }
  | { present: false; reason: string }
)
type ReadContent = (key: AssetKey) => Promise<Content>

const PREVIEW_POINTS = 4096
/** Enough bytes for that many code points, however long each of them is. */
const PREVIEW_BYTES = PREVIEW_POINTS * 4

export function buildRow(key: AssetKey, content: Content, url: string): AssetRow {
  const { what, kind, mediaType } = ASSETS[key]
  const about = { what, kind, media_type: mediaType, url, raw_url: `${url}?raw=1`, ...(content.active ?? NO_SET) }
  if (!content.present) return { ...about, present: false, bytes: null, sha256: null, modified_at: null }
  const { bytes, modifiedAt } = content
  return { ...about, present: true, bytes: bytes.length, sha256: sha256Hex(bytes), modified_at: modifiedAt }
}

export function buildManifest(rows: Readonly<Record<string, AssetRow>>): AssetManifest {
  return {
    schema: 'orch.assets/v1',
    count: Object.keys(rows).length,
    assets: rows,
    manifest_sha256: sha256Hex(canonicalBytes(rows)),
    doctrine: DOCTRINE,
  }
}

/** Bytes and digest are read now, or there are none and the reason says why. */
export async function buildItem(key: AssetKey, read: ReadContent, url: string, now: ClockNow): Promise<AssetItem> {
  const { value: content, ...taken } = measured(await readingAsync(`asset ${key}`, now, () => read(key)))
  const row = { key, ...buildRow(key, content, url) }
  if (!content.present) {
    const { label, reason } = unavailable(content.reason)
    return { ...row, ...NO_PREVIEW, read_at: taken.read_at, label, reason }
  }
  return { ...row, ...preview(content.bytes), read_at: taken.read_at, label: taken.label, reason: null }
}

const NO_PREVIEW = { preview: null, preview_truncated: false }

/** The beginning as text; null where the bytes are no UTF-8. A cut never falls inside a character. */
function preview(bytes: Uint8Array): { preview: string | null; preview_truncated: boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const isWhole = bytes.length <= PREVIEW_BYTES
  try {
    // As a stream, so that a character cut in two at the end is left for later and not taken for a fault.
    const points = [...decoder.decode(bytes.subarray(0, PREVIEW_BYTES), { stream: !isWhole })]
    const preview_truncated = !isWhole || points.length > PREVIEW_POINTS
    return { preview: points.slice(0, PREVIEW_POINTS).join(''), preview_truncated }
  } catch (error) {
    if (error instanceof TypeError) return NO_PREVIEW
    throw error
  }
}

interface LoadedFile {
  name: string
  sha256: string
}

/** Both are null where the asset is nothing that decides. */
type ActiveState = Pick<AssetRow, 'in_charge' | 'in_charge_sha256'>

const NO_SET: ActiveState = { in_charge: null, in_charge_sha256: null }

/** `isRead`: whether the engine would read a file of that name. Others lie in the folder without deciding anything. */
export function compareWithLoaded(
  content: Content,
  loaded: readonly LoadedFile[],
  isRead: (name: string) => boolean,
): ActiveState {
  const active = sortedLines(loaded.map(({ name, sha256 }) => `${sha256} ${name}`))
  const listed = content.present ? new TextDecoder().decode(content.bytes).split('\n') : []
  const onDisk = sortedLines(listed.filter((line) => line !== '' && isRead(line.slice(line.indexOf(' ') + 1))))
  return {
    in_charge: loaded.length > 0 && onDisk === active,
    in_charge_sha256: loaded.length === 0 ? null : sha256Hex(new TextEncoder().encode(active)),
  }
}

const sortedLines = (lines: readonly string[]): string =>
  [...lines]
    .sort()
    .map((line) => `${line}\n`)
    .join('')

interface Running {
  keys(): Promise<RingKey[]>
  activeKey: string | null
}

const MAKERS: Readonly<Record<ComputedAsset, (running: Running) => unknown>> = {
  doctrine: () => ({
    doctrine: DOCTRINE,
    lambda: { ...LAMBDA, formula: LAMBDA_FORMULA },
    locked_formulas: [...LOCKED_FORMULAS],
    conjectures: { ...CONJECTURES },
    kernel_commit: KERNEL_COMMIT,
    lock: LOCK,
    genesis: GENESIS_PREV,
    interface_version: INTERFACE_VERSION,
    build_version: BUILD_VERSION,
    signing_scheme: SIGNING_SCHEME,
  }),
  'organ-catalog': () => ({ items: ORGAN_ITEMS }),
  'error-codes': () => ({ errors: ERRORS }),
  'receipt-schema': () => ReceiptBody,
  'pack-schema': () => EvidencePackEnvelope,
  'public-keys': async ({ keys, activeKey }) => ({ keys: (await keys()).map((key) => ringRecord(key, activeKey)) }),
}

/** An asset that is no file, written for the request from what runs: canonical, so that equal facts have equal digests. */
export async function computedBytes(name: ComputedAsset, running: Running): Promise<Uint8Array> {
  const made = await MAKERS[name](running)
  // A schema carries functions and symbols of its library: what counts of it is its JSON.
  return canonicalBytes(JSON.parse(JSON.stringify(made)))
}
