// What the scorer is trained on, and nothing else: the trained side of the split of the public sets.
import { sha256Hex } from '@orch/core'
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
/** A set of more texts counts as one of so many: no single collection decides what an attack is. */
const MAX_SET = 400

/** Sets that are kept back together when the threshold is chosen: siblings of a set would speak for it. */
const FOLDS: readonly string[][] = [
  'awesome-prompts awesome-prompts-zh chatgpt-shortcut lobe-agents chatgpt-system-prompts wildjailbreak-eval',
  'gpteacher-roleplay gpteacher-roleplay-replies gpteacher-tool gpteacher-code open-assistant-samples self-instruct-seed rulm-seeds jbb-PAIR deepinception pyrit-templates garak-tap',
  'fabric-patterns langgpt promptflow-prompts semantic-kernel-prompts anthropic-cookbook-docs companion-app chat-haruhi ping-pong-bench deepset garak-sysprompt promptfoo-injections cyberseceval-system-prompts cyberseceval-frr cyberseceval-injection',
  'prompt-engineering-guide promptfoo-docs nemo-guardrails-docs llm-guard-docs garak-docs vigil-docs payloads-all-the-things-docs tldr-pages hinglish system-prompt-benchmark jailbreak-llms gptfuzzer garak-autodan',
].map((names) => names.split(' '))

export interface LabelledText {
  set: string
  text: string
  family: string
  isAttack: boolean
  weight: number
  /** Which of the folds holds it back; the sets of no fold go with the last. */
  fold: number
}

export const FOLD_COUNT = FOLDS.length

/** An instruction inside data is an attack only by where it stands: the rules of that origin judge it, not a score. */
const isUsed = ({ kind, set }: MeasuredText): boolean => kind !== 'planted' && set !== 'garak-encoding'
const isAttack = ({ kind }: MeasuredText): boolean => kind === 'jailbreak' || kind === 'injection'

function hardness({ kind, set }: MeasuredText): number {
  if (kind === 'trigger words') return TRIGGER_WORDS_WEIGHT
  return kind === 'harmless' && HARD.has(set) ? HARD_WEIGHT : 1
}

export function trainingTexts(): LabelledText[] {
  const { trained, split } = splitTexts()
  const used = [...new Map(trained.filter(isUsed).map((text) => [text.text, text])).values()]
  const sizes = new Map<string, number>()
  const keyOf = (text: MeasuredText): string => `${text.set} ${isAttack(text)}`
  for (const text of used) sizes.set(keyOf(text), (sizes.get(keyOf(text)) ?? 0) + 1)
  return used.map((text) => {
    const fold = FOLDS.findIndex((names) => names.includes(text.set))
    const share = Math.min(1, MAX_SET / (sizes.get(keyOf(text)) as number))
    return {
      set: text.set,
      text: text.text,
      family: split.familyOf(text.text) as string,
      isAttack: isAttack(text),
      weight: share * hardness(text),
      fold: fold < 0 ? FOLDS.length - 1 : fold,
    }
  })
}

interface TrainingSet {
  name: string
  attacks: number
  others: number
  texts_sha256: string
}

export const describedSets = (texts: readonly LabelledText[]): TrainingSet[] =>
  [...Map.groupBy(texts, ({ set }) => set)]
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
