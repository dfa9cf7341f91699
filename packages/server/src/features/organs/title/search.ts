/** The search of one title: the line of owners, what lost, what is missing, and what has to be cured. */
import { distance } from 'fastest-levenshtein'
import { findDefects, MAX_IDS, type Owner, verdictOf } from './defects.ts'
import { isEncumbrance, openEncumbrances } from './encumbrances.ts'
import { isLess, isSome, NONE, plus, textOf, WHOLE } from './fraction.ts'
import { compareTimes, type Instrument, isConveyance, order, partyKey, readInstruments } from './instruments.ts'
import { MAX_COMPARISONS, type Rules, type Statute } from './priority.ts'
import { type Estate, findRoots, isLater, type Title, walk } from './record.ts'
import type { WrittenInstrument } from './shapes.ts'
import { givenUp, type Shares, shareOut } from './shares.ts'

interface Search {
  instruments: readonly WrittenInstrument[]
  as_of: string
  years: number
  statute: Statute
  root?: string | undefined
}

const LIKE = 0.85

export function searchTitle({ instruments: written, as_of, years, statute, root }: Search) {
  const { instruments, knotted } = readInstruments(written, as_of, root)
  const names = namesOf(written)
  const shown = (keys: readonly string[]) => keys.map((key) => names.get(key) ?? key)
  const conveyances = instruments.filter(isConveyance)
  const start = startOf(conveyances, written.length === 0 ? undefined : root)
  const liens = instruments.filter(isEncumbrance)
  const byId = new Map(instruments.map((one) => [one.id, one]))
  const shared = (beaten: ReadonlySet<Instrument>): { rules: Rules; shares: Shares } => {
    const walked = walk(start.walked, start.roots, { liens, knotted, beaten })
    const title = walked ?? walk([], start.roots, { liens: [], knotted, beaten })!
    const rules = { statute, title, byId, facts: new Set<string>(), left: MAX_COMPARISONS }
    return { rules, shares: walked === null ? givenUp(start.walked) : shareOut(rules, knotted) }
  }
  const beaten = new Set<Instrument>()
  let { rules, shares } = shared(beaten)
  for (let known = -1; known < beaten.size; ) {
    known = beaten.size
    for (const { deed } of shares.lost)
      if (rules.title.estates.some((one) => deed.from.includes(one.holder) && isLater(one, deed))) beaten.add(deed)
    if (known < beaten.size) ({ rules, shares } = shared(beaten))
  }
  const { title } = rules
  const encumbrances = openEncumbrances(instruments, rules, shares)

  const chain = conveyances.filter((deed) => isSome(shares.got.get(deed) ?? NONE))
  const oldest = cutoff(as_of, years)
  const rootDeed = chain.findLast(
    (deed) =>
      deed.recorded !== null && compareTimes(deed.recorded, oldest) <= 0 && !isLess(shares.got.get(deed)!, WHOLE),
  )
  const isOld = ({ recorded }: Instrument) =>
    rootDeed !== undefined && recorded !== null && recorded < rootDeed.recorded!

  const wild = conveyances
    .filter((deed) => deed.recorded !== null && title.sources.has(deed) && isWild(deed, title))
    .map((deed) => ({
      id: deed.id,
      grantor: shown(deed.from),
      reason: title.early.has(deed)
        ? 'recorded or made before its grantor acquired'
        : 'no recorded line leads to its grantor',
      before_root: isOld(deed),
    }))
  const breaks = [...title.sources.keys()]
    .flatMap((deed) => breaksAt(deed, title, isSome(shares.got.get(deed) ?? NONE)))
    .map(({ from, ...one }) => ({ ...one, grantor: shown([from])[0]! }))
  const owners = ownersOf(title.estates, shares, shown)
  const titledOwners = owners.filter(({ held_as }) => held_as === 'root' || held_as === 'instrument')
  const fractionSum = titledOwners.reduce((sum, { share }) => plus(sum, share), NONE)
  const losing = shares.lost.map(({ deed, claimed, got, to }) => ({
    ...{
      id: deed.id,
      grantee: shown(deed.to),
      claimed: textOf(claimed),
      got: textOf(got),
      lost_to: [...to].slice(0, MAX_IDS).map(({ id }) => id),
    },
    because: reasonOf(deed, [...to], statute),
  }))
  const candidates = nameCandidates(names)
  const openLiens = encumbrances.map(({ lien, binds, why }) => ({
    ...{
      id: lien.id,
      type: lien.type,
      holder: shown(lien.to),
      recorded: lien.recorded,
      binds,
      why,
      before_root: isOld(lien),
    },
  }))

  const defects = findDefects({
    ...{ rules, instruments, conveyances, chain, shares, title, wild, breaks, owners, fractionSum },
    ...{ encumbrances, candidates, isOld, shown, firsts: start.firsts },
    hasRecord: conveyances.length > 0 || start.roots.length > 0,
  })

  return {
    result: {
      verdict: verdictOf(defects, owners.length, shares, rules),
      owners: owners.map(({ share, ...owner }) => ({ ...owner, fraction: textOf(share) })),
      fraction_sum: textOf(fractionSum),
      root: { parties: shown(start.roots), source: start.source, root_of_title: rootDeed?.id ?? null },
      chain: chain.map((deed) => ({
        ...{
          id: deed.id,
          type: deed.type,
          from: shown(deed.from),
          to: shown(deed.to),
          executed: deed.executed,
          recorded: deed.recorded,
        },
        passed: textOf(shares.got.get(deed)!),
      })),
      losing_claims: losing,
      wild_deeds: wild,
      breaks,
      open_liens: openLiens,
      name_candidates: candidates.slice(0, MAX_CANDIDATES),
      defects: defects.slice(0, MAX_DEFECTS),
      ...(defects.length > MAX_DEFECTS ? { truncated_from: defects.length } : {}),
    },
    isShort: rootDeed === undefined && conveyances.length > 0,
    isAssumed: start.source === 'assumed',
    later: written.length - instruments.length,
  }
}

const MAX_DEFECTS = 200
const MAX_CANDIDATES = 100
/** The parties, or the instrument, that the walk begins with. */
function startOf(conveyances: readonly Instrument[], root: string | undefined) {
  const deed = conveyances.find(({ id }) => id === root)
  if (deed !== undefined)
    return { roots: deed.to, walked: laterThan(deed, conveyances), source: 'instrument' as const, firsts: [] }
  if (root !== undefined) return { roots: [partyKey(root)], walked: conveyances, source: 'party' as const, firsts: [] }
  const { roots, rivals } = findRoots(conveyances)
  return { roots, walked: rivals.length > 0 ? [] : conveyances, source: 'assumed' as const, firsts: rivals }
}

/** All but those that were made before, or may have been and lead to it. */
function laterThan(root: Instrument, conveyances: readonly Instrument[]): Instrument[] {
  const line = new Set([root])
  for (const one of line) for (const before of one.after) line.add(before)
  return conveyances.filter((one) => !line.has(one) && order(one, root) >= 0)
}

/** The earliest day that a search of so many years looks at. */
const cutoff = (day: string, years: number): string =>
  `${String(Number(day.slice(0, 4)) - years).padStart(4, '0')}${day.slice(4)}`

/** Found by nobody who searches from the root. */
const isWild = (deed: Instrument, { sources, early }: Title): boolean =>
  !(sources.get(deed) ?? []).some(
    ({ via, isOfRecord }) =>
      isOfRecord && !(early.has(deed) && via !== null && compareTimes(deed.recorded!, via.executed) < 0),
  )

/** Grantors whose title the record does not show, each with the unrecorded instrument that would show it. */
function breaksAt(deed: Instrument, { sources }: Title, carries: boolean) {
  return deed.from.flatMap((from) => {
    const own = (sources.get(deed) ?? []).filter(({ holder }) => holder === from)
    if (own.some(({ isOfRecord }) => isOfRecord)) return []
    const hidden = own.find(({ isReached, via }) => isReached && via?.recorded === null)
    return [{ id: deed.id, from, unrecorded: hidden?.via?.id ?? null, carries_title: carries }]
  })
}

function ownersOf(
  estates: readonly Estate[],
  { left, got }: Shares,
  shown: (keys: readonly string[]) => string[],
): Owner[] {
  const owners = new Map<string, Owner>()
  for (const estate of estates) {
    const { holder, via, out, isOfRecord } = estate
    const share = left.get(estate) ?? NONE
    if (!isSome(share)) continue
    const isParted = out.some((deed) => isSome(got.get(deed) ?? NONE))
    const held_as = !isParted
      ? via === null
        ? 'root'
        : 'instrument'
      : out.some(({ type }) => type === 'probate')
        ? 'estate'
        : 'remainder'
    const known = owners.get(`${holder}\n${held_as}`)
    if (known === undefined)
      owners.set(`${holder}\n${held_as}`, { name: shown([holder])[0]!, held_as, of_record: isOfRecord, share })
    else Object.assign(known, { share: plus(known.share, share), of_record: known.of_record && isOfRecord })
  }
  return [...owners.values()].sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.held_as < b.held_as ? -1 : 1,
  )
}

function reasonOf(deed: Instrument, winners: readonly Instrument[], statute: Statute): string {
  const later = winners.filter((winner) => order(winner, deed) >= 0).map(({ id }) => id)
  if (later.length === 0) {
    if (!deed.isForValue) return 'the grantor had conveyed before, and its grantee paid no value'
    if (statute === 'race') return 'the grantor had conveyed before, and the earlier conveyance was recorded first'
    return 'the grantor had conveyed before, and its grantee had notice or did not record first'
  }
  const how = {
    race: 'was recorded first',
    notice: 'was bought for value without notice',
    race_notice: 'was bought for value without notice and recorded first',
  }
  return `${later.join(', ')}, or a purchase below it, ${how[statute]}`
}

/** The spelling under which a party is shown. */
function namesOf(written: readonly WrittenInstrument[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const name of written.flatMap(({ grantor, grantee }) => [...grantor, ...grantee]).toSorted()) {
    const key = partyKey(name)
    if (!names.has(key)) names.set(key, name)
  }
  return names
}

/** Names that may be one party's, for a person to look at: they are never taken for one. */
function nameCandidates(names: ReadonlyMap<string, string>) {
  const keys = [...names.keys()].toSorted()
  const plain = new Map(
    keys.map((key) => [
      key,
      key
        .replaceAll(/[^\p{L}\p{N} ]/gu, '')
        .replaceAll(/ +/g, ' ')
        .trim(),
    ]),
  )
  const found = keys.flatMap((one, at) =>
    keys.slice(at + 1).flatMap((other) => {
      const [a, b] = [plain.get(one)!, plain.get(other)!]
      const longest = Math.max(a.length, b.length)
      if (longest === 0 || Math.min(a.length, b.length) < LIKE * longest) return []
      const likeness = 1 - distance(a, b) / longest
      return likeness >= LIKE ? [{ names: [names.get(one)!, names.get(other)!], likeness }] : []
    }),
  )
  return found
}
