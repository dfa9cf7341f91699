/** What has to be cured before a title can be sold, and how. */
import { type Encumbrance, isEncumbrance } from './encumbrances.ts'
import { type Fraction, isSome, minus, NONE, plus, textOf, WHOLE } from './fraction.ts'
import type { Instrument } from './instruments.ts'
import { hangsOnFacts, type Rules } from './priority.ts'
import type { Title } from './record.ts'
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
  rules: Rules
  /** Whether there is anything to go by. */
  hasRecord: boolean
  /** Conveyances each of which may be the first of the record. */
  firsts: readonly Instrument[]
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
  /** Recorded before the root of title. */
  isOld(instrument: Instrument): boolean
  /** Names as they are shown. */
  shown(keys: readonly string[]): string[]
}

type Add = (code: string, ids: readonly string[], cure: string, share?: Fraction) => void

/** Instruments that one entry names. */
export const MAX_IDS = 16
const CURES = {
  UNRECORDED_RELEASE: 'record the release',
  RELEASE_BEFORE_LIEN: 'made before what it names, it ends nothing: get a release made after',
  RELEASE_BY_STRANGER: 'get a release from the holder of the lien, or record how its maker came to hold it',
  PARTIAL_RELEASE: 'it frees a part: get a release of the rest, by all who hold it',
}

/** Whose title hangs on facts that no record shows, on an order or on a circle, is for a court; a burden can be paid. */
export function verdictOf(
  defects: readonly Defect[],
  owners: number,
  { contested, lost }: Shares,
  rules: Rules,
): 'MARKETABLE' | 'CURABLE' | 'UNMARKETABLE' {
  const isForCourt = contested.length > 0 || lost.some((one) => isLostByFacts(one, rules))
  if (owners === 0 || isForCourt) return 'UNMARKETABLE'
  return defects.length > 0 ? 'CURABLE' : 'MARKETABLE'
}

const isLostByFacts = ({ deed, to }: Shares['lost'][number], rules: Rules): boolean =>
  [...to].some((winner) => hangsOnFacts(deed, winner, rules))

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

function rivalClaims({ hasRecord, firsts, shares, rules, shown }: Facts, defect: Add): void {
  if (!hasRecord)
    defect('NO_RECORD', [], 'find the parcel in the index of the county; nothing on record says who owns it')
  if (firsts.length > 0)
    defect(
      'ROOT_UNCERTAIN',
      idsOf(firsts),
      'each may be where the title begins: name the root that the search is to start from',
    )
  for (const { code, deeds, share } of shares.contested)
    defect(code, idsOf(deeds), code === 'ORDER_UNCERTAIN' ? TIMES : COURT, share)
  for (const lost of shares.lost) {
    const ids = idsOf([lost.deed, ...lost.to])
    const from = shown(lost.deed.to).join(', ')
    if (isLostByFacts(lost, rules))
      defect(
        'BONA_FIDES',
        ids,
        `who paid value, and who knew of what, is no matter of record: a quitclaim deed from ${from} or an action to quiet title`,
      )
    else defect('RIVAL_CLAIM', ids, `a quitclaim deed from ${from} to the owner`)
  }
}

const COURT = 'an action to quiet title against every one of these grantees'
const TIMES =
  'their order decides and no date tells it: get the times of day from the recorder, or an action to quiet title'
const idsOf = (instruments: readonly Instrument[]): string[] => instruments.map(({ id }) => id)

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

function openLiens({ encumbrances, instruments, isOld, shown }: Facts, defect: Add): void {
  for (const { lien, binds, perhaps, cutOffBy, isByFacts, failed } of encumbrances) {
    const holder = shown(lien.to).join(', ')
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
    else if (isByFacts)
      defect(
        'BONA_FIDES',
        idsOf([lien, ...cutOffBy]),
        `who paid value, and who knew of what, is no matter of record: record a release from ${holder}, or except it`,
      )
    else if (cutOffBy.length > 0)
      defect(
        'CUT_OFF',
        idsOf([lien, ...cutOffBy]),
        `it lost and nothing releases it: record a release from ${holder}, or except it`,
      )
    if (perhaps !== null) defect('ORDER_UNCERTAIN', [lien.id, perhaps.id], TIMES)
    for (const { release, code } of failed) defect(code, [release.id, lien.id], CURES[code])
  }
  const named = new Set(instruments.filter(isEncumbrance).map(({ id }) => id))
  for (const release of instruments)
    if (release.type === 'release' && !release.refs.some((id) => named.has(id)))
      defect('RELEASE_UNMATCHED', [release.id], 'a release that names no lien ends nothing: record one that names it')
}

function doubts({ wild, breaks, candidates, encumbrances, title, shown }: Facts, defect: Add): void {
  // Whoever charged the parcel under almost the name of one who held it may be that one.
  const holders = new Set(title.estates.filter(({ isReached }) => isReached).map(({ holder }) => holder))
  const holderNames = new Set(shown([...holders]))
  const near = candidates.filter(({ names: [one = '', other = ''] }) => holderNames.has(one) !== holderNames.has(other))
  for (const { lien } of encumbrances) {
    const strangers = lien.from.some((party) => holders.has(party)) ? [] : shown(lien.from)
    for (const { names: pair } of strangers.length > 0 ? near : [])
      if (pair.some((name) => strangers.includes(name)))
        defect(
          'NAME_VARIANCE',
          [lien.id],
          `if ${pair.join(' and ')} are one party, it binds: record a release, or an affidavit that they are not`,
        )
  }
  const broken = new Set([...wild, ...breaks].flatMap(({ grantor }) => grantor))
  for (const { names: pair } of candidates)
    if (pair.some((name) => broken.has(name)))
      defect('NAME_VARIANCE', [], `if ${pair.join(' and ')} are one party, record an affidavit of identity`)
}
