// What every HTTP scenario sends: of the size and shape of a step an agent asks for.
import Type from 'typebox'
import { SERIAL } from '../serial.ts'

export const Step = Type.Object(
  {
    session_id: Type.String({ minLength: 1, maxLength: 128 }),
    text: Type.String({ maxLength: 4096 }),
    budget: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    tools: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16 }),
  },
  { additionalProperties: false },
)

export const SignedStep = Type.Object({ step: Step, digest: Type.String(), signature: Type.String() })

export const EXAMPLE = {
  session_id: 'bench-0001',
  text: `summarise the quarterly report and send it to the finance channel, edition ${SERIAL}`,
  budget: 1200,
  tools: ['search', 'mail.send'],
}
