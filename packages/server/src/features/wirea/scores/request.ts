import { InputError, type InputFault } from '../../../errors.ts'
import type { ScoresBody } from '../schemas.ts'

/** Everything that is wrong and that the schema did not find. */
export function checkScores(body: ScoresBody): void {
  const faults: InputFault[] = []
  const fault = (msg: string, ...place: (string | number)[]) =>
    faults.push({ loc: ['body', ...place], msg, type: 'value' })
  const { probs, outcomes, forecasts, quantiles, observed, candidates } = body
  if ([probs, outcomes, forecasts, quantiles, candidates].every((part) => part === undefined))
    fault('send probs with outcomes, forecasts or quantiles with observed, or candidates')
  if ((probs === undefined) !== (outcomes === undefined))
    fault('probs and outcomes come together', probs === undefined ? 'probs' : 'outcomes')
  else if (probs?.length !== outcomes?.length) fault('must be as long as probs', 'outcomes')
  const needsObserved = forecasts !== undefined || quantiles !== undefined
  if (needsObserved !== (observed !== undefined))
    fault(needsObserved ? 'forecasts and quantiles need it' : 'it comes with forecasts or quantiles', 'observed')
  else {
    if (forecasts !== undefined && forecasts.length !== observed!.length)
      fault('must be as long as observed', 'forecasts')
    if (quantiles !== undefined) checkQuantiles(quantiles, observed!.length, fault)
  }
  if (candidates !== undefined) {
    const seen = new Set<string>()
    for (const [i, { model }] of candidates.entries()) {
      if (seen.has(model)) fault('two candidates have this model', 'candidates', i, 'model')
      seen.add(model)
    }
  }
  if (faults.length > 0) throw new InputError(faults.slice(0, 32))
}

function checkQuantiles(
  { levels, values }: NonNullable<ScoresBody['quantiles']>,
  cases: number,
  fault: (msg: string, ...place: (string | number)[]) => void,
): void {
  const unordered = levels.findIndex((level, i) => i > 0 && level <= levels[i - 1]!)
  if (unordered >= 0) fault('levels grow from one to the next', 'quantiles', 'levels', unordered)
  if (values.length !== cases) fault('must be as long as observed', 'quantiles', 'values')
  const odd = values.findIndex((row) => row.length !== levels.length)
  if (odd >= 0) fault('must hold one value for each level', 'quantiles', 'values', odd)
}
