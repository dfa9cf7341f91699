/** Tells somebody that a decision waits. Nobody waits for it, and a receiver that does not answer changes nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonExchange } from '../../adapters/outbound/contract.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../ports.ts'
import { type NoticeFormat, noticeBody, noticeSignature, type ReviewNotice } from './notice.ts'

interface Webhook {
  url: string
  /** Null: notices are not signed. */
  secret: string | null
  format: NoticeFormat
}

interface Parts {
  exchange: JsonExchange
  log: Pick<Log, 'warn'>
  clock: Pick<Clock, 'now'>
  /** Ends the tries that are left when the service stops. */
  signal: AbortSignal
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const DEADLINE_MS = 5000
const MAX_BYTES = 64 * 1024
/** Before the second try and each one after it. */
const WAITS_MS = [2_000, 10_000, 60_000, 300_000]
/** Beyond so many that wait for another try, a notice is sent once. */
const MAX_WAITING = 200
/** It was delivered; what a receiver writes back is of no interest. */
const DELIVERED = /^(?:NON_JSON_RESPONSE|INVALID_JSON|ENCODED_RESPONSE_DENIED|RESPONSE_TOO_LARGE|UPSTREAM_HTTP_2\d\d)$/
/** The same request would be refused again. */
const FINAL = /^(?:TRANSPORT_DISABLED|DESTINATION_DENIED|UPSTREAM_HTTP_(?:3\d\d|4(?!08|25|29)\d\d))$/

const NOT_SENT = { ok: false, code: 'NOTICE_FAILED' } as const

const unreferenced = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false })

export function reviewWebhook(webhook: Webhook | null, parts: Parts): (notice: ReviewNotice) => Promise<void> {
  if (webhook === null) return async () => undefined
  const { exchange, log, clock, signal, wait = unreferenced } = parts
  let waiting = 0

  /** Null once it was delivered. */
  const send = async (body: string): Promise<string | null> => {
    const { url, secret } = webhook
    const headers: Record<string, string> =
      secret === null ? {} : { 'x-orch-signature': noticeSignature(secret, body, clock.now()) }
    const request = { url, body, headers, status: 200, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES }
    const answer = await Promise.try(() => exchange(request, signal)).catch(() => NOT_SENT)
    return answer.ok || DELIVERED.test(answer.code) ? null : answer.code
  }

  /** A quarter more or less: what failed together is not sent together again. */
  const spread = (ms: number): number => ms * (0.75 + (clock.now() % 500) / 1000)

  /** False where nobody is to be told any more: the service stops, or the review has ended. */
  const waited = async (ms: number, notice: ReviewNotice): Promise<boolean> => {
    if (waiting >= MAX_WAITING) return false
    waiting += 1
    try {
      return await wait(spread(ms), signal).then(
        () => !signal.aborted && clock.now() < Date.parse(notice.expires_at),
        () => false,
      )
    } finally {
      waiting -= 1
    }
  }

  return async (notice) => {
    const body = noticeBody(notice, webhook.format)
    let [code, tries] = [await send(body), 1]
    for (const ms of WAITS_MS) {
      if (code === null || FINAL.test(code) || !(await waited(ms, notice))) break
      code = await send(body)
      tries += 1
    }
    if (code !== null) log.warn({ code, tries, review_id: notice.review_id }, 'the review webhook was not delivered')
  }
}
