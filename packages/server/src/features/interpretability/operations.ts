import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { InputError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { DEFAULTS, parameterFaults } from './parameters.ts'
import type { FeaturesPort } from './reply.ts'
import { FeaturesQuery, FeaturesReply } from './schemas.ts'

/** What a sparse autoencoder finds in data whose true features are known. */
export const interpretability = ({ saeFeatures }: { saeFeatures: FeaturesPort }) => [
  operation({
    id: 'interpretability.features',
    group: 'Research',
    method: 'GET',
    path: '/interpretability/features',
    scope: 'analysis:run',
    summary: 'Train a TopK sparse autoencoder on seeded synthetic data and measure what it recovers of the truth',
    description:
      'The training runs in a worker thread, a second or two at the defaults; the newest 64 results are kept. The same parameters give the same result. Every figure is measured on rows that were not trained on, beside the same figures of the untrained model.',
    query: FeaturesQuery,
    reply: FeaturesReply,
    labels: ['SIMULATED'],
    errors: ['compute_busy', 'compute_timeout'],
    example: { query: DEFAULTS },
    async run({ query, signal }) {
      const faults = parameterFaults(query)
      if (faults.length > 0) throw new InputError(faults)
      return saeFeatures(query, signal).catch((error: unknown) => {
        throw toComputeRefusal(error, 'query')
      })
    },
  }),
]
