/** The versions of one record: which of them holds at a time. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../../../domain/wire.ts'

export const Version = Type.Object({
  version: Type.Integer(),
  text: Type.String(),
  sha256: Type.String(),
  tags: Type.Array(Type.String()),
  /** Milliseconds since the epoch: from when it holds, when it was recorded, and when it is gone. */
  valid_from: Type.Number(),
  recorded: Type.Number(),
  expires: Nullable(Type.Number()),
  supersedes: Nullable(Type.Integer()),
})
export type Version = Static<typeof Version>

const later = (a: Version, b: Version): Version =>
  b.valid_from > a.valid_from || (b.valid_from === a.valid_from && b.version > a.version) ? b : a

export const isExpired = ({ expires }: Pick<Version, 'expires'>, now: number): boolean =>
  expires !== null && expires <= now

/** The version that was valid at `asOf`, as far as it is not gone by now: what a version superseded does not come back
 *  when it expires. */
export function versionAt(versions: readonly Version[], asOf: number, now: number): Version | null {
  const begun = versions.filter(({ valid_from }) => valid_from <= asOf)
  if (begun.length === 0) return null
  const found = begun.reduce(later)
  return isExpired(found, now) ? null : found
}

/** The versions that hold now or will, each with when it begins and ends; 0 and null: it does so already, and never. */
export function liveVersions(versions: readonly Version[], now: number) {
  const future = versions.map(({ valid_from }) => valid_from).filter((at) => at > now)
  const starts = [...new Set([now, ...future])].sort((a, b) => a - b)
  return starts.flatMap((start, at) => {
    const version = versionAt(versions, start, now)
    const endTimes = [starts[at + 1], version?.expires].filter((end) => end != null)
    return version === null
      ? []
      : [{ version, from: start > now ? start : 0, until: endTimes.length === 0 ? null : Math.min(...endTimes) }]
  })
}
