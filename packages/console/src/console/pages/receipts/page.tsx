/** Receipts: the list with a search, or one of them with its place in the chain and in the log. */

import { useEffect } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { Link } from '../../components/link.tsx'
import { NotFound, Shown } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { addressFault, type Filters, filtersOf, queryOf, wireFilters } from '../../ledger/filters.ts'
import { ReceiptList } from '../../ledger/receipt-list.tsx'
import { SearchBar } from '../../ledger/search-bar.tsx'
import { useRows } from '../../ledger/use-rows.ts'
import type { PageProps } from '../../pages.ts'
import { type Address, hrefOf, navigate } from '../../routing.ts'
import { Explorer } from './explorer.tsx'

const DEFAULTS: Filters = {}
const DIGEST = /^[0-9a-f]{64}$/

export function Page({ address }: PageProps) {
  if (address.id === null) return <Receipts address={address} />
  return DIGEST.test(address.id) ? (
    <Explorer key={address.id} digest={address.id} tab={address.tab} />
  ) : (
    <Beginning key={address.id} text={address.id} />
  )
}

function Receipts({ address }: { address: Address }) {
  const filters = filtersOf(address.query, DEFAULTS)
  const list = useRows(filters, () => scrollY > 240, nothing)
  const { hasToken } = useService()
  const show = (changed: Filters): void => {
    if (DIGEST.test(changed.q ?? '')) navigate(hrefOf({ page: 'receipts', id: changed.q as string }))
    else navigate(hrefOf({ page: 'receipts', query: queryOf(changed, DEFAULTS) }))
  }
  return (
    <>
      <div className="head">
        <h1>Receipts</h1>
        <p>Everything the ledger holds, newest first. A digest or its beginning opens one.</p>
        <div className="btn-row right">
          <CopyButton text={() => curlOf('khipu.ledger', { query: wireFilters(filters, Date.now()) }, hasToken)}>
            Copy as curl
          </CopyButton>
        </div>
      </div>
      <div className="bar">
        <SearchBar
          filters={filters}
          placeholder="digest, kind: chain: or words of names and reasons"
          fault={addressFault(address.query)}
          onChange={show}
        />
      </div>
      <ReceiptList
        list={list}
        what="receipts"
        filters={filters}
        selected={null}
        linkOf={({ digest }) => hrefOf({ page: 'receipts', id: digest })}
        onFilter={(changed) => show({ ...filters, ...changed })}
        onClear={() => show({})}
      />
    </>
  )
}

const nothing = (): void => undefined

/** The beginning of a digest is an address too, as long as one receipt alone begins so. */
function Beginning({ text }: { text: string }) {
  const reading = useReading('khipu.ledger', () => ({ query: { q: text.slice(0, 64), limit: 3 } }), text)
  const found = reading.value?.receipts.filter(({ digest }) => digest.startsWith(text)) ?? []
  const [only] = found.length === 1 ? found : []
  useEffect(() => {
    if (only !== undefined) navigate(hrefOf({ page: 'receipts', id: only.digest }), { replace: true })
  }, [only])
  return (
    <Shown reading={reading} what="the receipt">
      {({ ledger_size, next_cursor }) => (
        <NotFound title={`${found.length > 1 ? 'More than one receipt begins' : 'No receipt begins'} with ${text}`}>
          <p className="quiet">
            {next_cursor === null
              ? `This ledger holds ${ledger_size} receipts.`
              : 'The newest 5,000 receipts were looked at.'}
          </p>
          <Link href={hrefOf({ page: 'receipts', query: new URLSearchParams({ q: text }) })}>Search for it</Link>
        </NotFound>
      )}
    </Shown>
  )
}
