/** What a webhook is told of a decision that waits: its body in either shape, and the signature over it. Pure. */
import { createHmac } from 'node:crypto'
import { type Explanation, explainAll } from '@orch/core'
import type { ReviewTicket } from '../contract.ts'

export interface ReviewNotice extends ReviewTicket {
  operation: string
  /** One masked line; null where a gate did not finish. */
  question: string | null
  tool: string | null
  tool_sha256: string | null
  agent: string | null
  reasons: readonly string[]
}

export type NoticeFormat = 'json' | 'slack'

export function noticeBody(notice: ReviewNotice, format: NoticeFormat): string {
  const explanations = explainAll(notice.reasons)
  const body =
    format === 'slack'
      ? slackMessage(notice, explanations)
      : { schema: 'orch.review-notice/v1', ...notice, explanations }
  return JSON.stringify(body)
}

/** `t` is in the signed bytes, so a receiver that compares it with its own clock refuses what is sent a second time. */
export function noticeSignature(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/** The question is the words of whoever asked: as plain text it makes no link, mention or form in the message. */
function slackMessage(notice: ReviewNotice, explanations: readonly Explanation[]) {
  const { review_id, url, expires_at, operation, question, tool, tool_sha256, agent } = notice
  const title = `A decision waits for a person: ${explanations.map(({ title }) => title).join(', ')}`
  const named = [
    tool ?? (tool_sha256 === null ? null : `unregistered tool ${tool_sha256.slice(0, 12)}`),
    agent === null ? null : `agent ${agent}`,
    operation,
    `until ${expires_at}`,
  ]
  const link = /^https?:/.test(url) ? `<${url}|Open the review>` : `orch review show ${review_id}`
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  return {
    text: escaped(title),
    blocks: [
      { type: 'section', text: plain(title) },
      { type: 'section', text: plain(question ?? 'The text is not shown: a gate did not finish.') },
      { type: 'context', elements: [plain(named.filter((part) => part !== null).join(' · '))] },
      { type: 'section', text: { type: 'mrkdwn', text: link } },
    ],
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
