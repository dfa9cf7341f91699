/** What has to be cured before a title can be sold, and how. */
import type { Encumbrance } from './encumbrances.ts'
import { type Fraction, isSome, minus, NONE, plus, textOf, WHOLE } from './fraction.ts'
import type { Statute } from './priority.ts'
import type { Instrument, Title } from './record.ts'
import type { Shares } from './shares.ts'

interface Defect {
  code: string
  instruments: string[]
  cure: string
  fraction?: string
}

export interface Owner {
  name: string
  held_as: 'root' | 'instrument' | 'remainder' | 'estate'
  of_record: boolean
  share: Fraction
}

interface Facts {
  statute: Statute
  /** Whether there is anything to go by. */
  hasRecord: boolean
  instruments: readonly Instrument[]
  conveyances: readonly Instrument[]
  chain: readonly Instrument[]
  shares: Shares
  title: Title
  wild: readonly { id: string; grantor: string[]; before_root: boolean }[]
  breaks: readonly { id: string; grantor: string; unrecorded: string | null }[]
  owners: readonly Owner[]
  fractionSum: Fraction
  encumbrances: readonly Encumbrance[]
  candidates: readonly { names: string[] }[]
  uncertain: readonly [string, string][]
  /** Recorded before the root of title. */
  isOld(instrument: Instrument): boolean
  /** Names as they are shown. */
  shown(keys: readonly string[]): string[]
}

type Add = (code: string, ids: readonly string[], cure: string, share?: Fraction) => void

/** Instruments that one entry names. */
export const MAX_IDS = 16
/** Whose title hangs on facts that no record shows, or on a circle, is for a court. */
const FOR_A_COURT: ReadonlySet<string> = new Set(['NO_RECORD', 'CIRCULAR_PRIORITY', 'TOO_MANY_RIVALS', 'BONA_FIDES'])
const CURES = {
  UNRECORDED_RELEASE: 'record the release',
  RELEASE_BY_STRANGER: 'get a release from the holder of the lien, or record how its maker came to hold it',
  PARTIAL_RELEASE: 'it frees a part: get a release of the rest',
}

export const verdictOf = (defects: readonly Defect[], owners: number): 'MARKETABLE' | 'CURABLE' | 'UNMARKETABLE' =>
  owners === 0 || defects.some(({ code }) => FOR_A_COURT.has(code))
    ? 'UNMARKETABLE'
    : defects.length > 0
      ? 'CURABLE'
      : 'MARKETABLE'

export function findDefects(facts: Facts): Defect[] {
  const defects: Defect[] = []
  const add: Add = (code, ids, cure, share) =>
    defects.push({
      ...{ code, instruments: ids.slice(0, MAX_IDS), cure },
      ...(share === undefined ? {} : { fraction: textOf(share) }),
    })
  rivalClaims(facts, add)
  brokenLinks(facts, add)
  missingShares(facts, add)
  openLiens(facts, add)
  doubts(facts, add)
  return defects
}

function rivalClaims({ hasRecord, shares, statute, shown }: Facts, defect: Add): void {
  if (!hasRecord)
    defect('NO_RECORD', [], 'find the parcel in the index of the county; nothing on record says who owns it')
  for (const { code, deeds, share } of shares.contested)
    defect(
      code,
      deeds.map(({ id }) => id),
      'an action to quiet title against every one of these grantees',
      share,
    )
  for (const { deed, to } of shares.lost) {
    const hangsOnFacts = statute !== 'race' && [...to].some((winner) => winner.at > deed.at)
    const ids = [deed.id, ...[...to].map(({ id }) => id)]
    if (hangsOnFacts)
      defect(
        'BONA_FIDES',
        ids,
        `that the winner paid value and did not know is no matter of record: a quitclaim deed from ${shown(deed.to).join(', ')} or an action to quiet title`,
      )
    else defect('RIVAL_CLAIM', ids, `a quitclaim deed from ${shown(deed.to).join(', ')} to the owner`)
  }
}

function brokenLinks({ wild, breaks, conveyances, chain, title, isOld }: Facts, defect: Add): void {
  for (const { id, grantor, before_root } of wild)
    if (!before_root)
      defect(
        'WILD_DEED',
        [id],
        `record the instrument by which ${grantor.join(', ')} acquired, or get a quitclaim deed from its grantee`,
      )
  for (const { id, unrecorded } of breaks)
    if (unrecorded !== null && !conveyances.some((one) => one.id === id && isOld(one)))
      defect('BREAK', [id, unrecorded], `record ${unrecorded}`)
  for (const deed of chain)
    if (deed.recorded === null)
      defect('UNRECORDED', [deed.id], `record ${deed.id}: until then a purchaser may cut it off`)
  for (const deed of title.void)
    defect('DEED_AFTER_PROBATE', [deed.id], 'its grantor had died: get a deed from the heirs or devisees')
}

function missingShares({ owners, fractionSum, shares }: Facts, defect: Add): void {
  const gap = minus(WHOLE, fractionSum)
  const undecided = shares.contested.reduce((sum, { share }) => plus(sum, share), NONE)
  if (owners.length > 0 && isSome(minus(gap, undecided))) {
    const keepers = owners.filter(({ held_as }) => held_as === 'remainder' || held_as === 'estate')
    const who = keepers
      .map(({ name, share, held_as }) => `${held_as === 'estate' ? 'the estate of ' : ''}${name} ${textOf(share)}`)
      .join(', ')
    defect(
      'FRACTION_GAP',
      [],
      `the deeds pass on ${textOf(fractionSum)}; ${who} was never conveyed: get a deed for it, or have its holder join`,
      minus(gap, undecided),
    )
  }
}

function openLiens({ encumbrances, instruments, isOld }: Facts, defect: Add): void {
  for (const { lien, binds, failed } of encumbrances) {
    if (binds && lien.type === 'easement')
      defect('EASEMENT', [lien.id], 'except it from the covenants, or get a release from its holder')
    else if (binds)
      defect(
        isOld(lien) ? 'ANCIENT_LIEN' : 'OPEN_LIEN',
        [lien.id],
        isOld(lien)
          ? 'it is older than the root: confirm that the marketable title act of the state has ended it, or record a release'
          : 'pay it and record a release',
      )
    for (const { release, code } of failed) defect(code, [release.id, lien.id], CURES[code])
  }
  for (const release of instruments)
    if (release.type === 'release' && release.refs.length === 0)
      defect(
        'RELEASE_UNMATCHED',
        [release.id],
        'a release that names nothing ends nothing: record one that names its lien',
      )
}

function doubts({ uncertain, wild, breaks, candidates }: Facts, defect: Add): void {
  for (const ids of uncertain)
    defect(
      'ORDER_UNCERTAIN',
      ids,
      'their order decides and both bear the same time: get the times of day from the recorder',
    )
  const broken = new Set([...wild, ...breaks].flatMap(({ grantor }) => grantor))
  for (const { names: pair } of candidates)
    if (pair.some((name) => broken.has(name)))
      defect('NAME_VARIANCE', [], `if ${pair.join(' and ')} are one party, record an affidavit of identity`)
}
