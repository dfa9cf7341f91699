/** A classifier that the operator configured. It gets the text without personal values and secrets, and what it says
 *  stands beside the result and never in it. */
import Type from 'typebox'
import type { JsonExchange } from '../../../../adapters/outbound/contract.ts'
import { Verdict } from '../../../../domain/decision/wire.ts'
import { exactly } from '../../../../domain/wire.ts'
import { read } from '../../../../platform/shape.ts'
import type { Attachment } from '../../organ.ts'
import type { Classify } from '../organ.ts'

const LIMITS = { status: 200, deadlineMs: 1500, maxBytes: 4096 }
const Reply = Type.Object({ verdict: Verdict, score: Type.Number({ minimum: 0, maximum: 1 }) }, exactly)

export const outsideClassifier =
  (url: string, exchange: JsonExchange): Classify =>
  async (text, direction, { signal, now }) => {
    const answer = await exchange({ url, body: JSON.stringify({ text, direction }), ...LIMITS }, signal)
    const about = {
      kind: 'classifier',
      // The rest of the address may hold a token.
      source: new URL(url).origin,
      read_at: new Date(now()).toISOString(),
    }
    const missing = (reason: string): Attachment => ({
      ...about,
      label: 'UNAVAILABLE',
      mode: 'unreachable',
      value: null,
      reason,
    })
    if (!answer.ok) return missing(answer.code)
    const shaped = read(Reply, answer.value)
    if (!shaped.ok) return missing('INVALID_SOURCE_SCHEMA')
    return { ...about, label: 'MODELED', mode: 'live', value: shaped.value, reason: null }
  }
