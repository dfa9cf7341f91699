import { formAccepted } from '../../domain/accept.ts'
import { entityTag, isCachedBy } from '../../domain/entity-tag.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { pageLinks } from '../../domain/page/links.ts'
import { operation, Reply } from '../../operation.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { Pages, Ports } from '../../ports.ts'
import { operatorPage } from './page.ts'
import * as schemas from './schemas.ts'
import { readTopology, type TopologyPorts } from './topology.ts'

type Deps = TopologyPorts & Pick<Ports, 'build'> & { pages: Pages }

const getDefaults = { group: 'Operations', method: 'GET', root: true, scope: null, example: {} } as const
/** The paths of this feature are written here and nowhere else. */
const PLACES = {
  page: '/operator-organ',
  script: '/operator-organ/app.js',
  topology: '/operator-organ/topology.json',
}
const HTML = 'text/html'
const SCRIPT = 'text/javascript'
const JSON_TYPE = 'application/json'
const VARIES = { vary: 'Accept' }

/** What the service is made of and how each part does, tried for the request that asks. */
export const operator = (deps: Deps) => {
  const { pages, build, catalog } = deps
  const topology = sharedRun(deps)
  return [
    operation({
      ...getDefaults,
      id: 'operator.page',
      path: PLACES.page,
      exempt: true,
      summary: 'The parts of this service and how each of them does, as a page',
      description: 'The page, or its facts as JSON where the request asks for that.',
      reply: schemas.PageReply,
      produces: HTML,
      labels: ['MEASURED'],
      async run({ headers }) {
        const found = await topology()
        if (formAccepted(headers.accept, [HTML, JSON_TYPE]) === JSON_TYPE) return new Reply(found, { headers: VARIES })
        const html = operatorPage(found, PLACES, pageLinks(catalog), build.gitSha.value)
        return new Reply(html, { type: `${HTML}; charset=utf-8`, headers: { ...pageHeaders(PAGE_POLICY), ...VARIES } })
      },
    }),
    operation({
      ...getDefaults,
      id: 'operator.script',
      path: PLACES.script,
      exempt: true,
      summary: 'The script of the operator page',
      description: 'Its SHA-256 is the ETag. As JSON, where the request asks for that, with its digest beside it.',
      reply: schemas.ScriptReply,
      labels: ['STRUCTURAL-ONLY'],
      produces: SCRIPT,
      run({ headers }) {
        const { text, sha256 } = pages.operator
        if (formAccepted(headers.accept, [SCRIPT, JSON_TYPE]) === JSON_TYPE)
          return new Reply(scriptRecord(text, sha256), { headers: VARIES })
        const etag = entityTag(sha256)
        const isCached = isCachedBy(headers['if-none-match'], etag)
        const sent = { etag, 'cache-control': 'public, max-age=3600', ...VARIES }
        return new Reply(isCached ? null : text, {
          status: isCached ? 304 : 200,
          type: `${SCRIPT}; charset=utf-8`,
          headers: sent,
        })
      },
    }),
    operation({
      ...getDefaults,
      id: 'operator.topology',
      path: PLACES.topology,
      summary: 'Every part checked for this request, and the calls between them as they were counted',
      description:
        'At most one second: a check that takes longer has failed. Requests that come meanwhile share one run. Nothing is appended or signed.',
      reply: schemas.Topology,
      labels: ['MEASURED'],
      run: topology,
    }),
  ]
}

/** The checks write and roll back: one run at a time, whoever asks. */
const sharedRun = (ports: TopologyPorts) => singleFlight(() => readTopology(ports))

const scriptRecord = (source: string, sha256: string) => ({
  schema: 'orch.page-script/v1',
  media_type: SCRIPT,
  bytes: new TextEncoder().encode(source).length,
  sha256,
  source,
})
