/** The words the experts read by, for the rules in charge. The table of verbs is built once for a set of rules. */
import type { Rules } from '../../domain/gates/rules.ts'
import { ServiceError } from '../../errors.ts'
import type { Gates } from '../../governance/contract.ts'
import { type StepLexicon, stepLexicon } from './experts/lexicon.ts'
import type { KeyedHash } from './experts/novelty.ts'
import type { Words } from './experts/prepared.ts'

const lexicons = new WeakMap<Rules, StepLexicon>()

export function wordSource(gates: Pick<Gates, 'rules'>): (hash: KeyedHash) => Words {
  return (hash) => {
    const rules = gates.rules()
    if (rules === null) throw new ServiceError('gates_unavailable', 'the gates did not load; read /api/readyz')
    const lexicon = lexicons.get(rules) ?? stepLexicon(rules.confusables)
    lexicons.set(rules, lexicon)
    return { table: rules.confusables, lexicon, hash }
  }
}
