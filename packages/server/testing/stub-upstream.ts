// An OpenAI-compatible target for tests: a real HTTP server that answers what it is told to, remembers what it was asked
// and notices when it is left.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from './layer.ts'

interface Asked {
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: what a request holds is what the test looks at
  body: any
}

type Answering = (asked: Asked, response: ServerResponse) => void | Promise<void>

interface StubUpstream {
  url: string
  asked: Asked[]
  /** Requests whose client left before the answer was whole. */
  left: number
  /** How it answers from now on. */
  answer(answering: Answering): void
}

export async function startStubUpstream(scope: Scope, answering: Answering = say('Paris.')): Promise<StubUpstream> {
  let current = answering
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString('utf8') || 'null')
    const asked = { path: request.url ?? '', headers: request.headers, body }
    stub.asked.push(asked)
    response.on('close', () => {
      if (!response.writableFinished) stub.left += 1
    })
    await current(asked, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stub: StubUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    left: 0,
    answer: (next) => {
      current = next
    },
  }
  scope.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return stub
}

export const completionOf = (content: string | null, more: object = {}, model = 'stub-model') => ({
  id: 'chatcmpl-stub',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
})

export const sendJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The text as one answer, or as the given pieces of a stream, whichever was asked for. */
export const say =
  (text: string | string[], { pauseMs = 0, usage = true } = {}): Answering =>
  async (asked, response) => {
    const pieces = typeof text === 'string' ? (text.match(/[\s\S]{1,7}/gu) ?? []) : text
    if (asked.body?.stream !== true) {
      const { usage: counts, ...whole } = completionOf(pieces.join(''), {}, asked.body?.model)
      return sendJson(response, usage ? { ...whole, usage: counts } : whole)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      response.write(chunkOf({ content: piece }, null, asked.body.model))
      if (pauseMs > 0) await pause(pauseMs)
    }
    response.write(chunkOf({}, 'stop', asked.body.model))
    if (usage) response.write(dataOf({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }))
    response.end('data: [DONE]\n\n')
  }

export const dataOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const chunkOf = (delta: object, finish_reason: string | null = null, model = 'stub-model'): string =>
  dataOf({ id: 'chatcmpl-stub', object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason }] })
