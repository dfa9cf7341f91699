// What the threat gate stops of texts that were never trained or tuned on: by kind, set, length, language, origin and
// evasion.
import { sha256Hex } from '@orch/core'
import { EVASIONS } from './evasions.ts'
import { languageOf } from './language.ts'
import { type Outcome, outcomeOf } from './pipeline.ts'
import { KINDS, type Kind, type MeasuredText, splitTexts } from './threat-sets.ts'
import { type Proportion, wilson } from './wilson.ts'

interface MeasuredOutcome extends MeasuredText, Outcome {
  language: string
}

export interface ThreatResult {
  by: 'kind' | 'length' | 'language' | 'origin' | 'set'
  kind: Kind
  name: string
  /** Denied or reviewed by the whole pipeline, by the threat gate, and by its rules without the learned scorer. */
  stopped: Proportion
  /** Of all of them, not of those that were stopped: the rest of those wait for a person. */
  denied: Proportion
  threat_gate: Proportion
  threat_rules: Proportion
}

export interface EvasionResult {
  transform: string
  /** Of the attacks that the rules stop in plain text. */
  still_stopped: Proportion
}

export interface ThreatResults {
  results: ThreatResult[]
  evasions: EvasionResult[]
  /** Of what the threat gate stops among all that was measured, how much is an attack. */
  precision: Proportion
}

export const LONG = 300
const EVADED = 150
const MAX_EVADED_LENGTH = 1500

export function measureThreats(): ThreatResults {
  const outcomes = splitTexts().measured.map((text) => ({
    ...text,
    ...outcomeOf(text.text, text.origin),
    language: languageOf(text.text),
  }))
  const stopped = outcomes.filter(({ threat }) => threat)
  return {
    results: [
      ...grouped('kind', outcomes, () => 'all'),
      ...grouped('length', outcomes, ({ text }) => (text.length < LONG ? `under ${LONG}` : `${LONG} and more`)),
      ...grouped('language', outcomes, ({ language }) => language),
      ...grouped('origin', outcomes, ({ origin }) => origin),
      ...grouped('set', outcomes, ({ set }) => set),
    ],
    evasions: measureEvasions(outcomes),
    precision: wilson(stopped.filter(isAttack).length, stopped.length),
  }
}

const isAttack = ({ kind }: MeasuredText): boolean => kind === 'jailbreak' || kind === 'injection' || kind === 'planted'

function grouped(
  by: ThreatResult['by'],
  outcomes: readonly MeasuredOutcome[],
  nameOf: (outcome: MeasuredOutcome) => string,
): ThreatResult[] {
  return KINDS.flatMap((kind) =>
    [
      ...Map.groupBy(
        outcomes.filter((outcome) => outcome.kind === kind),
        nameOf,
      ),
    ]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, own]) => {
        const share = (of: keyof Outcome) => wilson(own.filter((outcome) => outcome[of]).length, own.length)
        return {
          by,
          kind,
          name,
          stopped: share('stopped'),
          denied: share('denied'),
          threat_gate: share('threat'),
          threat_rules: share('threatByRules'),
        }
      }),
  )
}

/** English attacks that rules stop, in an order that their digests give; ASCII, for some transforms know nothing else. */
function measureEvasions(outcomes: readonly MeasuredOutcome[]): EvasionResult[] {
  const caught = outcomes
    .filter((outcome) => isAttack(outcome) && outcome.threatByRules && outcome.text.length <= MAX_EVADED_LENGTH)
    .filter(({ text }) => !/[^\n\r\t -~]/.test(text))
    .map((outcome) => ({ ...outcome, digest: sha256Hex(outcome.text) }))
    .sort((one, other) => (one.digest < other.digest ? -1 : 1))
    .slice(0, EVADED)
  return EVASIONS.map(({ name, apply }) => ({
    transform: name,
    still_stopped: wilson(
      caught.filter(({ text, origin }) => outcomeOf(apply(text), origin).threat).length,
      caught.length,
    ),
  }))
}
