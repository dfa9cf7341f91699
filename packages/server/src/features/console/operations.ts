import { formAccepted } from '../../domain/accept.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { operation, Reply } from '../../operation.ts'
import { once } from '../../platform/once.ts'
import type { Ports } from '../../ports.ts'
import { findPlaces, type OverviewPorts, readOverview } from './overview.ts'
import { consolePage } from './page.ts'
import { PageReply } from './schemas.ts'

type Deps = OverviewPorts & Pick<Ports, 'catalog' | 'build' | 'publicOrigin'>

const HTML = 'text/html'
const JSON_TYPE = 'application/json'
const HOME = { path: '/console' }
const VARIES = { vary: 'Accept, Authorization' }

/** The operator's first page. It reads and changes nothing, and it needs no script. */
export const operatorConsole = (deps: Deps) => {
  // What is served is known only after every feature was opened.
  const findPlacesOnce = once(() => findPlaces(deps.catalog))
  return [
    operation({
      id: 'console.page',
      group: 'Operations',
      method: 'GET',
      path: HOME.path,
      root: true,
      scope: null,
      summary: 'What the operator sees first: state, ledger, newest decisions, waiting reviews and gates',
      description:
        'The page, or its facts as JSON where the request asks for that. Each part is read for this request or unavailable with the reason. With a credential registry the data of owners is shown to a credential that may read it and to nobody else.',
      reply: PageReply,
      produces: HTML,
      labels: ['MEASURED', 'UNAVAILABLE'],
      example: {},
      async run({ caller, headers, signal }) {
        const places = findPlacesOnce()
        const found = await readOverview(deps, caller, places, signal)
        if (formAccepted(headers.accept, [HTML, JSON_TYPE]) === JSON_TYPE) return new Reply(found, { headers: VARIES })
        const origin = deps.publicOrigin(typeof headers.host === 'string' ? headers.host : undefined)
        const html = consolePage(found, { places, origin, path: HOME.path, commit: deps.build.gitSha.value })
        return new Reply(html, { type: `${HTML}; charset=utf-8`, headers: { ...pageHeaders(PAGE_POLICY), ...VARIES } })
      },
    }),
  ]
}
