/** Opens the surface: registers the job, keeps its newest results, and trains the default set when the machine is idle. */
import { availableParallelism, loadavg } from 'node:os'
import { LRUCache } from 'lru-cache'
import { isoNow } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import type { SaeResult } from './job.ts'
import { DEADLINE_MS, DEFAULTS, MAX_WORK, workOf } from './parameters.ts'
import { type FeaturesPort, type TrainedModel, toReply } from './reply.ts'
import type { SaeParameters } from './schemas.ts'

const MAX_RESULTS = 64
const WARM_LOOK_MS = 60_000
/** Of the machine's cores: above this load nobody's work is delayed for ours. */
const IDLE_LOAD = 0.25

interface Needs extends Pick<Ports, 'clock' | 'background'> {
  compute: Compute
  /** Whether the default set may be trained before anybody asks. */
  warm: boolean
  load?: () => number
}

export function openInterpretability({ compute, clock, background, warm, load = loadPerCore }: Needs): {
  saeFeatures: FeaturesPort
} {
  const job = compute.register<SaeParameters, SaeResult>({
    name: 'interpretability-features',
    module: new URL('./job.ts', import.meta.url),
    function: 'trainAutoencoder',
    deadlineMs: DEADLINE_MS,
    cost: { of: workOf, max: MAX_WORK },
  })
  const results = new LRUCache<string, TrainedModel>({ max: MAX_RESULTS })
  const saeFeatures: FeaturesPort = async ({ seed, d_model, n_features, top_k, batch }, signal) => {
    const parameters = { seed, d_model, n_features, top_k, batch }
    const key = JSON.stringify(parameters)
    const known = results.get(key)
    if (known !== undefined) return toReply(parameters, known, null)
    const { value: result, timing } = await job(parameters, signal === undefined ? {} : { signal })
    // Whoever shares the run shares its time as well.
    const trained = results.get(key) ?? { result, trainedAt: isoNow(clock) }
    results.set(key, trained)
    return toReply(parameters, trained, timing)
  }
  if (warm) background.every('interpretability-warm', WARM_LOOK_MS, () => warmDefault(saeFeatures))
  return { saeFeatures }

  async function warmDefault(train: FeaturesPort): Promise<void> {
    const { running, queued } = compute.stats()
    if (results.has(JSON.stringify(DEFAULTS)) || running + queued > 0 || load() > IDLE_LOAD) return
    await train(DEFAULTS)
  }
}

const loadPerCore = (): number => loadavg()[0]! / availableParallelism()
