/** The gates as organs ask them. What they are reading is counted and bounded, so that a flood of long texts is refused
 *  at once and leaves room in the queue for the decisions of governance. */
import type { Examination } from '../../domain/decision/examine.ts'
import { ServiceError } from '../../errors.ts'
import type { GateRequest, Gates } from '../../governance/contract.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { poolBusy } from './organ.ts'

/** Sixteen of the longest texts: about a second of one thread. */
const MAX_CHARACTERS_AT_A_TIME = 16 * 32_768
/** Shorter texts wait for no thread, and no flood of long ones keeps them out. */
const SHORT = 2048
/** Rejects with `organ_pool_busy` where the gates have no room for a text, or do not answer within the patience of who
 *  asks: below the deadline of the op, for who waits so long waits for a thread. */
export function boundedGates(gates: Gates): (patienceMs: number) => Pick<Gates, 'examine' | 'rules'> {
  let characters = 0
  const examine = async (request: GateRequest, patienceMs: number): Promise<Examination> => {
    const { length } = request.text
    const needed = length > SHORT ? length : 0
    if (characters + needed > MAX_CHARACTERS_AT_A_TIME) throw busy()
    characters += needed
    // Counted for as long as the gates have it, even where nobody waits for it any more.
    const asked = gates
      .examine(request)
      .catch((error) => {
        throw error instanceof ServiceError && error.code === 'gates_busy' ? busy() : error
      })
      .finally(() => {
        characters -= needed
      })
    const late = () => {
      throw busy()
    }
    return withDeadline(patienceMs, () => asked, late)
  }
  return (patienceMs) => ({ rules: () => gates.rules(), examine: (request) => examine(request, patienceMs) })
}

const busy = () => poolBusy('the gates have as much to read as they may; retry in a second')
