import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Compile } from 'typebox/compile'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { localRekor } from '#testing/rekor/local-rekor.ts'
import { RECORDING_ENV, type ReplyExample, recordReplies } from '#testing/reply-examples.ts'
import { allOperations, type FeaturePorts } from '../features/index.ts'
import { type Operation, pathsOf } from '../operation.ts'
import { braced, openApi } from './openapi.ts'

const RECORDED = JSON.parse(readFileSync(new URL('./reply-examples.json', import.meta.url), 'utf8')) as Record<
  string,
  ReplyExample
>
const OPERATIONS = allOperations({} as FeaturePorts)
const HELP = 'record them anew: node scripts/record-examples.ts'
const isJson = ({ produces }: Operation): boolean => produces === undefined || produces === 'application/json'

const rekor = await localRekor()
after(() => rekor.close())
const log = { ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: rekor.publicKeyPem }
const service = await startApp({ after }, { ...RECORDING_ENV, ...log }, [])

test('9.6 every operation has one recorded reply, which fits its schema and is short', () => {
  assert.deepEqual(Object.keys(RECORDED).sort(), OPERATIONS.map(({ id }) => id).sort(), HELP)
  const misfits = OPERATIONS.filter(isJson).filter((op) => !Compile(op.reply).Check(RECORDED[op.id]!.value))
  assert.deepEqual(
    misfits.map(({ id }) => id),
    [],
    HELP,
  )
  const sizes = Object.values(RECORDED).map((one) => JSON.stringify(one).length)
  assert.ok(Math.max(...sizes) < 12_000, 'no example is a document of its own')
})

test('9.6 no recorded reply names the machine it was made on, or holds a token or a private key', () => {
  const text = JSON.stringify(RECORDED)
  assert.doesNotMatch(text, /PRIVATE KEY|Bearer [A-Za-z0-9]|\/tmp\/|\/home\/|\/root\//)
  const ports = [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port!)
  assert.deepEqual(
    ports.filter((port) => !['0', '9', '8080'].includes(port)),
    [],
  )
})

const membersOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value).sort() : []

test('9.6 recording anew gives every reply the members that are committed', async () => {
  const { examples, refused } = await recordReplies(service.url, service.data)
  assert.deepEqual(refused, [])
  const changed = OPERATIONS.filter(isJson)
    .map(({ id }) => ({ id, now: membersOf(examples[id]!.value), before: membersOf(RECORDED[id]!.value) }))
    .filter(({ now, before }) => now.join() !== before.join())
  assert.deepEqual(changed, [], HELP)
})

/** Whether the description lets a body pass. */
const described = new Ajv2020({ strict: false, validateFormats: false })
const { components, paths } = openApi(OPERATIONS) as {
  components: object
  paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: object }> } }>>
}
described.addSchema({ $id: 'orch', components })
const schemaOf = (op: Operation): object => {
  const { schema } = paths[braced(pathsOf(op)[0]!)]![op.method.toLowerCase()]!.requestBody.content['application/json']!
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"orch#/components'))
}

test('9.6 what the description requires of a body is exactly what the service requires', async () => {
  const wrong: string[] = []
  let dropped = 0
  for (const op of OPERATIONS.filter(({ body, example }) => body !== undefined && example?.body !== undefined)) {
    const body = op.example!.body as Record<string, unknown>
    const fits = described.compile(schemaOf(op))
    assert.ok(fits(body), `${op.id}: its own example does not fit`)
    const params = (op.example!.params ?? {}) as Record<string, string>
    const path = pathsOf(op)[0]!.replace(/:(\w+)/g, (_, name) => params[name]!)
    for (const name of Object.keys(body)) {
      const { [name]: _, ...rest } = body
      // A body without members may run the documented example instead.
      if (Object.keys(rest).length === 0 && op.emptyBody !== undefined) continue
      dropped += 1
      const { status } = await post(`${service.url}${path}`, JSON.stringify(rest))
      const isRefused = status === 422 || status === 400
      if (isRefused === fits(rest)) wrong.push(`${op.id} without ${name}: ${status}, described as ${fits(rest)}`)
    }
  }
  assert.ok(dropped > 60, `${dropped} members were left out`)
  assert.deepEqual(wrong, [])
})
