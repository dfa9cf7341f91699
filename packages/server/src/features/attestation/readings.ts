/** Everything a chain-of-title statement rests on, read for the request that asks. */
import { type FormulaRun, verifiedKernel } from '../../domain/formulas.ts'
import { energyOf, type MeterAnswer } from './energy.ts'
import { type FileAbsent, type FileDigest, type FileText, provenanceOf } from './provenance.ts'
import { statementOf, type TitleStatement } from './statement.ts'
import { type Anchor, anchorLabel } from './verification.ts'

type TextName = 'formula-registry' | 'm1-training'
type DigestName = 'chain-of-title-policy' | 'm1-corpus' | 'm1-weights'

export interface TitleSources {
  artifacts: {
    text(name: TextName): Promise<FileText | FileAbsent>
    digest(name: DigestName): Promise<FileDigest | FileAbsent>
  }
  formulaRun(): Promise<FormulaRun>
  meters: { configured: number; read(): Promise<MeterAnswer[]> }
  anchoring: { read(signal: AbortSignal): Promise<Anchor> }
  build: { gitSha: { value: string | null; source: string } }
}

export interface Title {
  statement: TitleStatement
  anchor: Anchor
  policy: FileDigest | FileAbsent
}

export async function readTitle(sources: TitleSources, builtAt: string, signal: AbortSignal): Promise<Title> {
  const { artifacts, formulaRun, meters, anchoring, build } = sources
  const [registry, training, corpus, weights, policy, answers, anchor] = await Promise.all([
    artifacts.text('formula-registry'),
    artifacts.text('m1-training'),
    artifacts.digest('m1-corpus'),
    artifacts.digest('m1-weights'),
    artifacts.digest('chain-of-title-policy'),
    meters.read(),
    anchoring.read(signal),
  ])
  const provenance = provenanceOf({
    corpus,
    training,
    weights,
    kernel: verifiedKernel(registry, await formulaRun()),
    build: { commit: build.gitSha.value, source: build.gitSha.source },
  })
  const energy = energyOf(meters.configured, answers)
  return { statement: statementOf({ provenance, energy, label: anchorLabel(anchor), builtAt }), anchor, policy }
}
