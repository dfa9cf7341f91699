/** Tokens of a public vocabulary. It is some megabytes of tables, so they are loaded when somebody first asks and in a
 *  thread of their own: the main loop waits neither for the tables nor for a long text, and no other job is in the way. */
import { Compute } from '../../platform/compute/compute.ts'

const DAY_MS = 86_400_000
/** Every reply of a model is counted: whoever waits here waits for a few milliseconds. */
const thread = new Compute({ threads: 1, maxQueue: 10_000, maxQueuePerJob: 10_000, waitMs: 10_000, idleMs: DAY_MS })
const job = { module: new URL('./tokenize.ts', import.meta.url), deadlineMs: 10_000 }
const encoding = thread.register<string[], number[][]>({ ...job, name: 'encode', function: 'encode' })
const counting = thread.register<string, number>({ ...job, name: 'count', function: 'count' })

export const countTokens = async (text: string): Promise<number> => (await counting(text.toWellFormed())).value

/** The tokens of each text. Texts with the same beginning have the same tokens at their beginning, but for the last few. */
export const toTokens = async (texts: readonly string[]): Promise<number[][]> =>
  (await encoding(texts.map((text) => text.toWellFormed()))).value
