import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { importPublicKey, verifyPack } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

// Looked at several times in a row, each time anew.
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [], { resultKeepMs: 0 })
const P = `${service.url}/api/orch/v1`
const { ledger, readiness, metrics, artifacts } = service.app.ports
for (let i = 0; i < 12; i += 1) await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ i, text: 'Grüße' }))

interface Row {
  req_id: string
  status: string
  status_detail: string
  evaluated_at: string | null
  evidence: object | null
}
const rows = async (): Promise<Row[]> => (await send(`${P}/assurance/matrix`)).json.requirements
const statuses = (list: Row[]) => Object.fromEntries(list.map(({ req_id, status }) => [req_id, status]))
const ALL_LIVE = {
  'MC-1': 'LIVE',
  'DC-1': 'LIVE',
  'SBOM-1': 'ROADMAP',
  'SI7-1': 'LIVE',
  'TEVV-1': 'LIVE',
  'RA-1': 'LIVE',
  'IV-1': 'LIVE',
  'ATO-1': 'ROADMAP',
}

test('the note tells a check that failed from what is planned', async () => {
  const { honest_note } = (await send(`${P}/assurance/matrix`)).json
  assert.match(honest_note, /ROADMAP with an evaluated_at means that the check ran then and failed/)
})

test('the eight rows carry the checks that ran and when', async () => {
  const found = await rows()
  assert.deepEqual(statuses(found), ALL_LIVE)
  for (const { status, evaluated_at, evidence } of found)
    assert.deepEqual([evaluated_at !== null, evidence !== null], [status === 'LIVE', status === 'LIVE'])
})

type Break = (t: TestContext) => void
const breaks: [what: string, lost: string[], break_: Break][] = [
  [
    'a registry that was touched',
    ['MC-1', 'TEVV-1'],
    (t) => t.mock.method(artifacts, 'text', async () => ({ path: 'x', present: false, reason: 'gone' })),
  ],
  [
    'a walk that finds a break',
    ['SI7-1', 'RA-1'],
    (t) => {
      const broken = { node_index: 3, organ: 'khipu', seq: 3, reason: 'prev_mismatch', sentence: 'receipt 3 is broken' }
      const [walk, newestWalk] = [ledger.walk.bind(ledger), ledger.newestWalk.bind(ledger)]
      t.mock.method(ledger, 'walk', async () => ({ ...(await walk()), broken }))
      t.mock.method(ledger, 'newestWalk', async () => ({ ...(await newestWalk()), broken }))
    },
  ],
  [
    'a walk that did not come to the head',
    ['SI7-1'],
    (t) => {
      const walk = ledger.walk.bind(ledger)
      t.mock.method(ledger, 'walk', async () => ({ ...(await walk()), walked_to: 11 }))
    },
  ],
  [
    'walks that cannot be made',
    ['SI7-1', 'IV-1', 'RA-1'],
    (t) => {
      for (const name of ['walk', 'audit', 'newestWalk'] as const)
        t.mock.method(ledger, name, async () => {
          throw new Error('/secret/path')
        })
    },
  ],
  [
    'a service that is not ready',
    ['RA-1'],
    (t) => t.mock.method(readiness, 'report', async () => ({ ready: false, blocking: ['store'], components: {} })),
  ],
  ['metrics without a series', ['RA-1'], (t) => t.mock.method(metrics, 'text', async () => '# HELP x y\n')],
  ['a signer that fails its test', ['RA-1', 'IV-1'], (t) => withSigner(t, { ok: false })],
  ['no signing key', ['RA-1', 'IV-1'], (t) => withSigner(t, { ok: false }, { kind: null, keyid: null })],
]
/** Whatever the ledger thread says meanwhile of the signer that works. */
function withSigner(t: TestContext, test: object, more: object = {}): void {
  const { signer } = ledger
  const broken = { ...signer, ...more, test: { ...signer.test, ...test } }
  Object.defineProperty(ledger, 'signer', {
    configurable: true,
    enumerable: true,
    get: () => broken,
    set: () => undefined,
  })
  t.after(() =>
    Object.defineProperty(ledger, 'signer', { configurable: true, enumerable: true, writable: true, value: signer }),
  )
}

for (const [what, lost, break_] of breaks)
  test(`${what} makes ${lost.join(' and ')} ROADMAP with the failing check, and no other row`, async (t) => {
    break_(t)
    const found = await rows()
    assert.deepEqual(statuses(found), { ...ALL_LIVE, ...Object.fromEntries(lost.map((id) => [id, 'ROADMAP'])) })
    for (const id of lost) {
      const row = found.find(({ req_id }) => req_id === id)
      assert.match(row!.status_detail, new RegExp(`^the check of ${id} failed: `))
      assert.ok(row!.evaluated_at !== null && !row!.status_detail.includes('/secret'))
    }
  })

test('a newest receipt whose bytes were changed is a break that the ledger and every row know of from then on', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  const { queries, state } = own.app.ports.ledger
  await post(`${own.url}/api/orch/khipu/sign`, '{"n":1}')
  const newestSigned = queries.newestSigned.bind(queries)
  const body = new TextEncoder().encode('{}')
  t.mock.method(queries, 'newestSigned', async () => ({ ...(await newestSigned())!, body }))
  const matrix = async () => statuses((await send(`${own.url}/api/orch/v1/assurance/matrix`)).json.requirements)
  assert.equal((await matrix())['IV-1'], 'ROADMAP')
  assert.match(state.call(own.app.ports.ledger).readOnly ?? '', /^receipt 0 is broken: /)
  const lost = { 'SI7-1': 'ROADMAP', 'RA-1': 'ROADMAP', 'IV-1': 'ROADMAP' }
  assert.deepEqual(
    await matrix(),
    { ...ALL_LIVE, ...lost },
    'at once, though the rows of before are younger than ten seconds',
  )
  assert.equal((await post(`${own.url}/api/orch/khipu/sign`, '{"n":2}')).status, 503)
})

test('sixteen who ask at once share one look at everything, and it tells when it was taken', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  let now = performance.now()
  t.mock.method(own.app.ports.clock, 'monotonic', () => now)
  const text = t.mock.method(own.app.ports.metrics, 'text')
  const run = t.mock.method(own.app.ports.ledger.queries, 'runFormulas')
  const names = ['assurance/matrix', 'assurance/fit', 'assurance/evidence-pack', 'formula-tiers', 'attest/manifest']
  const urls = names.flatMap((name) => Array<string>(16).fill(`${own.url}/api/orch/v1/${name}`))
  const replies = await Promise.all(urls.map((url) => send(url)))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  assert.equal(run.mock.callCount(), 1, 'runs of the formulas')
  assert.equal(text.mock.callCount(), 1, 'matrices evaluated')
  const dates = replies.slice(0, 16).map(({ json }) => json.requirements[0].evaluated_at)
  assert.equal(new Set(dates).size, 1)
  now += 10_001
  const { json } = await send(urls[0]!)
  assert.notEqual(json.requirements[0].evaluated_at, dates[0], 'ten seconds later all is looked at again')
})

test('nobody is shown the newest receipt of another tenant', async () => {
  const newest = await ledger.queries.newestSigned()
  const own = `${P}/evidence/research`
  const open = [`${P}/assurance/matrix`, `${P}/assurance/fit`, `${own}/hash-chain/live`, `${own}/signed-receipts/live`]
  for (const url of [
    ...open,
    `${own}/offline-verification/live`,
    `${service.url}/api/orch/healthz`,
    `${service.url}/operator-organ/topology.json`,
  ]) {
    const { text, status } = await send(url)
    assert.ok(!text.includes(newest!.digest), `${url} ${status}`)
  }
})

const trust = () => {
  const { publicKeyPem } = ledger.signer
  return { keys: [{ key: importPublicKey(publicKeyPem!)!, kind: 'demo' as const }], logKeys: [ledger.vkey] }
}
const pack = async (query = '') => (await send(`${P}/assurance/evidence-pack${query}`)).json

test('the pack is signed, carries no receipts unless asked, and verifies with the published key alone', async () => {
  const envelope = await pack()
  assert.deepEqual([envelope.signature.status, envelope.pack.receipts], ['DSSE_SIGNED', undefined])
  const report = await verifyPack(envelope, trust())
  assert.equal(report.verdict, 'PARTIAL', JSON.stringify(report.checks))
})

test('a pack with receipts verifies each of them: signature, digest and inclusion', async () => {
  const envelope = await pack('?receipts=5')
  assert.deepEqual(
    envelope.pack.receipts.map(({ node_index }: { node_index: number }) => node_index),
    [11, 10, 9, 8, 7],
  )
  const report = await verifyPack(envelope, trust())
  const status = Object.fromEntries(report.checks.map((check) => [check.check, check.status]))
  assert.deepEqual(
    [status.structure, status.signature, status.payload_digest, status.inclusion, status.key_trust],
    [...Array(4).fill('VERIFIED'), 'DEMO'],
  )
  assert.equal(envelope.pack.public_keys[0].keyid, ledger.signer.keyid)
})

test('serving a pack appends nothing and asking for more receipts than there are gives those there are', async () => {
  const before = ledger.state().size
  assert.equal((await pack('?receipts=200')).pack.receipts.length, before)
  assert.equal(ledger.state().size, before)
})

for (const query of ['?receipts=-1', '?receipts=201', '?receipts=abc', '?receipts=1.5'])
  test(`the pack refuses ${query}`, async () => {
    const { status, json } = await send(`${P}/assurance/evidence-pack${query}`)
    assert.deepEqual([status, json.detail[0].loc], [422, ['query', 'receipts']])
  })

test('a pack holds exactly the receipts that are named, newest first, each once, and verifies like any other', async () => {
  const envelope = await pack('?indexes=2,5-7,6')
  assert.deepEqual(
    envelope.pack.receipts.map(({ node_index }: { node_index: number }) => node_index),
    [7, 6, 5, 2],
  )
  const report = await verifyPack(envelope, trust())
  assert.equal(report.verdict, 'PARTIAL', JSON.stringify(report.checks))
})

for (const [query, expected] of [
  ['?indexes=7-2', /7-2 runs backwards/],
  ['?indexes=0-200', /more than the 200 receipts/],
  ['?indexes=0-99999999999999', /more than the 200 receipts/],
  ['?indexes=0-199,300', /more than the 200 receipts/],
  ['?indexes=a', /3,8-12/],
  ['?indexes=', /3,8-12/],
] as const)
  test(`the pack refuses ${query} and says how to name receipts`, async () => {
    const { status, json } = await send(`${P}/assurance/evidence-pack${query}`)
    assert.deepEqual([status, json.detail[0].loc], [422, ['query', 'indexes']])
    assert.match(json.detail[0].msg, expected)
  })

test('a pack with a receipt that is not there is not made', async () => {
  const { status, json } = await send(`${P}/assurance/evidence-pack?indexes=0,${ledger.state().size}`)
  assert.deepEqual([status, json.error.code], [404, 'receipt_not_found'])
})

test('the alias gives the same pack under /v1', async () => {
  const { status, json } = await send(`${service.url}/v1/assurance/evidence-pack`)
  assert.deepEqual([status, Object.keys(json)], [200, Object.keys(await pack())])
})

test('changing any value of a pack is found', async () => {
  const envelope = await pack('?receipts=1')
  const changes: ((copy: typeof envelope) => void)[] = [
    (copy) => {
      copy.pack.assurance_matrix.requirements[7].status = 'LIVE'
    },
    (copy) => {
      copy.pack.doctrine.accreditation.ato = true
    },
    (copy) => {
      copy.pack.generated_at = copy.generated_at = '2026-01-01T00:00:00.000Z'
    },
    (copy) => {
      copy.signature.key_kind = 'production'
    },
    (copy) => {
      copy.signature.keyid = '0'.repeat(64)
    },
    (copy) => {
      copy.pack_sha3_256 = '0'.repeat(64)
    },
    (copy) => {
      copy.signature.dsse.payloadType = 'application/vnd.orch.receipt+json'
    },
    (copy) => {
      copy.pack.receipts[0].inclusion.hashes.pop()
    },
    (copy) => {
      copy.extra = 1
    },
  ]
  for (const [at, change] of changes.entries()) {
    const copy = structuredClone(envelope)
    change(copy)
    assert.equal((await verifyPack(copy, trust())).verdict, 'FAIL', `change ${at}`)
  }
})

test('without a signer the pack is an explicit placeholder', async (t) => {
  const plain = await startApp(t, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' }, [])
  const { json } = await send(`${plain.url}/api/orch/v1/assurance/evidence-pack`)
  assert.deepEqual(
    [json.signature.signed, json.signature.status, json.signature.dsse],
    [false, 'DSSE_PLACEHOLDER', undefined],
  )
  assert.deepEqual(
    [json.pack.cosign_public_key.key_id, json.pack.cosign_public_key.demo_signing_available],
    [null, false],
  )
  assert.equal((await verifyPack(json, { keys: [] })).checks[2]?.status, 'VERIFIED')
})

test('a signer that is configured and silent gives no pack at all', async (t) => {
  t.mock.method(ledger, 'signStatement', async () => {
    throw new Error('no answer from 10.0.0.7')
  })
  const { status, json, text } = await send(`${P}/assurance/evidence-pack`)
  assert.deepEqual([status, json.error.code, text.includes('10.0.0.7')], [503, 'signer_unavailable', false])
})

test('the ledger thread signs pack digests and refuses everything else', async () => {
  const bytes = new TextEncoder().encode('{"schema":"orch.receipt/v1"}')
  await assert.rejects(ledger.signStatement('application/vnd.orch.receipt+json', bytes))
  await assert.rejects(ledger.signStatement('application/vnd.orch.evidence-pack+json', bytes))
})

test('what fits follows from the same checks', async (t) => {
  const fit = async () => (await send(`${P}/assurance/fit`)).json
  const found = await fit()
  assert.deepEqual(found.fitting, ['evaluation'])
  const audit = found.sets.find(({ id }: { id: string }) => id === 'internal-audit')
  assert.deepEqual(
    audit.missing.map(({ requirement }: { requirement: string }) => requirement),
    ['durable_ledger'],
  )
  t.mock.method(metrics, 'text', async () => '')
  t.mock.method(ledger, 'walk', async () => {
    throw new Error('away')
  })
  assert.deepEqual((await fit()).fitting, [])
})

test('a durable ledger fits an internal audit, and accreditation never fits', async (t) => {
  const durable = await startApp(t, {}, [])
  const { json } = await send(`${durable.url}/api/orch/v1/assurance/fit`)
  assert.deepEqual(json.fitting, ['evaluation', 'internal-audit'])
  const last = json.sets.at(-1)
  assert.deepEqual([last.id, last.fits], ['accredited-operation', false])
})
