import { operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import type { Frontier } from './contract.ts'
import { pageOf, repositoryOf, toInfo, toProjects } from './registry.ts'
import { FrontierInfo, FrontierProjects, FrontierQuery } from './schemas.ts'

const shared = { group: 'Operations', method: 'GET', scope: null, errors: ['data_file_invalid'] } as const

/** Open projects whose ideas were studied, and what of them this service does itself. Nothing here ranks them. */
export const frontier = ({ frontier: port, clock }: Pick<Ports, 'clock'> & { frontier: Frontier }) => [
  operation({
    ...shared,
    id: 'frontier.info',
    path: '/frontier/projects/info',
    summary: 'The fields of the registry of studied projects, counted now, and its policies',
    reply: FrontierInfo,
    labels: ['SAMPLE'],
    example: {},
    async run() {
      const { registry, sha256 } = await port.registry()
      return toInfo(registry, sha256)
    },
  }),
  operation({
    ...shared,
    id: 'frontier.projects',
    path: '/frontier/projects',
    summary: 'The studied projects, the idea of each, and which operation here implements it',
    description:
      'The registry is a committed sample with its date. Metadata of the repositories is asked for only where the operator switched that on; without it every entry is unreachable.',
    query: FrontierQuery,
    narrows: true,
    reply: FrontierProjects,
    labels: ['SAMPLE', 'LIVE', 'ROADMAP', 'MEASURED', 'UNAVAILABLE'],
    example: { query: { field: 'verifiable_orchestration_provenance' } },
    async run({ query, signal }) {
      const { registry, sha256 } = await port.registry()
      const page = pageOf(registry, query)
      const repositories = [...new Set(page.rows.map(repositoryOf))]
      const served = { ids: port.served(), at: isoNow(clock) }
      return toProjects(page, served, await port.metadata(repositories, signal), sha256)
    },
  }),
]
