/** The label of an agent stands in receipts in clear, so it must not itself be a secret or a personal identifier. */
import type { Rules } from '../domain/gates/rules.ts'
import { InputError, ServiceError } from '../errors.ts'
import type { Gates } from './contract.ts'

const MAX_KNOWN = 1024
const plain = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const

/** Throws where a gate would stop the label as a text. Labels that passed are remembered, so that an agent that asks a
 *  thousand times has its name examined once, and for as long as the same rules are active: others may stop it. */
export function labelCheck(gates: Gates): (label: string | null) => Promise<void> {
  let passed = new Set<string>()
  // The set itself and not its digest, which says nothing of the confusables.
  let passedBy: Rules | null = null
  return async (label) => {
    if (label === null) return
    // Read first: the gates take the active rules when they are asked, and a reload may come while they work.
    const rules = gates.rules()
    if (rules !== passedBy) {
      passed = new Set()
      passedBy = rules
    }
    const known = passed
    if (known.has(label)) return
    const { threats, valueCounts, planned, completed } = await gates.examine({ text: label, ...plain })
    if (completed < planned)
      throw new ServiceError('gates_busy', 'the label of the agent could not be examined in time; retry in a second')
    if ([...threats, ...valueCounts].some(({ severity }) => severity !== 'note')) throw refused()
    if (known.size >= MAX_KNOWN) known.clear()
    known.add(label)
  }
}

const refused = () =>
  new InputError([
    {
      loc: ['agent'],
      msg: 'must be a name such as billing-bot: this label holds a value that receipts must not store in clear',
      type: 'sensitive_label',
    },
  ])
