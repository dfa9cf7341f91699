/** Everything a chain-of-title statement rests on, read for the request that asks. */
import { type FormulaRun, verifiedKernel } from '../../domain/formulas.ts'
import type { Anchoring, ArtifactAbsent, ArtifactDigest, EnergyMeters, Ports } from '../../ports.ts'
import { discloseEnergy } from './energy.ts'
import { discloseProvenance } from './provenance.ts'
import { buildStatement, type TitleStatement } from './statement.ts'
import { type Anchor, anchorLabel } from './verification.ts'

export type TitleSources = Pick<Ports, 'artifacts' | 'build'> & {
  formulaRun: () => Promise<FormulaRun>
  meters: EnergyMeters
  anchoring: Anchoring
}

interface Title {
  statement: TitleStatement
  anchor: Anchor
  policy: ArtifactDigest | ArtifactAbsent
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
  const provenance = discloseProvenance({
    corpus,
    training,
    weights,
    kernel: verifiedKernel(registry, await formulaRun()),
    build: { commit: build.gitSha.value, source: build.gitSha.source },
  })
  const energy = discloseEnergy(meters.configured, answers)
  return { statement: buildStatement({ provenance, energy, label: anchorLabel(anchor), builtAt }), anchor, policy }
}
