import { BUILD_VERSION, DOCTRINE, live, measured, readingAsync } from '@orch/core'
import { type Call, operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import { buildConstellation, buildSpine, federatedSpend, type OwnSurface } from './records.ts'
import * as schemas from './schemas.ts'

type Deps = Pick<
  Ports,
  | 'readings'
  | 'governance'
  | 'catalog'
  | 'readiness'
  | 'build'
  | 'signer'
  | 'ledger'
  | 'clock'
  | 'publicOrigin'
  | 'identity'
>

const getDefaults = { group: 'Operations', method: 'GET', scope: null, example: {} } as const

/** The services around this one. Nothing here opens a socket: peers are read in the background. */
export const peers = (deps: Deps) => {
  const { readings, governance, clock, catalog } = deps
  const now = () => isoNow(clock)
  return [
    operation({
      ...getDefaults,
      id: 'neighbours.spine',
      path: '/spine',
      summary: 'The tools that run here, and those of the configured gateway as last read',
      description:
        'The gateway is read every 60 s in the background. One that wants a credential shows that and no tools.',
      reply: schemas.Spine,
      labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE'],
      run: () =>
        buildSpine(
          {
            tool: (name) => governance.tool(name),
            scopes: catalog.find(({ id }) => id === 'agent.loop')?.scopes ?? [],
          },
          readings.spine(),
          now,
        ),
    }),
    operation({
      ...getDefaults,
      id: 'neighbours.constellation',
      path: '/constellation',
      summary: 'This process, checked now, and the surfaces the operator listed, as last read',
      description: 'Others are read every 60 s in the background; what never was is unknown, neither up nor down.',
      reply: schemas.Constellation,
      labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
      async run({ headers }) {
        const own = await readingAsync('readiness of this process', now, () => ownSurface(deps, headers.host))
        return buildConstellation(live(own), readings.constellation())
      },
    }),
    operation({
      ...getDefaults,
      id: 'neighbours.spend',
      path: '/spend/federated',
      summary: 'What the configured spending authority says, and beside it what our own receipts count',
      description: 'The two are never added together. A missing figure is null, never 0.',
      reply: schemas.FederatedSpend,
      labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE'],
      async run({ caller }) {
        const count = () => deps.ledger.queries.localSpend(caller)
        return federatedSpend(readings.spend(), measured(await readingAsync('receipts of this ledger', now, count)))
      },
    }),
  ]
}

async function ownSurface(
  { readiness, build, signer, clock, publicOrigin, identity }: Deps,
  host: Call['headers'][string],
): Promise<OwnSurface> {
  const begun = clock.monotonic()
  const { ready } = await readiness.report()
  return {
    url: publicOrigin(typeof host === 'string' ? host : undefined) ?? identity.canonical().value,
    ready,
    latencyMs: Math.round((clock.monotonic() - begun) * 1000) / 1000,
    report: {
      version: BUILD_VERSION,
      commit: build.gitSha.value,
      doctrine: DOCTRINE,
      service: 'orch',
      signer: signer().status,
    },
  }
}
