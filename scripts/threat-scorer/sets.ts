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

/** Unsafe questions are no attacks on an assistant, and an instruction inside data is one only by where it stands. */
export const trainingSets = (): TrainingSet[] => [
  {
    name: 'in-the-wild jailbreaks, half by hash',
    licence: 'Apache-2.0',
    attacks: true,
    texts: trainedHalf([...new Set(jailbreaks())]),
  },
  {
    name: 'XSTest safe prompts, half by hash',
    licence: 'CC-BY-4.0',
    attacks: false,
    texts: trainedHalf(xstest('safe')),
  },
  { name: 'BIPIA train contexts', licence: 'MIT', attacks: false, texts: bipiaContexts(['train']) },
  {
    name: 'benign prompts of this project, half by hash',
    licence: 'Apache-2.0',
    attacks: false,
    texts: trainedHalf(benignPrompts()),
  },
]

/** Without long prose among them, the other texts would teach that long prose is an attack. */
export const proseSets = (): TrainingSet[] => [
  { name: 'documents of this project', licence: 'Apache-2.0', attacks: false, texts: projectDocuments() },
  {
    name: 'readmes of the packages it depends on, half by hash',
    licence: 'those of the packages',
    attacks: false,
    texts: trainedHalf([...new Set(packageReadmes())]),
  },
]

export const textsDigest = ({ texts }: TrainingSet): string =>
  sha256Hex(texts.map((text) => sha256Hex(text)).join('\n'))
