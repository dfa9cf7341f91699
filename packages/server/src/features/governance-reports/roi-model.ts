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
  const sum = (of: (row: ModelRow) => Big) => rows.reduce((total, row) => total.plus(of(row)), new Big(0))
  const cost = decimal(query.governance_cost_usd ?? 0)
  const [avoided, low, high] = [sum((row) => row.avoided), sum((row) => row.low), sum((row) => row.high)]
  return {
    label: 'MODELED' as const,
    equation: EQUATION,
    interval_meaning: INTERVAL_MEANING,
    rows: rows.map(shownRow),
    total: {
      exposure: money(sum((row) => row.exposure)),
      avoided: money(avoided),
      avoided_low: money(low),
      avoided_high: money(high),
      governance_cost: money(cost),
      governance_cost_source: query.governance_cost_usd === undefined ? ('DEFAULT' as const) : ('CALLER' as const),
      net: money(avoided.minus(cost)),
      net_low: money(low.minus(cost)),
      net_high: money(high.minus(cost)),
    },
  }
}

/** Assumptions of one's own about no vertical in particular are a row of their own. */
function subjectsOf(query: RoiParameters): readonly (RoiVertical | 'custom')[] {
  if (query.vertical !== undefined) return [query.vertical]
  return [...NEEDED, ...INTERVAL].some((name) => query[name] !== undefined) ? ['custom'] : ROI_VERTICALS
}

interface ModelRow {
  id: RoiVertical | 'custom'
  inputs: Record<(typeof NEEDED)[number] | (typeof INTERVAL)[number], Input>
  exposure: Big
  avoided: Big
  low: Big
  high: Big
}

function modelRow(id: ModelRow['id'], query: RoiParameters): ModelRow {
  const inputs = inputsOf(id, query)
  const exposure = inputs.cost_of_failure_usd.value.times(inputs.annual_events.value)
  return {
    id,
    inputs,
    exposure,
    avoided: exposure.times(inputs.catch_rate.value),
    low: exposure.times(inputs.catch_rate_low.value),
    high: exposure.times(inputs.catch_rate_high.value),
  }
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

function shownRow({ id, inputs, exposure, avoided, low, high }: ModelRow) {
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
    exposure: money(exposure),
    avoided: money(avoided),
    avoided_low: money(low),
    avoided_high: money(high),
  }
}

const plain = ({ value, source }: Input) => ({ value: value.toNumber(), source })

/** As the number prints: a fraction of two cannot hold what the caller wrote, its shortest decimal form does. */
const decimal = (value: number): Big => new Big(String(value))
const money = (value: Big): string => value.toFixed(2)
const within = (rate: Big): Big => (rate.lt(0) ? new Big(0) : rate.gt(1) ? new Big(1) : rate)
const fault = (name: string, msg: string, type: string): InputFault => ({ loc: ['query', name], msg, type })
