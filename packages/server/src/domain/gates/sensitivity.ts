/** How sensitive a text is: at least what the caller declares, more where the text shows it. */
import type { Sensitivity } from '../decision/wire.ts'
import { spanOf } from '../text/mapped-text.ts'
import type { View } from '../text/normalise.ts'
import { isInsideWord, places, runEnd, runStart, startsWord } from './detectors/scanner.ts'
import { isSecretRule, type SensitivityClass } from './finding.ts'
import type { Judged } from './judge.ts'
import type { Piece } from './scan.ts'

interface Signal {
  rule: 'S-MARK' | 'S-CRED' | 'S-INT' | 'S-PID' | 'S-TOPIC'
  class: SensitivityClass
  span: { start: number; end: number }
  path: string[]
}

export const CLASSES: readonly SensitivityClass[] = ['PUBLIC', 'INTERNAL', 'RESTRICTED', 'SECRET']
export const rankOf = (name: SensitivityClass): number => CLASSES.indexOf(name)
const classOf = (rank: number): SensitivityClass => CLASSES[rank] ?? 'SECRET'
const MAX_SIGNALS = 16

export function sensitivityOf(
  pieces: readonly Piece[],
  hits: readonly Judged[],
  declared: SensitivityClass,
): Sensitivity {
  const signals = [...pieces.flatMap(textSignals), ...hits.flatMap(valueSignals)]
  const inferred = Math.max(0, ...signals.map((signal) => rankOf(signal.class)))
  const rank = Math.max(inferred, rankOf(declared))
  return { class: classOf(rank), rank, inferred: classOf(inferred), declared, signals: signals.slice(0, MAX_SIGNALS) }
}

function valueSignals({ rule, severity, start, end, path }: Judged): Signal[] {
  if (severity !== 'block' || rule.gate !== 'pii-egress-guard') return []
  if (isSecretRule(rule.id)) return [{ rule: 'S-CRED', class: 'SECRET', span: { start, end }, path }]
  return rule.id === 'P09' ? [] : [{ rule: 'S-PID', class: 'RESTRICTED', span: { start, end }, path }]
}

function textSignals({ normalised }: Piece): Signal[] {
  return normalised.views
    .filter(({ name, skeleton }) => (name === 'folded' || name === 'decoded') && !skeleton)
    .flatMap((view) => [...markings(view), ...phrases(view), ...topics(view)])
}

export const BANNERS = ['SECRET', 'S', 'TS', 'CONFIDENTIAL']

/** Capitals, then `//`, then capitals: the form of a banner, which the word alone does not have. */
function markings({ plain, path }: View): Signal[] {
  return [...places(plain.text, '//')].flatMap((at): Signal[] => {
    const from = capitalsStart(plain.text, at)
    const to = runEnd(plain.text, at + 2, isCapital, 24)
    const banner = BANNERS.includes(plain.text.slice(from, at)) && to > at + 2 && !startsWord(plain.text, to)
    return banner ? [{ rule: 'S-MARK', class: 'SECRET', span: spanOf(plain, from, to), path }] : []
  })
}

const isCapital = (code: number): boolean => code >= 65 && code <= 90

function capitalsStart(text: string, at: number): number {
  const from = runStart(text, at, isCapital, 16)
  return isInsideWord(text, from) ? at : from
}

export const INTERNAL = ['internal only', 'internal use only', 'company confidential', 'do not distribute', 'under nda']

function phrases({ mapped, path }: View): Signal[] {
  return INTERNAL.flatMap((phrase) =>
    wordPlaces(mapped.text, phrase).map(
      (from): Signal => ({ rule: 'S-INT', class: 'INTERNAL', span: spanOf(mapped, from, from + phrase.length), path }),
    ),
  )
}

export const FAMILIES: readonly (readonly string[])[] = [
  ['medical record', 'medical records', 'patient record', 'patient records'],
  ['targeting', 'target coordinates', 'troop position', 'troop positions', 'troop movement', 'troop movements'],
  ['rules of engagement'],
  ['sealed case', 'sealed cases', 'sealed indictment', 'case under seal'],
]
export const NEAR = 200

/** One subject is conversation; two of them together are an operation or a file. */
function topics({ mapped, path }: View): Signal[] {
  const seen = FAMILIES.flatMap((family, index) =>
    family.flatMap((phrase) =>
      wordPlaces(mapped.text, phrase).map((from) => ({ index, from, to: from + phrase.length })),
    ),
  ).sort((a, b) => a.from - b.from)
  const at = seen.findIndex((one, i) => {
    const next = seen[i + 1]
    return next !== undefined && next.index !== one.index && next.from - one.to <= NEAR
  })
  const [one, other] = seen.slice(at, at + 2)
  if (at < 0 || !one || !other) return []
  return [{ rule: 'S-TOPIC', class: 'RESTRICTED', span: spanOf(mapped, one.from, other.to), path }]
}

function wordPlaces(text: string, phrase: string): readonly number[] {
  const found = places(text, phrase)
  if (found.length === 0) return found
  return found.filter((from) => !isInsideWord(text, from) && !startsWord(text, from + phrase.length)).slice(0, 64)
}
