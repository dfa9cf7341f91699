/** Mortgages, liens and easements: what releases them, and whether they bind those who own the parcel now. */
import { isSome, NONE } from './fraction.ts'
import { protects, type Rules } from './priority.ts'
import type { Instrument } from './record.ts'
import type { Shares } from './shares.ts'

export interface Encumbrance {
  lien: Instrument
  /** Binds an owner of today. */
  binds: boolean
  why: string
  /** Releases that name it and do not end it. */
  failed: { release: Instrument; code: 'UNRECORDED_RELEASE' | 'RELEASE_BY_STRANGER' | 'PARTIAL_RELEASE' }[]
}

/** Those that no release on the record has ended. */
export function openEncumbrances(instruments: readonly Instrument[], rules: Rules, shares: Shares): Encumbrance[] {
  const releases = instruments.filter(({ type }) => type === 'release')
  return instruments
    .filter(({ type }) => type === 'mortgage' || type === 'lien' || type === 'easement')
    .flatMap((lien) => {
      const tried = releases
        .filter(({ refs }) => refs.includes(lien.id))
        .map((release) => ({ release, code: faultOf(release, lien) }))
      if (tried.some(({ code }) => code === null)) return []
      const failed = tried.flatMap(({ release, code }) => (code === null ? [] : [{ release, code }]))
      return [{ lien, ...bindingOf(lien, rules, shares), failed }]
    })
}

/** What keeps a release from ending what it names. */
function faultOf(release: Instrument, lien: Instrument): Encumbrance['failed'][number]['code'] | null {
  if (release.at < lien.at || !release.from.some((party) => lien.to.includes(party))) return 'RELEASE_BY_STRANGER'
  if (release.recorded === null) return 'UNRECORDED_RELEASE'
  return release.fraction === null ||
    !isSome({ ...release.fraction, top: release.fraction.bottom - release.fraction.top })
    ? null
    : 'PARTIAL_RELEASE'
}

/** By the same statute as between purchasers: whoever lends on the parcel is one. */
function bindingOf(lien: Instrument, rules: Rules, shares: Shares): Pick<Encumbrance, 'binds' | 'why'> {
  const burdened = rules.title.estates.filter(
    ({ holder, via, isReached }) =>
      isReached && lien.from.includes(holder) && (lien.type === 'lien' || via === null || via.at < lien.at),
  )
  if (burdened.length === 0) return { binds: false, why: 'its grantor never held the parcel on a line from the root' }
  let why = 'its grantor had parted with the parcel before'
  for (const estate of burdened) {
    if (rules.left < 0) return { binds: true, why: 'there are more conveyances than are compared' }
    if (isSome(shares.left.get(estate) ?? NONE)) return { binds: true, why: 'its grantor still owns' }
    const acquired = estate.via?.executed ?? ''
    for (const deed of estate.out.filter((one) => isSome(shares.got.get(one) ?? NONE))) {
      if (deed.at < lien.at) {
        if (protects({ deed: lien, purchaser: lien }, deed, acquired, rules))
          return { binds: true, why: `it prevails over ${deed.id}, which was made before` }
        continue
      }
      const line = [...rules.title.below.get(deed)!.keys()].filter((one) => isSome(shares.got.get(one) ?? NONE))
      const free = line.find((purchaser) => protects({ deed, purchaser }, lien, acquired, rules))
      if (free === undefined) return { binds: true, why: `${deed.id} took subject to it` }
      why = `${free.id} prevails over it`
    }
  }
  return { binds: false, why }
}
