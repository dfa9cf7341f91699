// The public sets, read in place. None of them is copied here. The words of the rules were chosen with all of them open.
import { readFileSync } from 'node:fs'
import { CORPORA } from './shared-corpora.ts'

const text = (path: string): string => readFileSync(new URL(path, CORPORA), 'utf8')
const json = (path: string) => JSON.parse(text(path))
const lines = (path: string): Record<string, unknown>[] =>
  text(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const jailbreaks = (): string[] => json('injection/inthewild_jailbreak_llms.json')

export function xstest(label: 'safe' | 'unsafe'): string[] {
  const [header = [], ...rows] = csv(text('injection/xstest_prompts.csv'))
  const [prompt, kind] = [header.indexOf('prompt'), header.indexOf('label')]
  return rows.filter((row) => row[kind] === label).map((row) => row[prompt] as string)
}

type BipiaSplit = 'train' | 'test'
const BOTH: readonly BipiaSplit[] = ['train', 'test']

export function bipiaContexts(splits = BOTH): string[] {
  const files = ['email/train', 'email/test', 'table/test', 'code/train', 'code/test']
  return files
    .filter((file) => splits.some((split) => file.endsWith(split)))
    .flatMap((file) => lines(`injection/bipia/${file}.jsonl`).map(({ context }) => joined(context)))
}

const joined = (context: unknown): string => (Array.isArray(context) ? context.join('\n') : String(context))

export function bipiaAttacks(kind: 'text' | 'code', splits = BOTH): string[] {
  return splits.flatMap((split) => Object.values<string[]>(json(`injection/bipia/${kind}_attack_${split}.json`)).flat())
}

/** Written for this project: ordinary instructions, personas and notices that speak to their reader. */
export const benignPrompts = (): string[] =>
  readFileSync(new URL('benign-prompts.txt', import.meta.url), 'utf8')
    .split('\n---\n')
    .map((prompt) => prompt.trim())

/** Written for this project: harmless sentences that hold the words attacks are made of. */
export const triggerWordTexts = (): string[] =>
  readFileSync(new URL('trigger-words.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')

export interface WrittenText {
  /** By what it is about; data by who wrote it. */
  set: string
  label: 0 | 1
  text: string
}

/** Written for this project in eight languages, to train the scorer and nothing else: attacks, and honest texts made of the
 *  same words. */
export const writtenTexts = (): WrittenText[] =>
  readFileSync(new URL('written-texts.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

export interface Labelled {
  text: string
  spans: { entity: string; start: number; end: number }[]
}

/** Offsets of the set count UTF-16 units or code points alike: it has no astral characters in its labelled texts. */
export function labelledTexts(): Labelled[] {
  interface Row {
    full_text: string
    spans: { entity_type: string; start_position: number; end_position: number }[]
  }
  return json('pii/synth_dataset_v2.json').map(({ full_text, spans }: Row) => ({
    text: full_text,
    spans: spans.map((span) => ({ entity: span.entity_type, start: span.start_position, end: span.end_position })),
  }))
}

/** Quoted fields with doubled quotation marks; enough for this one file. */
function csv(source: string): string[][] {
  const rows: string[][] = [[]]
  let field = ''
  let quoted = false
  for (let at = 0; at < source.length; at++) {
    const letter = source[at] as string
    if (quoted && letter === '"' && source[at + 1] === '"') field += source[++at]
    else if (letter === '"') quoted = !quoted
    else if (!quoted && (letter === ',' || letter === '\n')) {
      rows.at(-1)?.push(field.replace(/\r$/, ''))
      field = ''
      if (letter === '\n') rows.push([])
    } else field += letter
  }
  return rows.filter((row) => row.length > 1)
}
