import { type Operation, operation, type Refused } from '../../operation.ts'
import type { SecurityLoop } from './contract.ts'
import { buildManifest } from './manifest.ts'
import { SecurityLoopManifest } from './schemas.ts'

/** Every refusal says that there is no manifest. */
const notReady = (refusal: Refused): Refused => ({ ...refusal, body: { ...refusal.body, ready: false } })

/** Known vulnerabilities in what this service is built from, and how far each may be taken without a person. */
export const securityLoop = ({ securityLoop: loop }: { securityLoop: SecurityLoop }): Operation[] => [
  operation({
    id: 'securityLoop.manifest',
    group: 'Operations',
    method: 'GET',
    path: '/waqay/security-loop/manifest',
    scope: null,
    summary: 'The states and gates of the security loop, and a run over the own lockfile',
    description:
      'The lockfile of this build is matched with a committed sample of published advisories, by the order of semantic versions. Nothing is fetched or changed, and a gate that nothing was read for never opens.',
    reply: SecurityLoopManifest,
    labels: ['STRUCTURAL-ONLY', 'SAMPLE', 'UNAVAILABLE'],
    errors: ['data_file_invalid'],
    boundary: { refuse: notReady },
    example: {},
    run: async () => buildManifest(await loop.run()),
  }),
]
