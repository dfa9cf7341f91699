// What the scorer is trained on, and nothing else: no text of these is in a set that is reported as held out.
import { sha256Hex } from '@orch/core'
import { benignPrompts, bipiaContexts, jailbreaks, xstest } from '../../bench/guards/corpora.ts'
import { packageReadmes, projectDocuments } from '../../bench/guards/prose.ts'
import { trainedHalf } from '../../bench/guards/split.ts'

interface TrainingSet {
  name: string
  licence: string
  attacks: boolean
  texts: string[]
}

const set = (name: string, licence: string, texts: string[], attacks = false): TrainingSet => ({
  name,
  licence,
  attacks,
  texts,
})

/** Unsafe questions are no attacks on an assistant, and an instruction inside data is one only by where it stands. */
export const trainingSets = (): TrainingSet[] => [
  set('in-the-wild jailbreaks, half by hash', 'Apache-2.0', trainedHalf([...new Set(jailbreaks())]), true),
  set('XSTest safe prompts, half by hash', 'CC-BY-4.0', trainedHalf(xstest('safe'))),
  set('BIPIA train contexts', 'MIT', bipiaContexts(['train'])),
  set('benign prompts of this project, half by hash', 'Apache-2.0', trainedHalf(benignPrompts())),
]

/** Without long prose among them, the other texts would teach that long prose is an attack. */
export const proseSets = (): TrainingSet[] => {
  const readmes = trainedHalf([...new Set(packageReadmes())])
  return [
    set('documents of this project', 'Apache-2.0', projectDocuments()),
    set('readmes of the packages it depends on, half by hash', 'those of the packages', readmes),
  ]
}

export const textsDigest = ({ texts }: TrainingSet): string =>
  sha256Hex(texts.map((text) => sha256Hex(text)).join('\n'))
