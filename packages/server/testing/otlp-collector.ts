// A collector for tests: a real HTTP server that takes what a real one takes over OTLP/HTTP in JSON, keeps it, and can be
// stopped while somebody exports to it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

interface Collector {
  url: string
  spans: SentSpan[]
  /** Every request as it came, probes without a span included. */
  seen: { authorization: string | undefined; url: string | undefined; text: string }[]
  /** Answers from now on with this status. */
  answer(status: number): void
  stop(): Promise<void>
}

export async function startCollector(scope: { after(clean: () => Promise<void>): void }): Promise<Collector> {
  let status = 200
  const spans: SentSpan[] = []
  const seen: Collector['seen'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    seen.push({ authorization: request.headers.authorization, url: request.url, text })
    if (status === 200)
      for (const resource of JSON.parse(text).resourceSpans)
        for (const scopeSpans of resource.scopeSpans) spans.push(...scopeSpans.spans)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  scope.after(stop)
  const answer = (next: number) => {
    status = next
  }
  return { url, spans, seen, answer, stop }
}

export const attributesOf = ({ attributes }: SentSpan): Record<string, string | number | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

/** The one span of this name. */
export function onlySpan(spans: readonly SentSpan[], name: string): SentSpan {
  const found = spans.filter((span) => span.name === name)
  assert.equal(found.length, 1, `${name}: ${found.length} spans of ${spans.map((span) => span.name).join(', ')}`)
  return found[0]!
}
