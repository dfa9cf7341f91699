/** The part of the composition root that puts together what this process knows of its own origin. */
import type { AddressInfo } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../ports.ts'
import type { Identity } from './contract.ts'
import { gatherIdentity } from './io/facts-files.ts'

export const openIdentity = (config: Config, clock: Clock, bound: () => AddressInfo | string | null): Identity =>
  gatherIdentity({ ...config, outbound: outboundOf(config) }, clock, () => {
    const at = bound()
    return typeof at === 'string' ? null : at
  })

/** Names alone: an address may carry what its owner does not want shown. */
const outboundOf = (config: Config): Identity['outbound'] => ({
  enabled: config.outbound,
  configured: Object.entries({
    repository: config.repo !== null,
    'hosted-space': config.space !== null,
    'public-probe': config.publicProbeUrl !== null,
    'evidence-links': config.evidenceProbe,
    'project-metadata': config.frontierMetadata,
    spine: config.spineUrl !== null,
    constellation: config.constellationFile !== null,
    spend: config.spendUrl !== null,
    'energy-meters': (config.energyMeters ?? []).length > 0,
    'transparency-log': config.rekorUrl !== null,
    'model-targets': config.targets.length > 0,
    'review-webhook': config.reviewWebhook !== null,
    'telemetry-collector': config.otlpEndpoint !== null,
    'signing-service': config.signerUrl !== null,
  })
    .filter(([, isSet]) => isSet)
    .map(([name]) => name),
  overridden: Object.keys(config.sources).sort(),
})
