/** What the jobs of the schema organ answer. */
import { SchemaFault } from './validator.ts'

/** What was asked for, what is wrong with the schema, pattern or choices and where, or the limit that was met. */
export type Answer<Result> =
  | { result: Result }
  | { fault: { place: (string | number)[]; message: string; type: string } }
  | { limit: 'memory' }

/** A schema that cannot be used is the caller's fault, whoever finds it. */
export async function answering<Result>(work: () => Result | Promise<Result>): Promise<Answer<Result>> {
  try {
    return { result: await work() }
  } catch (error) {
    if (error instanceof SchemaFault) {
      const { place, message, type } = error
      return { fault: { place, message, type } }
    }
    const { name, message } = error as Error
    if (name === 'RE2JSSyntaxException') return { fault: { place: [], message, type: 'unsupported_regex' } }
    if (!(error instanceof RangeError)) throw error
    return { fault: { place: [], message: 'refers to itself without an end', type: 'invalid_schema' } }
  }
}
