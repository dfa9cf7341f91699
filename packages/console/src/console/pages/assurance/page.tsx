/** Assurance: what this service can show for itself and what it cannot, the evidence pack to take away, and files that
 *  others handed over, opened without the service. */
import { useState } from 'react'
import type { Evidence } from '../../../verify/evidence.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Cached, NotFound, Shown } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import type { PageProps } from '../../pages.ts'
import { type Address, hrefOf, navigate } from '../../routing.ts'
import { Browse } from './browse.tsx'
import { ExportPack } from './export-pack.tsx'
import { hasFailed, MatrixCard } from './matrix.tsx'
import { OpenFile } from './open-file.tsx'

const OPENED = 'file'

/** An opened file lives in memory, so its address shows it in this tab and until the page is loaded again. */
export function Page({ address }: PageProps) {
  const [evidence, setEvidence] = useState<Evidence | null>(null)
  const open = (given: Evidence): void => {
    setEvidence(given)
    navigate(hrefOf({ page: 'assurance', id: OPENED }))
  }
  if (address.id === null) return <Assurance onOpen={open} />
  if (address.id === OPENED && evidence !== null) return <Browse evidence={evidence} address={address} />
  return <Closed address={address} onOpen={open} />
}

const Closed = ({ address, onOpen }: { address: Address; onOpen(evidence: Evidence): void }) => (
  <>
    <NotFound title={address.id === OPENED ? 'The file is not open any more' : `Assurance has no part ${address.id}`}>
      <p className="quiet">Files that were opened here are kept nowhere. Open it again, or go back to the matrix.</p>
      <Link href={hrefOf({ page: 'assurance' })}>Assurance</Link>
    </NotFound>
    <OpenFile onOpen={onOpen} />
  </>
)

function Assurance({ onOpen }: { onOpen(evidence: Evidence): void }) {
  const matrix = useReading('assurance.matrix', () => ({}), '')
  const { hasToken, isReachable } = useService()
  const rows = matrix.value?.requirements ?? []
  const passed = rows.filter(({ status }) => status !== 'ROADMAP').length
  const failed = rows.filter(hasFailed).length
  return (
    <>
      <div className="head">
        <h1>Assurance</h1>
        {matrix.value === null ? null : (
          <p>
            {isReachable ? '' : 'When last read: '}
            {passed} of {rows.length} requirements have a check that ran and passed
            {failed === 0 ? '.' : `; of ${failed} the check failed.`} <Cached at={matrix.readAt} />
          </p>
        )}
        <div className="btn-row right">
          <button type="button" className="btn" onClick={matrix.askAgain}>
            <Icon name="retry" />
            Check again
          </button>
          <CopyButton text={() => curlOf('assurance.matrix', {}, hasToken)}>Copy as curl</CopyButton>
        </div>
      </div>
      <div className="not-accredited">
        <Icon name="unavailable" />
        <b className="strong">Not accredited.</b>
        <span className="quiet">
          No ATO, IL5 or FedRAMP High authorization exists. These rows say what this service can show, not what anyone
          granted.
        </span>
      </div>
      <div className="two">
        <div className="stack">
          <Shown reading={matrix} what="the requirements">
            {(read) => <MatrixCard matrix={read} />}
          </Shown>
        </div>
        <div className="stack">
          <ExportPack onOpen={onOpen} />
          <OpenFile onOpen={onOpen} />
        </div>
      </div>
    </>
  )
}
