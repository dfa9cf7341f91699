/** Interest rates and debt in the format of the Treasury's Fiscal Data interface. */
import type { DebtData } from '../../../domain/observation.ts'
import { amountAsGiven, dayOf, type Fields, listIn, objectIn, optionalText, required } from './fields.ts'
import { listData } from './lists.ts'
import { integer } from './parameters.ts'
import type { Plan, Source } from './source.ts'

const ACCOUNTING = '/services/api/fiscal_service/v2/accounting/od/'

/** The newest day first; rows of one day stay in the order of the source. */
function newestRows<Row extends { record_date: string }>(reply: unknown, limit: string, toRow: (row: Fields) => Row) {
  return listIn(required(objectIn(reply), 'data'))
    .map((row) => toRow(objectIn(row)))
    .sort((a, b) => (a.record_date < b.record_date ? 1 : a.record_date > b.record_date ? -1 : 0))
    .slice(0, Number(limit))
}

const queryFor = (limit: string) => ({ sort: '-record_date', format: 'json', 'page[size]': limit })

const rates: Source = {
  id: 'treasury-rates',
  provider: 'TREASURY',
  ttlSeconds: 3600,
  parameters: { limit: integer(12, 1, 100) },
  plan: ({ limit = '' }): Plan => ({
    path: `${ACCOUNTING}avg_interest_rates`,
    query: queryFor(limit),
    normalise: (reply) =>
      listData(newestRows(reply, limit, toRate), 'average interest rates of the newest months, in percent per year'),
  }),
}

const toRate = (row: Fields) => ({
  record_date: dayOf(row, 'record_date'),
  security_type: optionalText(row, 'security_type_desc'),
  security: optionalText(row, 'security_desc'),
  average_interest_rate_percent: amountAsGiven(row, 'avg_interest_rate_amt'),
})

const debt: Source = {
  id: 'treasury-debt',
  provider: 'TREASURY',
  ttlSeconds: 3600,
  parameters: { limit: integer(12, 1, 100) },
  plan: ({ limit = '' }): Plan => ({
    path: `${ACCOUNTING}debt_to_penny`,
    query: queryFor(limit),
    normalise: (reply): DebtData =>
      listData(newestRows(reply, limit, toDebt), 'public debt of the newest days, in US dollars'),
  }),
}

const toDebt = (row: Fields): DebtData['items'][number] => ({
  record_date: dayOf(row, 'record_date'),
  total_public_debt_outstanding: amountAsGiven(row, 'tot_pub_debt_out_amt'),
  debt_held_by_public: amountAsGiven(row, 'debt_held_public_amt'),
  intragovernmental_holdings: amountAsGiven(row, 'intragov_hold_amt'),
})

export const treasury = [rates, debt]
