// What the scorer is trained on, and nothing else: the trained side of the split of the public sets, and texts written for it.
import { sha256Hex } from '@orch/core'
import { type WrittenText, writtenTexts } from '../../bench/guards/corpora.ts'
import { type MeasuredText, splitTexts } from '../../bench/guards/threat-sets.ts'

/** Personas, stories, system prompts, prompt templates and writing about attacks: what a scorer mistakes for attacks. */
const HARD = new Set(
  [
    'anthropic-cookbook-docs awesome-prompts awesome-prompts-zh chat-haruhi chatgpt-shortcut chatgpt-system-prompts',
    'companion-app cyberseceval-system-prompts fabric-patterns garak-docs gpteacher-roleplay',
    'gpteacher-roleplay-replies langgpt llm-guard-docs lobe-agents nemo-guardrails-docs ping-pong-bench',
    'prompt-engineering-guide promptflow-prompts promptfoo-docs semantic-kernel-prompts system-prompt-benchmark',
    'vigil-docs',
  ].flatMap((names) => names.split(' ')),
)
const HARD_WEIGHT = 2
/** Sentences that hold the very words attacks are made of. */
const TRIGGER_WORDS_WEIGHT = 4
/** Of few texts, and each an idea of its own. */
const OWN_WEIGHTS = { speech: 2, data: 4 }
/** A set of more texts counts as one of so many: no single collection decides what an attack is. */
const MAX_SET = 400

/** Sets that are kept back together when the threshold is chosen: siblings of a set would speak for it. */
const FOLDS: readonly string[][] = [
  'own-mails own-tools awesome-prompts awesome-prompts-zh chatgpt-shortcut lobe-agents chatgpt-system-prompts wildjailbreak-eval',
  'own-interfaces own-web gpteacher-roleplay gpteacher-roleplay-replies gpteacher-tool gpteacher-code open-assistant-samples self-instruct-seed rulm-seeds jbb-PAIR deepinception pyrit-templates garak-tap',
  'own-languages own-documents own-prose bipia-email fabric-patterns langgpt promptflow-prompts semantic-kernel-prompts anthropic-cookbook-docs companion-app chat-haruhi ping-pong-bench deepset garak-sysprompt promptfoo-injections cyberseceval-system-prompts cyberseceval-frr cyberseceval-injection',
  'prompt-engineering-guide promptfoo-docs nemo-guardrails-docs llm-guard-docs garak-docs vigil-docs payloads-all-the-things-docs tldr-pages hinglish system-prompt-benchmark jailbreak-llms gptfuzzer garak-autodan',
].map((names) => names.split(' '))

export interface LabelledText {
  set: string
  text: string
  family: string
  isAttack: boolean
  /** Whether it is what somebody says, or data that is read. */
  use: 'speech' | 'data'
  /** Whether its n-grams may own slots. */
  isRead: boolean
  weight: number
  /** Which of the folds holds it back; the sets of no fold go with the last. */
  fold: number
}

export const FOLD_COUNT = FOLDS.length

const isUsed = ({ set }: MeasuredText): boolean => set !== 'garak-encoding'
const isAttack = ({ kind }: MeasuredText): boolean => kind === 'jailbreak' || kind === 'injection'
const isData = ({ kind }: MeasuredText): boolean => kind === 'planted' || kind === 'clean data'
/** Documents, stories and answers, which an agent may read as well as somebody may send them. */
const isDocument = ({ set }: { set: string }): boolean => set.endsWith('-docs') || DOCUMENTS.includes(set)
const DOCUMENTS = [
  ...['prompt-engineering-guide', 'tldr-pages'],
  ...['gpteacher-roleplay-replies', 'gpteacher-code', 'open-assistant-samples'],
]

function hardness({ kind, set }: MeasuredText): number {
  if (kind === 'trigger words') return TRIGGER_WORDS_WEIGHT
  return kind === 'harmless' && HARD.has(set) ? HARD_WEIGHT : 1
}

const foldOf = (set: string): number => {
  const fold = FOLDS.findIndex((names) => names.includes(set))
  return fold < 0 ? FOLDS.length - 1 : fold
}

const foldOfFamily = (family: string): number => Number.parseInt(family.slice(0, 8), 16) % FOLDS.length

export function trainingTexts(): LabelledText[] {
  const { trained, split } = splitTexts()
  const used = [...new Map(trained.filter(isUsed).map((text) => [text.text, text])).values()]
  const sizes = new Map<string, number>()
  const keyOf = (text: MeasuredText): string => `${text.set} ${isAttack(text)}`
  for (const text of used) sizes.set(keyOf(text), (sizes.get(keyOf(text)) ?? 0) + 1)
  const published = used
    .filter((text) => !isData(text))
    .map((text): LabelledText => {
      const share = Math.min(1, MAX_SET / (sizes.get(keyOf(text)) as number))
      return {
        set: text.set,
        text: text.text,
        family: split.familyOf(text.text) as string,
        isAttack: isAttack(text),
        use: 'speech',
        isRead: true,
        weight: share * hardness(text),
        fold: foldOf(text.set),
      }
    })
  // Of the public orders in data there are a few in many mails, so the model would learn those few; documents are many, and
  // would own most slots.
  const clean = used
    .filter((text) => text.kind === 'clean data' || isDocument(text))
    .map(({ set, text, kind }): LabelledText => {
      const isRead = kind === 'clean data'
      const family = split.familyOf(text) as string
      const weight = isRead ? OWN_WEIGHTS.data : 1
      return { set, text, family, isAttack: false, use: 'data', isRead, weight, fold: foldOfFamily(family) }
    })
  return [...published, ...clean, ...writtenTexts().map(ownText)]
}

function ownText({ set, label, text }: WrittenText): LabelledText {
  const family = sha256Hex(text)
  // Data is a set for each of its writers; of what people say each writer wrote several.
  const own = FOLDS.findIndex((names) => names.includes(set))
  const fold = own < 0 ? foldOfFamily(family) : own
  const use = own < 0 ? 'speech' : 'data'
  return { set, text, family, isAttack: label === 1, use, isRead: true, weight: OWN_WEIGHTS[use], fold }
}

interface TrainingSet {
  name: string
  attacks: number
  others: number
  texts_sha256: string
}

export const describedSets = (texts: readonly LabelledText[]): TrainingSet[] =>
  [...Map.groupBy(new Map(texts.map((text) => [text.text, text])).values(), ({ set }) => set)]
    .map(([name, own]) => ({
      name,
      attacks: own.filter(({ isAttack }) => isAttack).length,
      others: own.filter(({ isAttack }) => !isAttack).length,
      texts_sha256: sha256Hex(
        own
          .map(({ text }) => sha256Hex(text))
          .sort()
          .join('\n'),
      ),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
