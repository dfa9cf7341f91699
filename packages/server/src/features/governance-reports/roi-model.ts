/** What failures would cost and what catching some of them would save: decimal arithmetic over stated assumptions. It is
 *  a model and stays one: nothing measured goes into it. */
import Big from 'big.js'
import { InputError, type InputFault } from '../../errors.ts'
import { ROI_VERTICALS, type RoiParameters, type RoiVertical } from './schemas.ts'

type Source = 'DEFAULT' | 'CALLER'
interface Input {
  value: Big
  source: Source
}
const NEEDED = ['cost_of_failure_usd', 'annual_events', 'catch_rate'] as const
const INTERVAL = ['catch_rate_low', 'catch_rate_high'] as const
type Basis = Record<(typeof NEEDED)[number], string>

const basis = (cost: string, events: string, rate: string): Basis => ({
  cost_of_failure_usd: cost,
  annual_events: events,
  catch_rate: rate,
})

/** Illustrative: round figures to try the model with, taken from no study and no customer. */
const ILLUSTRATIVE: Record<RoiVertical, Basis> = {
  defense: basis('50000000', '1', '0.60'),
  finance: basis('4450000', '6', '0.70'),
  legal: basis('2000000', '3', '0.65'),
  enterprise: basis('4450000', '4', '0.75'),
  realestate: basis('1200000', '2', '0.55'),
}
const SPREAD = '0.2'

const EQUATION =
  'exposure = cost_of_failure_usd x annual_events; avoided = exposure x catch_rate; net = avoided - governance_cost_usd'
const INTERVAL_MEANING = `avoided at catch_rate_low and catch_rate_high; where not given, catch_rate minus and plus ${SPREAD} within 0 to 1`

export function roiModel(query: RoiParameters) {
  const rows = subjectsOf(query).map((id) => modelRow(id, query))
  const total = amountsOf((name) => rows.reduce((sum, { amounts }) => sum.plus(amounts[name]), new Big(0)))
  const cost = decimal(query.governance_cost_usd ?? 0)
  return {
    label: 'MODELED' as const,
    equation: EQUATION,
    interval_meaning: INTERVAL_MEANING,
    rows: rows.map(shownRow),
    total: {
      ...amountsOf((name) => money(total[name])),
      governance_cost: money(cost),
      governance_cost_source: query.governance_cost_usd === undefined ? ('DEFAULT' as const) : ('CALLER' as const),
      net: money(total.avoided.minus(cost)),
      net_low: money(total.avoided_low.minus(cost)),
      net_high: money(total.avoided_high.minus(cost)),
    },
  }
}

/** Assumptions of one's own about no vertical in particular are a row of their own. */
function subjectsOf(query: RoiParameters): readonly (RoiVertical | 'custom')[] {
  if (query.vertical !== undefined) return [query.vertical]
  return [...NEEDED, ...INTERVAL].some((name) => query[name] !== undefined) ? ['custom'] : ROI_VERTICALS
}

const AMOUNTS = ['exposure', 'avoided', 'avoided_low', 'avoided_high'] as const
const amountsOf = <T>(amount: (name: (typeof AMOUNTS)[number]) => T) =>
  Object.fromEntries(AMOUNTS.map((name) => [name, amount(name)])) as Record<(typeof AMOUNTS)[number], T>

interface ModelRow {
  id: RoiVertical | 'custom'
  inputs: Record<(typeof NEEDED)[number] | (typeof INTERVAL)[number], Input>
  amounts: Record<(typeof AMOUNTS)[number], Big>
}

function modelRow(id: ModelRow['id'], query: RoiParameters): ModelRow {
  const inputs = inputsOf(id, query)
  const exposure = inputs.cost_of_failure_usd.value.times(inputs.annual_events.value)
  const [avoided, avoided_low, avoided_high] = [inputs.catch_rate, inputs.catch_rate_low, inputs.catch_rate_high].map(
    ({ value }) => exposure.times(value),
  ) as [Big, Big, Big]
  return { id, inputs, amounts: { exposure, avoided, avoided_low, avoided_high } }
}

function inputsOf(id: ModelRow['id'], query: RoiParameters): ModelRow['inputs'] {
  if (id === 'custom') refuseMissing(query)
  const given = (name: keyof Omit<RoiParameters, 'vertical'>, fallback: () => Big): Input => {
    const value = query[name]
    return value === undefined ? { value: fallback(), source: 'DEFAULT' } : { value: decimal(value), source: 'CALLER' }
  }
  const own = (name: (typeof NEEDED)[number]) => given(name, () => new Big(ILLUSTRATIVE[id as RoiVertical][name]))
  const rate = own('catch_rate')
  const low = given('catch_rate_low', () => within(rate.value.minus(SPREAD)))
  const high = given('catch_rate_high', () => within(rate.value.plus(SPREAD)))
  if (low.value.gt(rate.value)) throw new InputError([fault('catch_rate_low', 'must not be above catch_rate', 'range')])
  if (high.value.lt(rate.value))
    throw new InputError([fault('catch_rate_high', 'must not be below catch_rate', 'range')])
  return {
    cost_of_failure_usd: own('cost_of_failure_usd'),
    annual_events: own('annual_events'),
    catch_rate: rate,
    catch_rate_low: low,
    catch_rate_high: high,
  }
}

function refuseMissing(query: RoiParameters): void {
  const missing = NEEDED.filter((name) => query[name] === undefined)
  if (missing.length === 0) return
  throw new InputError(missing.map((name) => fault(name, 'needed where no vertical is named', 'missing')))
}

function shownRow({ id, inputs, amounts }: ModelRow) {
  const { cost_of_failure_usd: cost } = inputs
  return {
    id,
    illustrative: NEEDED.some((name) => inputs[name].source === 'DEFAULT'),
    inputs: {
      cost_of_failure_usd: { value: money(cost.value), source: cost.source },
      annual_events: plain(inputs.annual_events),
      catch_rate: plain(inputs.catch_rate),
      catch_rate_low: plain(inputs.catch_rate_low),
      catch_rate_high: plain(inputs.catch_rate_high),
    },
    ...amountsOf((name) => money(amounts[name])),
  }
}

const plain = ({ value, source }: Input) => ({ value: value.toNumber(), source })

/** As the number prints: a fraction of two cannot hold what the caller wrote, its shortest decimal form does. */
const decimal = (value: number): Big => new Big(String(value))
const money = (value: Big): string => value.toFixed(2)
const within = (rate: Big): Big => (rate.lt(0) ? new Big(0) : rate.gt(1) ? new Big(1) : rate)
const fault = (name: string, msg: string, type: string): InputFault => ({ loc: ['query', name], msg, type })
