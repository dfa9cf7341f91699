/** Tells somebody that a decision waits. The text is not told, and a deaf receiver changes nothing. */
import { explainAll } from '@orch/core'
import type { JsonExchange } from '../../adapters/outbound/contract.ts'
import type { Log } from '../../ports.ts'
import type { ReviewTicket } from '../contract.ts'

export interface ReviewNotice extends ReviewTicket {
  operation: string
  reasons: readonly string[]
}

const DEADLINE_MS = 5000
const MAX_BYTES = 64 * 1024
/** It was delivered; what a receiver writes back is of no interest. */
const DELIVERED = /^(?:NON_JSON_RESPONSE|INVALID_JSON|ENCODED_RESPONSE_DENIED|RESPONSE_TOO_LARGE|UPSTREAM_HTTP_2\d\d)$/

const NOT_SENT = { ok: false, code: 'NOTICE_FAILED' } as const

export const reviewWebhook =
  (url: string | null, exchange: JsonExchange, log: Log) =>
  async (notice: ReviewNotice): Promise<void> => {
    if (url === null) return
    const explanations = explainAll(notice.reasons)
    const body = JSON.stringify({ schema: 'orch.review-notice/v1', ...notice, explanations })
    const request = { url, body, status: 200, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES }
    // Nobody waits for the notice, so nothing of it may be left unhandled.
    const answer = await Promise.try(() => exchange(request)).catch(() => NOT_SENT)
    if (!answer.ok && !DELIVERED.test(answer.code))
      log.warn({ code: answer.code, review_id: notice.review_id }, 'the review webhook was not delivered')
  }
