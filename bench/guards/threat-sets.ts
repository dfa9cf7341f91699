// Every text that is measured, with what it is and where it stands. Rows of the training texts fall to both sides of the
// split; the sets of the injection folder are measured on the side that was never trained on too.
import type { Origin } from '../../packages/server/src/domain/gates/finding.ts'
import { benignPrompts, bipiaAttacks, bipiaContexts, jailbreaks, triggerWordTexts, xstest } from './corpora.ts'
import { packageReadmes } from './prose.ts'
import { type Split, splitOf } from './split.ts'
import { trainingRows } from './training-texts.ts'

export const KINDS = ['jailbreak', 'injection', 'planted', 'harmless', 'trigger words', 'clean data'] as const
export type Kind = (typeof KINDS)[number]

export interface MeasuredText {
  set: string
  licence: string
  kind: Kind
  origin: Origin
  text: string
}

/** An instruction to the assistant that came as a question or order of its own; every other attack source is a jailbreak. */
const INJECTIONS = [
  'deepset',
  'system-prompt-benchmark',
  'cyberseceval-injection',
  'hinglish',
  'garak-sysprompt',
  'garak-encoding',
  'promptfoo-injections',
]
/** Instructions inside data: mails, pages and documents that a tool returned or a search found. */
const DATA = ['bipia-email', 'garak-latentinjection', 'greshake-llm-security']

export const isPlantedSource = (source: string): boolean => DATA.includes(source)

export function allTexts(): MeasuredText[] {
  const rows = trainingRows().map(({ source, licence, isAttack, text }): MeasuredText => {
    const inData = DATA.includes(source)
    const attack = inData ? 'planted' : INJECTIONS.includes(source) ? 'injection' : 'jailbreak'
    const kind = isAttack ? attack : inData ? 'clean data' : 'harmless'
    return { set: source, licence, kind, origin: inData ? 'tool' : 'user', text }
  })
  return [...rows, ...injectionFolder()]
}

const set = (set: string, licence: string, kind: Kind, origin: Origin, texts: readonly string[]): MeasuredText[] =>
  [...new Set(texts)].map((text) => ({ set, licence, kind, origin, text }))

/** They change with the packages that are installed, so nothing is ever trained on them. */
const readmes = (): MeasuredText[] =>
  set('readmes of packages', 'those of the packages', 'clean data', 'retrieved', packageReadmes())

function injectionFolder(): MeasuredText[] {
  const contexts = bipiaContexts()
  const planted = bipiaAttacks('text').map((attack, at) => `${contexts[(at * 7) % contexts.length]}\n\n${attack}`)
  return [
    ...set('in-the-wild jailbreaks', 'Apache-2.0', 'jailbreak', 'user', jailbreaks()),
    ...set('BIPIA text attacks in context', 'MIT', 'planted', 'retrieved', planted),
    ...set('BIPIA contexts', 'MIT', 'clean data', 'retrieved', contexts),
    ...set('XSTest safe prompts', 'CC-BY-4.0', 'trigger words', 'user', xstest('safe')),
    ...set('own trigger-word texts', 'Apache-2.0', 'trigger words', 'user', triggerWordTexts()),
    ...set('own benign prompts', 'Apache-2.0', 'trigger words', 'user', benignPrompts()),
  ]
}

export interface SplitTexts {
  trained: MeasuredText[]
  measured: MeasuredText[]
  split: Split
}

let known: SplitTexts | undefined

export function splitTexts(): SplitTexts {
  if (known !== undefined) return known
  const texts = allTexts()
  const split = splitOf(texts.map(({ text }) => text))
  known = {
    split,
    trained: texts.filter(({ text }) => split.isTrained(text)),
    measured: [...texts.filter(({ text }) => !split.isTrained(text)), ...readmes()],
  }
  return known
}
