import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@orch/client'
import { type Service, startService } from '@orch/server/testing/service.ts'

const PYTHON = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0)
const options = PYTHON === undefined ? { skip: 'SKIPPED: Python 3 is not installed' } : {}
let service: Service

before(async () => {
  if (PYTHON !== undefined) service = await startService()
})
after(() => service?.close())

/** Lines of stdout; a program that ends in an error fails the test. */
async function python(program: string, ...args: string[]): Promise<string[]> {
  const env = { PATH: process.env.PATH, PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(PYTHON as string, ['-W', 'error', '-c', program, ...args], { env, timeout: 100_000 })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 0, `${stdout}\n${stderr}`)
  return stdout.trimEnd().split('\n')
}

const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'

/** `attempt(...)` prints how a governed call ended and how often the function behind it has run. */
const ATTEMPT = `
import sys, json, asyncio
from orch import *
runs = []
def attempt(client, text, as_block=False, **options):
    try:
        if as_block:
            with client.govern("say", text=text, **options): runs.append(text)
            result = "ran"
        else:
            result = client.govern("say", describe=lambda text: text, **options)(lambda text: runs.append(text) or "ran")(text)
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(f"{len(runs)} {result}", flush=True)
`

test('9.3 the Python client runs for an allow, and for a denial and a review nothing', options, async () => {
  const lines = await python(
    `${ATTEMPT}
client = Client(sys.argv[1])
for as_block in (False, True):
    for text in ("What is the capital of France?", "My SSN is 123-45-6789, please file it.", sys.argv[2]):
        attempt(client, text, as_block)
@client.govern("say")
async def later(text):
    """Says it."""
    return text
print(asyncio.run(later("a")), later.__doc__)
`,
    service.url,
    WIRE,
  )
  assert.deepEqual(lines.slice(0, 2), ['1 ran', '1 GovernedDenial: denied: PII_EGRESS'])
  assert.match(lines[2]!, /^1 ReviewRequired: a person has to decide on rev_[0-9a-f]+: /)
  assert.deepEqual(lines.slice(3, 5), ['2 ran', '2 GovernedDenial: denied: PII_EGRESS'])
  assert.match(lines[5]!, /^2 ReviewRequired: /)
  assert.equal(lines[6], 'a Says it.')
})

for (const verdict of ['approve', 'deny'] as const)
  test(`9.3 a Python call that waits ends when somebody says ${verdict}`, options, async () => {
    const client = createClient({ baseUrl: service.url })
    const newest = async () => (await client.reviews.list({ query: { limit: 1 } })).items[0]?.review_id
    const earlier = await newest()
    const program = `${ATTEMPT}\nattempt(Client(sys.argv[1]), sys.argv[2], on_review="wait", timeout=60)`
    const running = python(program, service.url, WIRE)
    let review_id = await newest()
    while (review_id === earlier) review_id = await newest()
    const params = { review_id: review_id! }
    await client.reviews.decide({ params, body: { verdict, reason: 'as agreed' } })
    const ended = { approve: '1 ran', deny: `0 GovernedDenial: the review ${review_id} ended denied` }
    assert.deepEqual(await running, [ended[verdict]])
    const { state } = await client.reviews.read({ params })
    assert.equal(state, verdict === 'approve' ? 'consumed' : 'denied')
  })

test('9.3 the Python client verifies digest and chain, and names what was changed', options, async () => {
  const lines = await python(
    `${ATTEMPT}
import base64
client = Client(sys.argv[1])
digests = [client.decide(f"What is {n} plus {n}?").receipt["digest"] for n in range(3)]
bodies = client.chain(digests[-1])
show = lambda report: print(report.holds, len(report.digests), len(report.faults), "|".join(report.not_checked))
show(verify_chain(bodies))
show(verify_chain([client.receipt(digest) for digest in digests]))
show(verify_receipt(client.receipt(digests[0]), digests[0]))
show(verify_receipt(client.call("GET", "/api/orch/v1/receipt/export?digest=" + digests[0]), digests[0]))
show(verify_receipt(client.receipt(digests[0]), digests[1]))
show(verify_chain(bodies[:-2] + bodies[-1:]))
show(verify_chain(bodies[:-2] + [bodies[-1], bodies[-2]]))
show(verify_chain(bodies + bodies[-1:]))
show(verify_chain(bodies[:1] + [bodies[1].replace(b'"kind":"', b'"kind":"x')] + bodies[2:]))
show(verify_chain([]))
changed = client.receipt(digests[0])
changed["dsse"]["payload"] = base64.b64encode(base64.b64decode(changed["dsse"]["payload"]).replace(b"ALLOW", b"DENY_")).decode()
show(verify_receipt(changed))
for bad in ({}, {"dsse": 1}, {"dsse": {"payload": "?"}}, b"[]", b'{"a":1,"a":2}', b"\\xff", b"[" * 100000):
    show(verify_receipt(bad))
`,
    service.url,
  )
  assert.match(lines[0]!, /^True \d+ 0 signature\|inclusion$/)
  assert.match(lines[1]!, /^True 3 0 signature\|inclusion\|public\/governance before #\d+$/)
  assert.deepEqual(lines.slice(2, 4), Array(2).fill('True 1 0 signature|chain|inclusion'))
  assert.equal(lines.length, 18)
  for (const line of lines.slice(4)) assert.match(line, /^False \d+ [1-9]/)
})

test('9.3 the page on Python runs as it stands', options, async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/python.md'), 'utf8')
  const blocks = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  const lines = await python(blocks.join('\n').replaceAll('http://127.0.0.1:8080', service.url))
  assert.equal(lines[0], 'sent 44 characters to customer-7')
  assert.match(lines[1]!, /^denied PII_EGRESS [0-9a-f]{64}$/)
  assert.match(lines[2]!, /^waits for a person: rev_/)
  assert.match(lines[3]!, /^published under receipt [0-9a-f]{64}$/)
  assert.match(lines[4]!, /^receipt Verification\(holds=True, /)
  assert.match(lines[5]!, /^chain True \d+ receipts; not checked: signature, inclusion$/)
})

type Answer = (request: IncomingMessage, response: ServerResponse, text: string) => void
type Asked = { key: string | undefined; body: Record<string, unknown> }

/** Something that stands in the place of the service and gives these answers in order. */
async function inPlaceOfTheService(answers: readonly Answer[], program: string) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body = JSON.parse(text || '{}')
    asked.push({ key: request.headers['idempotency-key'] as string | undefined, body })
    answers[Math.min(asked.length, answers.length) - 1]!(request, response, String(body.text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { asked, lines: await python(`${ATTEMPT}\n${program}`, url) }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const decided = (text: string, more: object = {}) => ({
  schema: 'orch.decision/v1',
  decision: 'allow',
  reasons: ['ALL_STAGES_PASSED'],
  dry_run: false,
  input_source: 'CALLER',
  input_sha256: createHash('sha256').update(text).digest('hex'),
  receipt: { digest: 'd'.repeat(64) },
  review: null,
  ...more,
})
const reply =
  (more: object = {}): Answer =>
  (_, response, text) =>
    response.end(JSON.stringify(decided(text, more)))
const raw =
  (body: string | Buffer, status = 200, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

test('9.3 an answer that is no allow about this very request runs nothing', options, async () => {
  const hostile: Answer[] = [
    reply({ schema: 'orch.decision/v2' }),
    reply({ decision: 'ALLOW' }),
    reply({ decision: true }),
    reply({ reasons: 'none' }),
    reply({ reasons: [1] }),
    reply({ receipt: null }),
    reply({ receipt: { digest: 'short' } }),
    reply({ dry_run: true }),
    reply({ dry_run: 0 }),
    reply({ input_source: 'DEFAULT_EXAMPLE' }),
    reply({ input_sha256: '0'.repeat(64) }),
    reply({ decision: 'review', review: null }),
    reply({ decision: 'review', review: { review_id: '../../healthz' } }),
    raw('[]'),
    raw('"allow"'),
    raw('null'),
    raw('not JSON'),
    raw(Buffer.from([0xff, 0xfe])),
    raw('['.repeat(200_000)),
    (_, response, text) => response.end(JSON.stringify(decided(text)).replace('{', '{"decision":"deny",')),
    (_, response, text) => response.end(JSON.stringify(decided(text)).slice(0, -1)),
    (_, response, text) => response.end(`${JSON.stringify(decided(text))}{}`),
    (_, response, text) => response.writeHead(203).end(JSON.stringify(decided(text))),
    (_, response, text) => response.writeHead(500).end(JSON.stringify(decided(text))),
    raw('', 302, { location: '/elsewhere' }),
    raw('', 204),
    raw(' '.repeat(9 * 1024 * 1024)),
    (request) => request.socket.destroy(),
    (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}'),
    (request) => request.socket.end('nonsense\r\n\r\n'),
  ]
  const program = `client = Client(sys.argv[1], retries=0)\nfor _ in range(${hostile.length}): attempt(client, "hello")\nprint("end")`
  const { asked, lines } = await inPlaceOfTheService(hostile, program)
  assert.equal(asked.length, hostile.length, 'a redirect is not followed')
  assert.equal(lines.pop(), 'end')
  for (const [at, line] of lines.entries())
    assert.match(line, /^0 GovernanceUnavailable: no decision: /, `answer ${at}`)
})

test('9.3 a mistake of the caller is named with its place and is not called unavailable', options, async () => {
  const lines = await python(
    `${ATTEMPT}
client = Client(sys.argv[1])
try: client.receipt("zz")
except ServiceError as error: print(error.status, error.code, error)
attempt(client, "hello", declared="NOBODY")
try: client.govern("say", tol="mailer")
except TypeError as error: print(error)
attempt(client, "half \\ud800")
try: client.govern("say", describe=lambda text: None)(runs.append)("hello")
except ServiceError as error: print(len(runs), error)`,
    service.url,
  )
  assert.match(lines[0]!, /^422 validation_error HTTP status 422, validation_error: path\.digest: .+/)
  assert.match(lines[1]!, /^0 ServiceError: HTTP status 422, validation_error: body\.declared: .*PUBLIC/)
  assert.match(lines[2]!, /^govern\(\) has no argument 'tol': it takes .*tool/)
  assert.deepEqual(lines.slice(3), [
    '0 ServiceError: body.text holds half of a pair of surrogates, which is no character',
    '0 body.text must be a text and is of type NoneType',
  ])
})

test(
  'a token that no header can carry is refused and not shown, and white space around it is not sent',
  options,
  async () => {
    const authorization: (string | undefined)[] = []
    const program = `
for token in ("SECRET\\nTOKEN", "SECRET TOKEN", "SECRET\\u00e9", "\\n"):
    try: Client(sys.argv[1], token)
    except ValueError as error: print(error)
attempt(Client(sys.argv[1], " secret-1\\r\\n"), "hello")
`
    const answer: Answer = (request, response, text) => {
      authorization.push(request.headers.authorization)
      reply()(request, response, text)
    }
    const { lines } = await inPlaceOfTheService([answer], program)
    assert.deepEqual(lines, [...Array(4).fill('token must be printable ASCII without spaces and line breaks'), '1 ran'])
    assert.deepEqual(authorization, ['Bearer secret-1'])
  },
)

test('9.3 an answer that trickles in, or never comes, is cut off', options, async () => {
  const trickle: Answer = (_, response, text) => {
    const bytes = JSON.stringify(decided(text))
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
    response.write(bytes)
  }
  const silent: Answer = () => undefined
  const program = 'client = Client(sys.argv[1], retries=0, timeout=1)\nfor _ in range(2): attempt(client, "hello")'
  const { lines } = await inPlaceOfTheService([trickle, silent], program)
  for (const line of lines) assert.match(line, /^0 GovernanceUnavailable: no decision: no answer from /)
})

test('9.3 a lost answer is asked for again under the same key, and the function runs once', options, async () => {
  const lost: Answer = (request) => request.socket.destroy()
  const { asked, lines } = await inPlaceOfTheService(
    [lost, raw('', 503), reply()],
    'attempt(Client(sys.argv[1]), "hello")',
  )
  assert.deepEqual(lines, ['1 ran'])
  assert.equal(asked.length, 3)
  assert.match(asked[0]!.key!, /^[0-9a-f]{32}$/)
  assert.equal(new Set(asked.map(({ key }) => key)).size, 1)
})

test('9.3 arguments leave the process as a digest only, and what changed meanwhile does not run', options, async () => {
  const program = `
client = Client(sys.argv[1])
secret = client.govern("store a secret", tool="vault")(lambda *args, **kwargs: runs.append(args))
secret("hunter2", note={"deep": ["hunter2"]})
for bad in (object(), {1: "a"}, float("nan"), "\\ud800"):
    try: secret(bad)
    except TypeError as error: print(len(runs), error)
shared = []
changing = client.govern("append", describe=lambda value: value.append(1) or "harmless")(lambda value: runs.append(value))
try: changing(shared)
except TypeError as error: print(len(runs), error)
for url, token in (("ftp://a", None), ("http://a/b", None), ("http://u:p@a", None), ("http://example.org", "t"), ("", None)):
    try: Client(url, token)
    except ValueError as error: print(error)
print(Client("https://example.org", "t").base_url, Client("http://127.0.0.1:1", "t").base_url)
`
  const { asked, lines } = await inPlaceOfTheService([reply()], program)
  assert.doesNotMatch(JSON.stringify(asked), /hunter2/)
  const { text, tool, context } = asked[0]!.body as { text: string; tool: string; context: Record<string, string> }
  assert.deepEqual([text, tool, context.action], ['store a secret', 'vault', 'store a secret'])
  assert.match(context.arguments_sha256!, /^[0-9a-f]{64}$/)
  assert.equal(asked.length, 2, 'the first call and the one whose arguments changed')
  for (const line of lines.slice(0, 4)) assert.match(line, /^1 the arguments are not plain data/)
  assert.equal(lines[4], '1 the arguments changed after they were decided on')
  assert.equal(lines.length, 11)
})

test(
  '9.3 every public name of the Python client has a docstring and types, and nothing but the standard library is used',
  options,
  async () => {
    const lines = await python(`
import ast, sys, inspect, orch
tree = ast.parse(open(orch.__file__, encoding="utf-8").read())
modules = {name.split(".")[0] for node in ast.walk(tree) for name in (
    [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else [])}
print(sorted(modules - set(sys.stdlib_module_names)) if hasattr(sys, "stdlib_module_names") else [])
named = [getattr(orch, name) for name in orch.__all__]
members = [m for one in named if inspect.isclass(one) for n, m in vars(one).items() if inspect.isfunction(m) and not n.startswith("_")]
print([one.__qualname__ for one in named + members if not one.__doc__])
untyped = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and (node.returns is None
    or any(a.annotation is None and a.arg not in ("self",) for a in node.args.args + node.args.kwonlyargs))]
print(untyped)
`)
    assert.deepEqual(lines, ['[]', '[]', '[]'])
  },
)
