/** The caller's composition, with every fault at its place. */
import { InputError } from '../../errors.ts'
import { isElement, parseFormula } from './formula.ts'
import type { PredictBody } from './schemas.ts'

export const EXAMPLE: PredictBody = { formula: 'MgO', property: 'formation_energy', confidence: 0.95 }

export function readComposition({ formula, composition }: PredictBody): Record<string, number> {
  if ((formula === undefined) === (composition === undefined)) {
    const msg = formula === undefined ? 'send a formula, or a composition' : 'send a formula or a composition, not both'
    throw new InputError([{ loc: ['body', 'formula'], msg, type: formula === undefined ? 'missing' : 'value' }])
  }
  if (composition !== undefined) {
    const unknown = Object.keys(composition).filter((symbol) => !isElement(symbol))
    if (unknown.length === 0) return composition
    throw new InputError(
      unknown.map((symbol) => ({ loc: ['body', 'composition', symbol], msg: 'is no element', type: 'value' })),
    )
  }
  const parsed = parseFormula(formula!)
  if (parsed.ok) return parsed.composition
  const msg = `${parsed.fault} (at character ${parsed.at + 1}); write symbols and counts, such as Ca(OH)2`
  throw new InputError([{ loc: ['body', 'formula'], msg, type: 'value' }])
}
