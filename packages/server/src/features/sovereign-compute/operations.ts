import Type from 'typebox'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { findPaths, pageLinks } from '../../domain/page/links.ts'
import { operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { sovereignPage } from './page.ts'
import { SovereignCompute, type SovereignPort } from './schemas.ts'

type Deps = Pick<Ports, 'catalog' | 'build'> & { sovereignCompute: SovereignPort }

const getDefaults = { group: 'Research', method: 'GET', scope: null, example: {} } as const
const RECORD = 'sovereignCompute.record'
const PAGE = 'sovereignCompute.page'
/** Below the prefix the record, at the root its page. */
const PATH = '/sovereign-compute'

/** What this process has to compute with, and whose it is. */
export const sovereign = ({ sovereignCompute, catalog, build }: Deps) => [
  operation({
    ...getDefaults,
    id: RECORD,
    path: PATH,
    summary:
      'What compute this process has: processor, memory, accelerators, models and arithmetic, read for this reply',
    description:
      'Every capability is looked at in parallel, within two seconds; what a configured endpoint answered counts for 30 s and says so. `sovereign_any` needs a model of the operator that answers.',
    reply: SovereignCompute,
    labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE', 'ROADMAP'],
    run: () => sovereignCompute(),
  }),
  operation({
    ...getDefaults,
    id: PAGE,
    path: PATH,
    root: true,
    summary: 'What compute this process has, as a page',
    reply: Type.String(),
    produces: 'text/html',
    labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE', 'ROADMAP'],
    async run() {
      const [page, json] = [PAGE, RECORD].map((id) => findPaths(catalog, [id])[0] ?? '')
      const report = await sovereignCompute()
      const html = sovereignPage(report, { page: page!, json: json! }, pageLinks(catalog), build.gitSha.value)
      return new Reply(html, { type: 'text/html; charset=utf-8', headers: pageHeaders(PAGE_POLICY) })
    },
  }),
]
