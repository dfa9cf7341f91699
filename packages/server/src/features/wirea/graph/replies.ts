import Type, { type Static } from 'typebox'
import { Plot } from '../../../domain/plot.ts'
import { Count, closed, Nullable, named, Text, Texts, Timestamp, words } from '../../../domain/wire.ts'
import { Flag, Maybe, Num, Pair, Timing, Word } from '../reply-parts.ts'

const Ranked = Type.Array(closed({ node: Word, value: Num }))
const NamePair = Type.Array(Word, { minItems: 2, maxItems: 2 })
const measured = {
  n_nodes: Count,
  n_edges: Count,
  n_directed_edges: Count,
  density: Num,
  avg_clustering: Num,
  transitivity: Num,
  components: Count,
  component_sizes: Type.Array(Count),
  algebraic_connectivity: Maybe,
  normalised_lambda2: Maybe,
  zero_multiplicity: Nullable(Count),
  fiedler_partition: Nullable(closed({ positive: Texts, negative: Texts, multiplicity: Count, unique: Flag })),
  spectral_radius: Maybe,
  spectral_reason: Text,
  diameter: Nullable(Count),
  articulation_points: Texts,
  bridges: Type.Array(NamePair),
  k_core: closed({ degeneracy: Count, members: Texts }),
  assortativity: Maybe,
  dag: closed({ is_dag: Flag, back_edges: Type.Array(NamePair), topological_order: Texts }),
  sccs: closed({ components: Count, nontrivial: Type.Array(Texts) }),
  centrality: closed({ degree: Ranked, betweenness: Ranked, closeness: Ranked, pagerank: Ranked }),
  layout_seed: Count,
}
const GraphMeasures = closed({
  ...measured,
  layout: closed({ positions: Type.Array(Pair), edges: Type.Array(Pair) }),
})
export type GraphMeasures = Static<typeof GraphMeasures>
export const GraphReply = named('WireaGraphMetrics', {
  graph: Word,
  label: words(['MEASURED', 'SAMPLE']),
  source: Word,
  read_at: Nullable(Timestamp),
  empty: Flag,
  links_left_out: Type.Union([Count, Type.Null()], {
    description: 'of the graph chain: links to receipts that are older or not the caller’s own',
  }),
  ...measured,
  nodes: Texts,
  cache: words(['hit', 'miss']),
  timing: Timing,
  plot: Plot,
})
