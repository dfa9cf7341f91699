/** The 25 organs: what the specification says of each, joined to the organ that runs. */

import { ORGAN_ITEMS } from '../../domain/organ-table.ts'
import { notBuilt } from './not-built.ts'
import type { Organ } from './organ.ts'
import type { OrganItem } from './schemas.ts'

export interface RegisteredOrgan {
  item: OrganItem
  organ: Organ
}

/** What every class must declare for itself. */
const DECLARED: Record<OrganItem['evidence_class'], readonly string[]> = {
  SIMULATED: ['assumptions', 'not_real'],
  MEASURED: [],
  MODELED: ['equation'],
  UNAVAILABLE: [],
}

/** In the order of the table. Throws where an organ and its row do not fit: such a build must not start. */
export function joinOrgans(organs: readonly Organ[]): ReadonlyMap<string, RegisteredOrgan> {
  const byId = new Map(organs.map((organ) => [organ.id, organ]))
  if (byId.size !== organs.length) throw new Error('two organs have the same id')
  for (const { id, ops, example, evidence } of organs) {
    const item = ORGAN_ITEMS.find((one) => one.id === id)
    if (item === undefined) throw new Error(`the specification has no organ ${id}`)
    const [first] = Object.keys(ops)
    if (first === undefined || example.request.op !== first)
      throw new Error(`the example of ${id} must be a request of its first op`)
    const lacking = DECLARED[item.evidence_class].filter((name) => !(name in evidence))
    if (lacking.length > 0)
      throw new Error(`${id} is ${item.evidence_class} and does not declare ${lacking.join(', ')}`)
  }
  return new Map(ORGAN_ITEMS.map((item) => [item.id, { item, organ: byId.get(item.id) ?? notBuilt(item.id) }]))
}
