// Operations that exist to try the operation layer: each shows one thing the layer promises to the real ones.
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'
import { type Operation, operation, Reply } from '../src/operation.ts'

const group = 'Operations'
const Claim = Type.Object({ claim_id: Type.String({ minLength: 1, maxLength: 8 }) }, { additionalProperties: false })
const EchoBody = Type.Object(
  {
    claims: Type.Optional(Type.Array(Claim, { maxItems: 64 })),
    note: Type.Optional(Type.String({ minLength: 2, maxLength: 4 })),
    amount: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    deep: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)
const Echo = Type.Object(
  { input_source: Type.String(), body: Type.Unknown(), caller: Type.String() },
  { additionalProperties: false },
)
const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  ratio: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  flag: Type.Optional(Type.Boolean()),
  word: Type.Optional(Type.String({ maxLength: 5 })),
})
const AnyObject = Type.Record(Type.String(), Type.Unknown())

const echo = operation({
  id: 'layer.echo',
  group,
  method: 'POST',
  path: '/layer/echo',
  alias: true,
  scope: null,
  summary: 'The checked body, as it came',
  body: EchoBody,
  reply: Echo,
  run: ({ body, inputSource, caller }) => ({ input_source: inputSource, body, caller: caller.owner }),
})

const open = operation({
  id: 'layer.open',
  group,
  method: 'POST',
  path: '/layer/open',
  scope: null,
  summary: 'Any object at all',
  body: AnyObject,
  reply: AnyObject,
  run: ({ body }) => ({ keys: Object.keys(body), seen: body }),
})

const example = operation({
  id: 'layer.example',
  group,
  method: 'POST',
  path: '/layer/example',
  scope: null,
  summary: 'Runs its example when nothing was sent',
  body: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  emptyBody: 'example',
  example: { body: { text: 'documented' } },
  reply: Echo,
  run({ body, inputSource }) {
    const seen = { ...body }
    // What an operation does to its input stays within its request.
    body.text = 'scribbled over'
    return { input_source: inputSource, body: seen, caller: 'unused' }
  },
})

const search = operation({
  id: 'layer.search',
  group,
  method: 'GET',
  path: '/layer/search',
  alias: true,
  scope: null,
  summary: 'The query as it was read',
  query: Query,
  reply: AnyObject,
  run: ({ query }) => ({ query }),
})

const item = operation({
  id: 'layer.item',
  group,
  method: 'GET',
  path: '/layer/items/:item_id',
  scope: null,
  summary: 'The path parameter as it was read',
  params: Type.Object({ item_id: Type.String({ maxLength: 64 }) }),
  reply: Type.Object({ item_id: Type.String() }, { additionalProperties: false }),
  run: ({ params }) => ({ item_id: params.item_id }),
})

/** How often it was run here, so that a test outside knows when its requests have arrived. */
let slowRuns = 0

export const slow = operation({
  id: 'layer.slow',
  group,
  method: 'GET',
  path: '/layer/slow',
  scope: null,
  summary: 'Answers after a while',
  query: Type.Object({ ms: Type.Integer({ minimum: 0, maximum: 60_000 }) }),
  reply: AnyObject,
  async run({ query }) {
    slowRuns += 1
    await pause(query.ms)
    return { waited_ms: query.ms }
  },
})

const slowCount = operation({
  id: 'layer.slowCount',
  group,
  method: 'GET',
  path: '/layer/slow-count',
  scope: null,
  summary: 'How many slow answers were begun',
  reply: AnyObject,
  run: () => ({ begun: slowRuns }),
})

export const throwing = operation({
  id: 'layer.throwing',
  group,
  method: 'GET',
  path: '/layer/throwing',
  scope: null,
  summary: 'Fails in a way nobody foresaw',
  query: Type.Object({ late: Type.Optional(Type.Boolean()) }),
  reply: AnyObject,
  run({ query }) {
    const failure = new Error('ENOENT: /srv/private/planted-path: planted-text')
    if (query.late) return pause(1).then(() => Promise.reject(failure))
    throw failure
  },
})

export const unsendable = operation({
  id: 'layer.unsendable',
  group,
  method: 'GET',
  path: '/layer/unsendable',
  scope: null,
  summary: 'Answers with a header that cannot be sent',
  reply: AnyObject,
  run: () => new Reply({}, { headers: { 'x-planted': 'two\r\nlines: 1' } }),
})

export const stream = operation({
  id: 'layer.stream',
  group,
  method: 'GET',
  path: '/layer/stream',
  scope: null,
  summary: 'Some lines, a moment apart',
  query: Type.Object({ lines: Type.Integer({ minimum: 0, maximum: 100 }), breaks: Type.Optional(Type.Boolean()) }),
  reply: Type.Unknown(),
  produces: 'text/plain',
  run: ({ query }) => new Reply(lines(query.lines, query.breaks === true), { type: 'text/plain; charset=utf-8' }),
})

async function* lines(count: number, breaks: boolean): AsyncGenerator<string> {
  for (let line = 0; line < count; line += 1) {
    yield `line ${line}\n`
    await pause(20)
  }
  if (breaks) throw new Error('the source dried up: planted-text')
}

const read = operation({
  id: 'layer.read',
  group,
  method: 'GET',
  path: '/layer/guarded',
  scope: 'receipts:read',
  summary: 'Needs the scope to read',
  reply: AnyObject,
  run: ({ caller }) => ({ namespace: caller.namespace, owner: caller.owner, key_id: caller.keyId }),
})

const write = operation({
  id: 'layer.write',
  group,
  method: 'POST',
  path: '/layer/guarded',
  scope: 'receipts:write',
  summary: 'Needs the scope to write',
  body: AnyObject,
  reply: AnyObject,
  run: ({ caller }) => ({ namespace: caller.namespace, owner: caller.owner, key_id: caller.keyId }),
})

/** Waits until it is called off and tells the test why. */
export const waiting = (calledOff: (reason: string) => void): Operation =>
  operation({
    id: 'layer.waiting',
    group,
    method: 'POST',
    path: '/layer/waiting',
    scope: null,
    summary: 'Never answers by itself',
    body: AnyObject,
    emptyBody: 'example',
    example: { body: {} },
    reply: AnyObject,
    run: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          calledOff((signal.reason as Error).message)
          // The late result that must be dropped.
          resolve({ late: true })
        })
      }),
  })

export const LAYER_OPERATIONS: readonly Operation[] = [
  echo,
  open,
  example,
  search,
  item,
  slow,
  slowCount,
  throwing,
  unsendable,
  stream,
  read,
  write,
]
