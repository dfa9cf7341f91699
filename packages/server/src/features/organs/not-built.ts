/** An organ that this build does not have. It answers, and it says so: no number is made up in its place. */
import Type from 'typebox'
import { exactly } from '../../domain/wire.ts'
import { type Organ, op } from './organ.ts'

const VERSION = '0.0.0'
const REASON = 'this organ is not part of this build'

export const isBuilt = ({ version }: Organ): boolean => version !== VERSION

export const notBuilt = (id: string): Organ => ({
  id,
  version: VERSION,
  ops: {
    run: op({
      summary: 'Says that the organ is not part of this build',
      request: Type.Object({ text: Type.Optional(Type.String({ maxLength: 16_384 })) }, exactly),
      result: Type.Null(),
      isolation: 'inline',
      deadlineMs: 1000,
      maxWork: 1,
      estimate: () => 1,
      run: () => ({ status: 'UNAVAILABLE', result: null }),
    }),
  },
  fromPrompt: (text) => ({ op: 'run', text }),
  example: { request: { op: 'run' }, prompt: 'hello' },
  evidence: { reason: REASON, assumptions: [], not_real: [REASON] },
})
