import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import net from 'node:net'
import { after, test } from 'node:test'
import { isLabel } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { type Answer, send } from '#testing/raw-http.ts'

const COMMIT = 'a'.repeat(40)
const P = '/api/orch/v1'
const VERSION = `${P}/version`
const HONEST = `${P}/honest`
const SOURCE = '/.well-known/orch-source.json'
const ATTESTATION = '/.well-known/orch-source-v2.json'
const PRODUCT = '/.well-known/source.json'
const ALL = [VERSION, HONEST, SOURCE, ATTESTATION, PRODUCT]

const memory = { ORCH_STORE: 'memory' }
const plain = await startApp({ after }, memory)
const get = (path: string, service = plain): Promise<Answer> => send(`${service.url}${path}`)
const codesOf = (answer: Answer): string[] => answer.json.disclosures.map(({ code }: { code: string }) => code)

test('the version record answers with nothing configured and names what it does not know', async () => {
  const { status, json } = await get(VERSION)
  assert.equal(status, 200)
  assert.deepEqual([json.name, json.version, json.expected_release_tag], ['orch', '1.1.0', 'v1.1.0'])
  assert.equal(json.surfaces.canonical, plain.url, 'the bound address')
  assert.equal(json.sources['surfaces.canonical'], 'computed')
  assert.equal(json.surfaces.registry, 'unknown')
  assert.equal(json.hosted_space_sha_readback.status, 'NOT_CONFIGURED')
  assert.deepEqual(json.readings.hosted_space, { mode: 'unreachable', fetched_at: null, age_seconds: null })
  assert.deepEqual(json.honesty, { configured_is_operational: false, conjecture_promoted: false, doi_invented: false })
  assert.equal(json.lambda, 'Conjecture 1 (not a theorem; ceiling 0.97)')
  assert.equal(json.verify.honest, `${plain.url}${HONEST}`)
})

test('every mounted surface has one row and one label, and no other surface has any', async () => {
  const { paths } = (await get('/openapi.json')).json
  const ids = Object.values(paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId.split('.')[0])
  const mounted = [...new Set(ids)].sort()
  const { capabilities } = (await get(VERSION)).json
  const { labels } = (await get(HONEST)).json
  assert.deepEqual(
    capabilities.map(({ name }: { name: string }) => name),
    mounted,
  )
  assert.deepEqual(Object.keys(labels).sort(), mounted)
  assert.ok(mounted.includes('layer'), 'what a test mounts is mounted')
  for (const { name, label } of capabilities) {
    assert.ok(isLabel(label), label)
    assert.equal(labels[name].label, label)
    assert.ok(labels[name].why.length > 0)
  }
})

test('what is configured is shown as configured', async (t) => {
  const settings = {
    ORCH_GIT_SHA: COMMIT,
    ORCH_DEPLOYED_COMMIT: COMMIT,
    ORCH_BUILD_TIME: '2026-01-01T02:00:00+02:00',
    ORCH_DEPLOY_TARGET: 'a-place',
    ORCH_BASE_URL: 'https://orch.example',
    ORCH_REGISTRY_URL: 'https://registry.example',
    ORCH_REPO_URL: 'https://git.example/orch',
    ORCH_RELEASE_TAG: 'v1.1.0',
    ORCH_DOI_CONCEPT: '10.1234/concept',
    ORCH_SPACE: 'somebody/space',
    ORCH_SPACE_SHA: COMMIT,
    ORCH_OUTBOUND: 'off',
    ORCH_SOURCE_REPO_URL: 'https://other.example',
  }
  const service = await startApp(t, { ...memory, ...settings })
  const { json } = await get(VERSION, service)
  assert.deepEqual([json.git_sha, json.sources.git_sha], [COMMIT, 'env:ORCH_GIT_SHA'])
  assert.equal(json.build_time, '2026-01-01T00:00:00.000Z')
  assert.deepEqual([json.release_state, json.p6_status], ['CONFIGURED_UNVERIFIED', 'NOT_SIGNED_OFF'])
  assert.deepEqual([json.hosted_space_sha, json.hosted_space_sha_readback.status], ['unknown', 'UNREACHABLE'])
  assert.equal(json.hosted_space_sha_readback.configured_env, COMMIT)
  assert.equal(json.hosted_space_sha_readback.env_matches_live, false)
  assert.equal(json.doi.concept.url, 'https://doi.org/10.1234/concept')
  assert.equal(json.changelog, `https://git.example/orch/blob/${COMMIT}/CHANGELOG.md`)

  const attestation = (await get(ATTESTATION, service)).json
  assert.equal(attestation.alignment_state, 'MATCH')
  assert.deepEqual(attestation.deployed_commit.evidence_class, 'STRUCTURAL-ONLY')
  assert.equal(attestation.image_digest.evidence_class, 'UNAVAILABLE')
  assert.equal(attestation.deployment_target, 'a-place')

  const product = (await get(PRODUCT, service)).json
  assert.deepEqual([product.origin, product.git_sha_source], ['https://orch.example', 'env:ORCH_GIT_SHA'])
  const honest = await get(HONEST, service)
  assert.deepEqual(honest.json.outbound, {
    enabled: false,
    configured_sources: ['hosted-space'],
    overridden_sources: ['REPO'],
  })
  assert.ok(codesOf(honest).includes('OUTBOUND_OFF'))
  assert.ok(!codesOf(honest).includes('HOSTED_SPACE_NOT_CONFIGURED'))
})

test('the commit that git and the operator disagree about is in conflict', async (t) => {
  const known = (await get(VERSION)).json.sources.git_sha
  if (known !== 'git') return t.skip('SKIPPED: these sources are not a git checkout')
  const service = await startApp(t, { ...memory, ORCH_GIT_SHA: COMMIT })
  const { source, evidence_state: evidence } = (await get(SOURCE, service)).json
  assert.deepEqual([source.commit, source.state, evidence], [COMMIT, 'CONFLICT', 'COMPUTED'])
  const { build } = (await get('/api/build-info', service)).json
  assert.deepEqual([build.conflicts[0].field, build.conflicts[0].state], ['git_sha', 'CONFLICT'])
  assert.ok(codesOf(await get(HONEST, service)).includes('BUILD_CONFLICT'))
})

test('the attestation is the same bytes a hundred times, and their digest is the tag', async () => {
  const texts = new Set<string>()
  let etag: string | undefined
  for (let n = 0; n < 100; n++) {
    const answer = await get(ATTESTATION)
    texts.add(answer.text)
    etag = answer.headers.etag
  }
  assert.equal(texts.size, 1)
  const [text] = texts
  assert.equal(
    etag,
    `"${createHash('sha256')
      .update(text as string)
      .digest('hex')}"`,
  )
  const known = await send(`${plain.url}${ATTESTATION}`, { headers: { 'if-none-match': etag as string } })
  assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', etag])
})

test('the deployment document repeats its states in headers and claims nothing', async () => {
  const { json, headers } = await get(SOURCE)
  assert.equal(headers['x-orch-transport-state'], 'REACHABLE')
  assert.equal(headers['x-orch-evidence-state'], json.evidence_state)
  assert.equal(headers['x-orch-verification-state'], 'STRUCTURAL_ONLY')
  assert.equal(headers['x-orch-authority-state'], 'READ_ONLY')
  assert.deepEqual(new Set(Object.values(json.claims)), new Set(['NOT_CLAIMED']))
  assert.deepEqual([json.alignment_state, json.refresh], ['UNKNOWN', null])
})

test('the honest record answers identically on both of its paths', async () => {
  const [one, other] = [await get(HONEST), await get('/honest')]
  assert.deepEqual(other.json, one.json)
  assert.deepEqual(one.json.doctrine_lock.locked_formula_ids, ['F1', 'F4', 'F7', 'F11', 'F12', 'F18', 'F19', 'F22'])
  const { declarations, axioms, sorries } = one.json.doctrine_lock
  assert.deepEqual([declarations, axioms, sorries], [749, 14, 163])
  assert.deepEqual(one.json.persistence, { mode: 'EPHEMERAL', production_ready: false, survives_restart: false })
})

test('a disclosure stands as long as it holds: another signer or store takes its line away', async (t) => {
  const demo = await get(HONEST)
  assert.deepEqual([demo.json.signing.status, demo.json.signing.key_kind], ['DEMO', 'demo'])
  assert.ok(codesOf(demo).includes('DEMO_SIGNED') && codesOf(demo).includes('EPHEMERAL_LEDGER'))
  const unsigned = await get(HONEST, await startApp(t, { ORCH_SIGNER: 'none' }))
  assert.equal(unsigned.json.signing.status, 'UNSIGNED')
  assert.ok(codesOf(unsigned).includes('UNSIGNED'))
  assert.ok(!codesOf(unsigned).includes('DEMO_SIGNED') && !codesOf(unsigned).includes('EPHEMERAL_LEDGER'))
  assert.equal(unsigned.json.persistence.survives_restart, true)
  for (const { since } of unsigned.json.disclosures) assert.ok(!Number.isNaN(Date.parse(since)))
})

const outside = { ORCH_SPACE: 'somebody/space', ORCH_REPO: 'somebody/orch', ORCH_OUTBOUND: 'off' }
const quiet = await startApp({ after }, { ...memory, ...outside })

test('a round is asked for at most once in a while, never by HEAD, and only by 0 or 1', async () => {
  await send(`${quiet.url}${SOURCE}?refresh=1`, { method: 'HEAD' })
  const refreshes = [1, 1].map(async () => (await get(`${SOURCE}?refresh=1`, quiet)).json.refresh)
  assert.deepEqual((await Promise.all(refreshes)).sort(), ['QUEUED', 'TOO_SOON'])
  for (const wrong of ['2', '-1', 'abc', '0.5', ''])
    assert.equal((await get(`${SOURCE}?refresh=${wrong}`, quiet)).status, 422, wrong)
})

test('none of these opens a connection, appends or says where on the machine it runs', async (t) => {
  const { connect } = net.Socket.prototype
  const opened: unknown[] = []
  t.after(() => {
    net.Socket.prototype.connect = connect
  })
  net.Socket.prototype.connect = function (this: net.Socket, ...to: Parameters<typeof connect>) {
    opened.push(to)
    return Reflect.apply(connect, this, to)
  } as typeof connect
  const answers = [...(await Promise.all(ALL.map((path) => quiet.app.http.inject(path)))), await get(VERSION, quiet)]
  assert.equal(opened.length, 1, 'only the request the test itself sent, which shows that the spy sees')
  assert.equal(quiet.app.ports.ledger.state().size, 0)
  for (const answer of answers) {
    const text = 'body' in answer ? answer.body : answer.text
    for (const place of [process.cwd(), quiet.data]) assert.ok(!text.includes(place), text)
  }
})
