import { ServiceError } from '../../errors.ts'
import { API_PREFIX, operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { type CheckPorts, checkClaim, goesOutside, throttledChecks } from './checks.ts'
import {
  CLAIM_IDS,
  CLAIMS,
  type ClaimId,
  claimWith,
  describeClaim,
  findTestRun,
  isClaimId,
  listClaims,
} from './claims.ts'
import { buildPanel } from './panel.ts'
import * as schemas from './schemas.ts'
import { isSection, panelReadings, SECTION_IDS, SECTIONS } from './sections.ts'

type Deps = Omit<CheckPorts, 'isMounted'> & Pick<Ports, 'readings' | 'identity' | 'publicOrigin' | 'catalog'>

const getDefaults = { group: 'Operations', method: 'GET', scope: null } as const
const MARKETS = `${API_PREFIX}/finance/`

/** What is known of the outside and of ourselves, from what was read before; two of these take readings now and say so. */
export const readiness = (ports: Deps) => {
  const { readings, artifacts, build, identity, clock, publicOrigin, catalog } = ports
  const isMounted = (id: ClaimId) => id !== 'finance-readings' || catalog.some(({ path }) => path.startsWith(MARKETS))
  const checks = throttledChecks((id) => checkClaim(id, { ...ports, isMounted }), goesOutside, clock)
  const isMeasured = (id: ClaimId) =>
    id === 'source-provenance' ? build.matchesRecord !== null : checks.newest(id)?.state === 'OK'
  const evidence = async (claims = CLAIMS) => {
    const names = [...new Set(claims.map(({ artifact }) => artifact))]
    const digests = await Promise.all(names.map(async (name) => [name, await artifacts.digest(name)] as const))
    const liveEndpoint = (id: ClaimId) => `${API_PREFIX}/evidence/research/${id}/live`
    return {
      artifacts: new Map(digests),
      link: readings.link,
      liveEndpoint,
      isMounted,
      isMeasured,
      lastTestRun: findTestRun(identity.checks.record, build.gitSha.value),
    }
  }
  const originOf = (host: string | string[] | undefined) => publicOrigin(typeof host === 'string' ? host : undefined)
  return [
    operation({
      ...getDefaults,
      id: 'readiness.panel',
      path: '/readiness',
      summary: 'Deployment, identity, repository, hosted space and their parity, as last read',
      description:
        'Opens no socket: the outside is read in the background, and each value carries its mode and age. Where no public address is configured our own paths are called in process.',
      reply: schemas.ReadinessPanel,
      labels: ['SAMPLE', 'UNAVAILABLE'],
      async run({ headers }) {
        return buildPanel(await panelReadings(readings, originOf(headers.host)), readings.snapshot())
      },
    }),
    operation({
      ...getDefaults,
      id: 'readiness.live',
      path: '/readiness/:section_id/live',
      summary: 'One section of the panel, read now',
      description:
        'Takes the readings of the section, 12 s in all, and stores them. At most once in 10 s: inside that time the stored section is answered, with the seconds to wait.',
      params: schemas.SectionPath,
      reply: schemas.LiveSection,
      errors: ['unknown_section'],
      example: { params: { section_id: 'repo' } },
      labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
      async run({ params: { section_id: id }, headers }) {
        if (!isSection(id))
          throw new ServiceError(
            'unknown_section',
            `path.section_id names no section; known: ${SECTION_IDS.join(', ')}`,
          )
        const { view, retry_after_seconds } = await readings.take(id)
        return { ...SECTIONS[id](await panelReadings(view, originOf(headers.host))), retry_after_seconds }
      },
    }),
    operation({
      ...getDefaults,
      id: 'readiness.refresh',
      path: '/readiness/refresh',
      summary: 'Ask for a round of readings and see the panel after it',
      description:
        'At most one round per 30 s; waits for it up to 15 s. DONE: the panel shows it. RUNNING: it goes on. TOO_SOON: the stored panel.',
      reply: schemas.RefreshedPanel,
      labels: ['LIVE', 'SAMPLE', 'UNAVAILABLE'],
      async run({ headers }) {
        const { view, refresh } = await readings.refresh()
        return { ...buildPanel(await panelReadings(view, originOf(headers.host)), view.snapshot()), refresh }
      },
    }),
    operation({
      ...getDefaults,
      id: 'readiness.research',
      path: '/evidence/research',
      summary: 'What is claimed here, how far each claim goes and what bears it out',
      description:
        'The digests of our own files are computed for this reply. Links outside are looked at in the background, and only where the operator switched that on.',
      reply: schemas.Research,
      labels: ['SAMPLE', 'UNAVAILABLE'],
      run: async () => listClaims(await evidence()),
    }),
    operation({
      ...getDefaults,
      id: 'readiness.claim',
      path: '/evidence/research/:claim_id/live',
      summary: 'Run the check behind one claim now',
      description:
        'A check that asks others runs at most once in 10 s: inside that time what it found is answered as cached, with the seconds to wait.',
      params: schemas.ClaimPath,
      reply: schemas.LiveClaim,
      errors: ['unknown_claim'],
      example: { params: { claim_id: 'hash-chain' } },
      labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE'],
      async run({ params: { claim_id: id } }) {
        if (!isClaimId(id))
          throw new ServiceError('unknown_claim', `path.claim_id names no claim; known: ${CLAIM_IDS.join(', ')}`)
        const checked = await checks.run(id)
        const claim = describeClaim(claimWith(id), await evidence([claimWith(id)]))
        return { layer: 'evidence', claim, ...checked, receipt_minted: false } satisfies schemas.LiveClaim
      },
    }),
  ]
}
