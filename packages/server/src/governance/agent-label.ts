/** The label of an agent stands in receipts in clear, so it must not itself be a secret or a personal identifier. */
import { InputError } from '../errors.ts'
import type { Gates } from './contract.ts'

const MAX_KNOWN = 1024
const plain = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const

/** Labels that passed, so that an agent that asks a thousand times has its name examined once. */
const known = new Set<string>()

/** Throws where a gate would stop the label as a text. */
export async function assertPlainLabel(gates: Gates, label: string | null): Promise<void> {
  if (label === null || known.has(label)) return
  const { threats, valueCounts } = await gates.examine({ text: label, ...plain })
  if ([...threats, ...valueCounts].some(({ severity }) => severity !== 'note')) throw refused()
  if (known.size >= MAX_KNOWN) known.clear()
  known.add(label)
}

const refused = () =>
  new InputError([
    {
      loc: ['agent'],
      msg: 'must be a name such as billing-bot: this label holds a value that receipts must not store in clear',
      type: 'sensitive_label',
    },
  ])
