import { BUILD_VERSION, DOCTRINE, live, measured, readingAsync } from '@orch/core'
import { type Call, untypedOperation as operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { constellationOf, type OwnSurface } from './constellation.ts'
import * as schemas from './schemas.ts'
import { federatedSpend } from './spend.ts'
import { spineOf } from './spine.ts'

type Deps = Pick<
  Ports,
  | 'readings'
  | 'governance'
  | 'openApi'
  | 'readiness'
  | 'build'
  | 'signer'
  | 'ledger'
  | 'clock'
  | 'publicOrigin'
  | 'identity'
>

const reading = { group: 'Operations', method: 'GET', scope: null, example: {} } as const

/** What stands beside this service. Nothing here opens a socket: neighbours are read in the background. */
export const neighbours = (deps: Deps) => {
  const { readings, governance, clock } = deps
  const now = () => new Date(clock.now()).toISOString()
  return [
    operation({
      ...reading,
      id: 'neighbours.spine',
      path: '/spine',
      summary: 'The tools that run here, and those of the configured gateway as last read',
      description:
        'The gateway is read every 60 s in the background. One that wants a credential shows that and no tools.',
      reply: schemas.Spine,
      labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE'],
      run: () =>
        spineOf(
          { tool: (name) => governance.tool(name), scopes: scopesOf(deps.openApi(), 'agent.loop') },
          readings.spine(),
          now,
        ),
    }),
    operation({
      ...reading,
      id: 'neighbours.constellation',
      path: '/constellation',
      summary: 'This process, checked now, and the surfaces the operator listed, as last read',
      description: 'Others are read every 60 s in the background; what never was is unknown, neither up nor down.',
      reply: schemas.Constellation,
      labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
      async run({ headers }) {
        const own = await readingAsync('readiness of this process', now, () => ownSurface(deps, headers.host))
        return constellationOf(live(own), readings.constellation())
      },
    }),
    operation({
      ...reading,
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

type Described = Record<string, { operationId?: string; 'x-orch-scopes'?: readonly string[] }>

/** What a credential must hold for an operation, as the description of what is mounted says it. */
function scopesOf(description: object, id: string): readonly string[] {
  const { paths = {} } = description as { paths?: Record<string, Described> }
  const found = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === id)
  return found?.['x-orch-scopes'] ?? []
}
