/** The matrix: each requirement with the check behind it, what it saw and when. What is not delivered looks unlike the
 *  rest. */
import type { Reply } from '@orch/client'
import { sentence } from '../../../verify/words.ts'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Time } from '../../components/time.tsx'

type Matrix = Reply<'assurance.matrix'>
type Requirement = Matrix['requirements'][number]

export const MatrixCard = ({ matrix }: { matrix: Matrix }) => (
  <>
    <section className="card" aria-labelledby="matrix-title">
      <div className="card-head">
        <h2 id="matrix-title">Requirements</h2>
        <span className="quiet small right">Status, the check behind it, and its caveat</span>
      </div>
      <table className="table matrix">
        <thead>
          <tr>
            <th>Id</th>
            <th>Requirement</th>
            <th>Status</th>
            <th>What the check saw</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {matrix.requirements.map((row) => (
            <Row key={row.req_id} row={row} />
          ))}
        </tbody>
      </table>
    </section>
    <Formulas matrix={matrix} />
  </>
)

/** The reply has one word for what is planned and for what was checked and failed; the time of the check tells them apart. */
export const hasFailed = ({ status, evaluated_at }: Pick<Requirement, 'status' | 'evaluated_at'>): boolean =>
  status === 'ROADMAP' && evaluated_at !== null

const Status = ({ row, source }: { row: Requirement | undefined; source: string }) =>
  row !== undefined && hasFailed(row) ? (
    <span className="failed bad nowrap">
      <Icon name="cross" /> Check failed
    </span>
  ) : (
    <Badge label={row?.status} source={source} at={row?.evaluated_at ?? null} />
  )

function Row({ row }: { row: Requirement }) {
  const { req_id, requirement, req_detail, status, status_detail, honest_caveats, evaluated_at, artifact_url } = row
  const isPlanned = status === 'ROADMAP' && evaluated_at === null
  return (
    <tr className={isPlanned ? 'roadmap' : ''} data-requirement={req_id} data-status={status}>
      <td>{req_id}</td>
      <td title={req_detail}>
        <b>{requirement}</b>
      </td>
      <td>
        <Status row={row} source={artifact_url ?? 'nothing to check'} />
      </td>
      <td>
        <span className={hasFailed(row) ? 'failed bad' : ''}>{sentence(status_detail)}</span>
        <br />
        <span className="caveat">{honest_caveats}</span>
      </td>
      <td className="nowrap quiet">{evaluated_at === null ? 'not delivered' : <Time at={evaluated_at} />}</td>
    </tr>
  )
}

function Formulas({ matrix }: { matrix: Matrix }) {
  const row = matrix.requirements.find(({ req_id }) => req_id === 'TEVV-1')
  const checks = row?.evidence?.checks
  const ids = Array.isArray(checks) ? checks.map((one) => String((one as { formula_id?: unknown }).formula_id)) : []
  return (
    <section className="card" aria-labelledby="formulas-title">
      <div className="card-head">
        <h2 id="formulas-title">Locked formulas</h2>
        <span className="right">
          <Status row={row} source="property checks of this service" />
        </span>
      </div>
      <div className="card-body">
        <p className="mono">{ids.length === 0 ? 'no check ran' : ids.join(' ')}</p>
        <p className="quiet small">
          {row?.honest_caveats} Lambda: {matrix.lambda_kind}.
        </p>
      </div>
    </section>
  )
}
