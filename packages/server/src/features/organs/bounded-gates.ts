/** The gates as organs ask them. What they are reading is counted and bounded, so that a flood of long texts is refused
 *  at once and leaves room in the queue for the decisions of governance. */
import type { Examination } from '../../domain/decision/examine.ts'
import type { Gates } from '../../governance/contract.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { poolBusy } from './organ.ts'

/** Sixteen of the longest texts: about a second of one thread. */
const MAX_CHARACTERS_AT_A_TIME = 16 * 32_768
/** Below the deadline of every op that asks: who waits so long waits for a thread. */
const PATIENCE_MS = 1500

/** Rejects with `organ_pool_busy` where the gates have no room for the text. */
export function boundedGates(gates: Gates): Pick<Gates, 'examine' | 'rules'> {
  let characters = 0
  const examine: Gates['examine'] = async (request) => {
    const length = request.text.length
    if (characters + length > MAX_CHARACTERS_AT_A_TIME) throw busy()
    characters += length
    // Counted for as long as the gates have it, even where nobody waits for it any more.
    const asked = gates.examine(request).finally(() => (characters -= length))
    const late = () => {
      throw busy()
    }
    const examination = await withDeadline(PATIENCE_MS, () => asked, late)
    if (isUnread(examination)) throw busy()
    return examination
  }
  return { rules: () => gates.rules(), examine }
}

/** The normaliser is late only where no thread began with the text. */
const isUnread = ({ stages }: Examination): boolean =>
  stages.some(({ id, reasons }) => id === 'normalise' && reasons.includes('GATE_TIMEOUT'))

const busy = () => poolBusy('the gates have as much to read as they may; retry in a second')
