/** The versions of one record: which of them holds at a time. */
import Type, { type Static } from 'typebox'

export const Version = Type.Object({
  version: Type.Integer(),
  text: Type.String(),
  sha256: Type.String(),
  tags: Type.Array(Type.String()),
  /** Milliseconds since the epoch: from when it holds, when it was recorded, and when it is gone. */
  valid_from: Type.Number(),
  recorded: Type.Number(),
  expires: Type.Union([Type.Number(), Type.Null()]),
  supersedes: Type.Union([Type.Integer(), Type.Null()]),
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

/** A version that holds now or will, and from when to when. */
interface LiveVersion {
  version: Version
  from: number
  until: number
}

export function liveVersions(versions: readonly Version[], now: number): LiveVersion[] {
  const starts = [...new Set([now, ...versions.map(({ valid_from }) => valid_from).filter((at) => at > now)])].sort(
    (a, b) => a - b,
  )
  return starts.flatMap((from, at) => {
    const version = versionAt(versions, from, now)
    const until = Math.min(starts[at + 1] ?? Infinity, version?.expires ?? Infinity)
    return version === null ? [] : [{ version, from, until }]
  })
}
