import { measureInChild } from '../child.ts'
import type { Scenario } from '../scenario.ts'

const program =
  (file: string): Scenario['prepare'] =>
  async () => ({
    measure: (seconds) => measureInChild(`./programs/${file}`, String(seconds)),
    close: async () => undefined,
  })

/** The same rows, without what makes them evidence. */
export const rawInserts: Scenario = { name: 'raw-inserts', unit: 'rows/s', prepare: program('raw-inserts.ts') }

export const appends: Scenario = {
  name: 'appends',
  unit: 'receipts/s',
  ratioTo: 'raw-inserts',
  goal: 0.8,
  prepare: program('appends.ts'),
}
