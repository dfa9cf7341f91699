/** What a target answers. */
import Type from 'typebox'
import { read } from '../../../platform/shape.ts'

const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }) }), { minItems: 1 }),
})

/** The text of a chat completion; null where it is none. */
export function readReply(value: unknown): string | null {
  const shaped = read(Completion, value)
  return shaped.ok ? shaped.value.choices[0]!.message.content : null
}
