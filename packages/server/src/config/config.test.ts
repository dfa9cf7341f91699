import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { formatWitnessKey } from '@orch/core'
import { ROLES } from '../features/organs/health/checks.ts'
import { type Config, ConfigError, readConfig, SOURCES, VARIABLES } from './config.ts'
import { FIRST_SETTINGS, PURPOSES, TASKS } from './setting-texts.ts'

const folder = mkdtempSync(join(tmpdir(), 'orch-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const registry = join(folder, 'registry.json')
writeFileSync(registry, '{"credentials":[]}', { mode: 0o600 })

const COMMIT = 'a'.repeat(40)
const DIGEST = `sha256:${'b'.repeat(64)}`
const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
  type: 'spki',
  format: 'pem',
}) as string
const LONG = 'x'.repeat(9000)
const WITNESS_KEY = formatWitnessKey('w.example', new Uint8Array(32).fill(7))
const HTTPS = 'https://a.example/x'

interface Row {
  default: unknown
  good: [text: string, value: unknown]
  bad: string[]
  /** What else must be set for the good value not to contradict. */
  alongside?: Record<string, string>
}
const row = (
  fallback: unknown,
  good: [string, unknown],
  bad: string[],
  alongside: Record<string, string> = {},
): Row => ({
  default: fallback,
  good,
  bad,
  alongside,
})
const same = (text: string): [string, string] => [text, text]

const TABLE: Record<keyof typeof VARIABLES, Row> = {
  host: row('127.0.0.1', same('::1'), ['', 'a b', 'http://x', 'x/y']),
  port: row(8080, ['0', 0], ['-1', '65536', '80.5', 'http', '', ' 80']),
  baseUrl: row(null, same('https://orch.example'), [
    'orch.example',
    'https://a.example/path',
    'https://a.example/?q',
    'ftp://a.example',
    'https://u:p@a.example',
  ]),
  registryUrl: row(null, same('https://r.example'), ['r', 'https://r.example/x']),
  legacyAliasUrl: row(null, same('http://old.example'), ['old']),
  allowedHosts: row(
    null,
    ['a.example, b.example:81', ['a.example', 'b.example:81']],
    ['', 'a,,b', Array(65).fill('a').join(',')],
  ),
  ratePerMinute: row(null, ['600', 600], ['-1', '1.5', 'many', '1000001']),
  maxConnections: row(10_000, ['1', 1], ['0', 'x']),
  maxStreams: row(1_024, ['1', 1], ['0', 'x']),
  maxStreamsPerCaller: row(512, ['1', 1], ['0', 'x']),
  maxConnectionsPerClient: row(1_000, ['1', 1], ['0', '1000001']),
  trustProxy: row(0, ['5', 5], ['6', '-1', 'true']),
  shutdownSeconds: row(10, ['300', 300], ['0', '301']),
  data: row('./data', same('/var/lib/orch'), ['', 'a\u0000b', LONG]),
  sampleMode: row(false, ['1', true], ['true', 'on', '2', '']),
  store: row('sqlite', same('memory'), ['mysql', 'SQLITE', '']),
  postgresUrl: row(null, same('postgres://h/db'), ['mysql://h/db', 'nonsense'], { ORCH_STORE: 'postgres' }),
  requireDurable: row(false, ['1', true], ['true', '2', '']),
  minFreeBytes: row(268_435_456, ['1048576', 1_048_576], ['1048575', '1099511627777', '1e9']),
  logOrigin: row(null, same('log.example'), ['', LONG]),
  guard: row(null, same('https://witness.example'), [
    '',
    'http://witness.example',
    'ftp://w.example',
    'a\u0000b',
    LONG,
  ]),
  guardKey: row(null, same(WITNESS_KEY), ['', 'orch-witness', LONG], { ORCH_GUARD: 'https://witness.example' }),
  guardGraceSeconds: row(60, ['0', 0], ['-1', '3601', 'x']),
  signer: row('demo', same('none'), ['fake', '']),
  signerUrl: row(null, same('unix:/run/signer.sock'), ['http://signer.example', 'unix:relative'], {
    ORCH_SIGNER: 'external',
    ORCH_SIGNER_PUBLIC_KEY: PEM,
  }),
  signerPublicKey: row(null, same(PEM), ['', 'key.pem', LONG]),
  lostKey: row(null, same('a'.repeat(64)), ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64)]),
  allowUnsigned: row(false, ['1', true], ['yes']),
  trustedKeys: row(null, same('/etc/keys.pem'), ['']),
  trustedBuilders: row(
    null,
    ['https://a.example/ci, b', ['https://a.example/ci', 'b']],
    ['', 'a,,b', Array(65).fill('a').join(',')],
  ),
  auth: row('auto', same('open'), ['none', 'OPEN']),
  credentials: row(null, same(registry), ['']),
  log: row('auto', same('json'), ['xml']),
  logLevel: row('info', same('trace'), ['loud', 'INFO']),
  otlpEndpoint: row(null, same('http://collector:4318'), ['collector:4318', 'grpc://x']),
  otlpHeaders: row(null, ['a=1,b=2', { a: '1', b: '2' }], ['a', '=1', 'a=1,,b=2']),
  traceRatio: row(1, ['0.25', 0.25], ['1.1', '-0.1', 'half', '1e-1', '']),
  gitSha: row(null, same(COMMIT), ['0'.repeat(40), COMMIT.toUpperCase(), COMMIT.slice(1), `${COMMIT}a`]),
  buildTime: row(
    null,
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02', '2026-01-02T03:04:05', 'now', '2026-13-02T03:04:05Z'],
  ),
  imageDigest: row(null, same(DIGEST), ['b'.repeat(64), `sha512:${'b'.repeat(64)}`]),
  deployedCommit: row(null, same(COMMIT), ['HEAD']),
  deployTime: row(null, ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'], ['yesterday']),
  deployTarget: row(null, same('eu-west'), ['', 'x'.repeat(129), 'a\nb']),
  releaseTag: row(null, same('v1.1.0-rc.1'), ['1.1.0', 'v1.1']),
  doiConcept: row(null, same('10.5281/zenodo.1'), ['11.5281/x', '10.1/x', 'doi:10.5281/x']),
  doiFormal: row(null, same('10.5281/zenodo.2'), ['x']),
  doiSoftware: row(null, same('10.5281/zenodo.3'), ['x']),
  repo: row(null, same('owner/name'), ['name', 'a/b/c', '/b']),
  repoUrl: row(null, same(HTTPS), ['http://a.example/x', 'x']),
  repoToken: row(null, same('tok'), ['', LONG]),
  space: row(null, same('owner/space'), ['space']),
  spaceSha: row(null, same(COMMIT), ['main']),
  publicProbeUrl: row(null, same(HTTPS), ['http://a.example']),
  readinessInterval: row(240, ['30', 30], ['29', '86401']),
  evidenceProbe: row(false, ['on', true], ['1', 'ON']),
  frontierMetadata: row(false, ['on', true], ['1', 'ON']),
  githubToken: row(null, same('planted'), ['']),
  spineUrl: row(null, same('http://127.0.0.1:9/x'), ['http://a.example']),
  constellationFile: row(null, same('/etc/c.json'), ['']),
  spendUrl: row(null, same(HTTPS), ['http://a.example']),
  spendToken: row(null, same('tok'), ['']),
  outbound: row(true, ['off', false], ['no']),
  outboundPrivate: row(null, ['10.0.0.1', ['10.0.0.1']], ['', ',']),
  organN1Url: row(null, same(HTTPS), ['http://a.example', 'x']),
  organN3Url: row(null, same(HTTPS), ['http://a.example', 'x']),
  organN9Url: row(null, same(HTTPS), ['http://a.example', 'x']),
  organN11Url: row(null, same(HTTPS), ['http://a.example', 'x']),
  organN24Cdp: row(null, same(HTTPS), ['http://a.example', 'ws://127.0.0.1:9222', 'x']),
  rekorUrl: row(null, same(HTTPS), ['http://a.example', 'x'], { ORCH_REKOR_PUBLIC_KEY: PEM }),
  rekorPublicKey: row(null, same(PEM), ['', 'x', PEM.replace('MF', 'XX')], { ORCH_REKOR_URL: HTTPS }),
  mcpServers: row(
    null,
    [`files=${HTTPS}, b=http://127.0.0.1:9/mcp`, { files: HTTPS, b: 'http://127.0.0.1:9/mcp' }],
    [
      'x',
      `A=${HTTPS}`,
      `a=${HTTPS},a=${HTTPS}`,
      'a=http://far.example',
      Array.from({ length: 9 }, (_, at) => `s${at}=${HTTPS}`).join(','),
    ],
  ),
  energyMeters: row(null, [`${HTTPS},${HTTPS}`, [HTTPS, HTTPS]], ['x', Array(9).fill(HTTPS).join(',')]),
  secUserAgent: row(null, same('orch ops@a.example'), ['', 'x'.repeat(257)]),
  fredApiKey: row(null, same('key'), ['']),
  fredKeyless: row(true, ['off', false], ['0']),
  alpacaKeyId: row(null, same('id'), ['', 'x'.repeat(129)]),
  alpacaSecret: row(null, same('secret'), ['']),
  alpacaFeed: row('iex', same('sip'), ['free']),
  pricePublisher: row('demand', same('always'), ['never']),
  priceMaxDispersionBps: row(50, ['1000', 1000], ['0', '1001']),
  pricePeerUrl: row(null, same(HTTPS), ['http://a.example'], { ORCH_PRICE_PEER_KEYS: '/k' }),
  pricePeerKeys: row(null, same('/k'), [''], { ORCH_PRICE_PEER_URL: HTTPS }),
  sessionRiskBudget: row(1_000_000, ['5', 5], ['0', '1000000001', '1.5', 'x']),
  tools: row(null, same('/etc/orch/tools.json'), ['']),
  dayRiskBudget: row(null, ['5', 5], ['0', '1000000001', '1.5', 'x']),
  reviewTtlSeconds: row(86_400, ['60', 60], ['59', '604801', 'x']),
  reviewFourEyes: row(false, ['1', true], ['yes', '2']),
  reviewWebhook: row(null, same(HTTPS), ['http://a.example', 'x']),
  webhookSecret: row(null, same('0123456789abcdef'), ['', 'too short'], { ORCH_REVIEW_WEBHOOK: HTTPS }),
  webhookFormat: row('json', same('slack'), ['', 'teams']),
  gdwSink: row('file', same('web'), ['', 'File', 'queue'], { ORCH_GDW_SINK_URL: HTTPS }),
  gdwQuotas: row(
    null,
    ['steps=10/20,bytes=0/1', { steps: { owner: 10, global: 20 }, bytes: { owner: 0, global: 1 } }],
    ['', 'steps=1', 'steps=1/2,steps=3/4', 'stairs=1/2', 'steps=-1/2', 'steps=1/2,'],
  ),
  gdwSinkUrl: row(null, same(HTTPS), ['http://a.example', 'x'], { ORCH_GDW_SINK: 'web' }),
  upstreamUrl: row(null, same(HTTPS), ['http://a.example', 'x']),
  upstreamKey: row(null, same('key'), ['']),
  upstreamModel: row(null, same('m-1'), ['', 'x'.repeat(129)]),
  streamSeconds: row(300, ['3600', 3600], ['0', '3601', '1.5']),
  upstreams: row(
    null,
    [
      '[{"id":"a","base_url":"https://a.example/v1/","model":"m","zone":"external","api_key_env":"A_KEY"}]',
      [
        {
          id: 'a',
          baseUrl: 'https://a.example/v1',
          model: 'm',
          zone: 'external',
          tier: 3,
          contextTokens: 8192,
          timeoutMs: 30_000,
          keyVariable: 'A_KEY',
        },
      ],
    ],
    [
      '',
      '[]',
      '{}',
      '[{"id":"a"}]',
      '[{"id":"m1","base_url":"https://a.example","model":"m","zone":"local"}]',
      '[{"id":"a","base_url":"http://a.example","model":"m","zone":"local"}]',
      '[{"id":"a","base_url":"https://a.example?k=1","model":"m","zone":"local"}]',
      '[{"id":"a","base_url":"https://a.example","model":"m","zone":"near"}]',
      '[{"id":"a","base_url":"https://a.example","model":"m","zone":"local","api_key":"sk-planted"}]',
      '[{"id":"a","base_url":"https://a.example","model":"m","zone":"local","tier":0}]',
      '[{"id":"a","base_url":"https://a.example","model":"m","zone":"local","api_key_env":"ORCH_TOKEN"}]',
      JSON.stringify(Array(2).fill({ id: 'a', base_url: HTTPS, model: 'm', zone: 'local' })),
      JSON.stringify(
        Array.from({ length: 17 }, (_, n) => ({ id: `a${n}`, base_url: HTTPS, model: 'm', zone: 'local' })),
      ),
    ],
  ),
  m1: row(true, ['off', false], ['no', '1']),
  researchWarm: row(true, ['off', false], ['no', '1']),
  surfaceCapacity: row(3000, ['1', 1], ['0', '1000000001', '2.5']),
  surfaceWeights: row(
    null,
    ['organs=2, organ-health=0.5', { organs: 2, 'organ-health': 0.5 }],
    ['', 'organs', 'organs=0', 'organs=-1', 'organs=1001', 'Organs=1', 'organs=1,organs=2', 'organs=1e3'],
  ),
  token: row(null, same('tok'), ['']),
  progress: row('auto', same('never'), ['no']),
  chromium: row(null, same('/usr/bin/chromium'), ['']),
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

for (const [key, { default: fallback, good, bad, alongside }] of Object.entries(TABLE) as [
  keyof typeof VARIABLES,
  Row,
][]) {
  const { name } = VARIABLES[key]
  test(`${name}: its default, a good value and every bad one`, () => {
    assert.deepEqual(readConfig({})[key], fallback)
    assert.equal(readConfig({}).origins[name], 'default')
    const config = readConfig({ ...alongside, [name]: good[0] })
    assert.deepEqual(config[key], good[1])
    assert.equal(config.origins[name], 'env')
    for (const text of bad) {
      const faults = faultsOf({ ...alongside, [name]: text })
      assert.equal(faults.length, 1, `${name}=${text}: ${faults.join('; ')}`)
      assert.ok(faults[0]!.startsWith(`${name} must be ${VARIABLES[key].rule.text}`), faults.join())
      if (text.length > 3 && VARIABLES[key].secret) assert.ok(!faults[0]!.includes(text))
    }
  })
}

for (const { name, secret } of Object.values(VARIABLES))
  test(`${name} is ${secret ? '' : 'not '}read from a file named by ${name}_FILE`, () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'planted value\n')
    if (!secret) return assert.match(faultsOf({ [`${name}_FILE`]: file })[0]!, /is not a setting of this service/)
    const both = faultsOf({ [name]: 'x', [`${name}_FILE`]: file })
    assert.match(both[0]!, new RegExp(`^${name} and ${name}_FILE are both set`))
    assert.match(faultsOf({ [`${name}_FILE`]: join(folder, 'absent') })[0]!, /cannot be read .*ENOENT/)
  })

test('the line feed at the end of a secret file is not part of the secret', () => {
  const file = join(folder, 'token')
  writeFileSync(file, 'abc\n')
  const config = readConfig({ ORCH_REPO_TOKEN_FILE: file })
  assert.equal(config.repoToken, 'abc')
  assert.equal(config.origins.ORCH_REPO_TOKEN, 'file')
})

test('a plain PORT is honoured where ORCH_PORT is unset, and held to the same rule', () => {
  assert.equal(readConfig({ PORT: '3000' }).port, 3000)
  assert.equal(readConfig({ PORT: '3000', ORCH_PORT: '4000' }).port, 4000)
  assert.match(faultsOf({ PORT: 'x' })[0]!, /^PORT must be/)
  assert.match(faultsOf({ PORT: '3000', ORCH_PORT: 'x' })[0]!, /^ORCH_PORT must be/)
})

test('a mistyped name stops the start, and other programs’ variables do not', () => {
  assert.deepEqual(faultsOf({ ORCH_PROT: '1' }), [
    'ORCH_PROT is not a setting of this service; remove it or correct its spelling',
  ])
  assert.deepEqual(faultsOf({ orch_port: 'x', XORCH_PORT: 'x', PATH: '/bin' }), [])
})

test('every fault is told at once', () => {
  const faults = faultsOf({ ORCH_PORT: 'x', ORCH_STORE: 'y', ORCH_NOPE: 'z', ORCH_SOURCE_NOPE_URL: HTTPS })
  assert.equal(faults.length, 4)
})

const TARGETS = JSON.stringify([
  { id: 'a', base_url: HTTPS, model: 'm', zone: 'external', api_key_env: 'A_KEY' },
  { id: 'b', base_url: 'http://127.0.0.1:9', model: 'm', zone: 'local' },
])

const contradictions: [env: Record<string, string>, names: RegExp][] = [
  [{ ORCH_STORE: 'postgres' }, /ORCH_POSTGRES_URL/],
  [{ ORCH_POSTGRES_URL: 'postgres://h/d' }, /ORCH_STORE/],
  [{ ORCH_SIGNER: 'external' }, /ORCH_SIGNER_URL/],
  [{ ORCH_SIGNER_URL: 'https://s.example' }, /ORCH_SIGNER/],
  [{ ORCH_AUTH: 'registry' }, /ORCH_CREDENTIALS/],
  [{ ORCH_AUTH: 'open', ORCH_CREDENTIALS: registry }, /ORCH_AUTH=open/],
  [{ ORCH_CREDENTIALS: join(folder, 'absent') }, /ORCH_CREDENTIALS/],
  [{ ORCH_CREDENTIALS: folder }, /ORCH_CREDENTIALS/],
  [{ ORCH_BASE_URL: 'https://a.example', ORCH_REGISTRY_URL: 'https://a.example' }, /ORCH_REGISTRY_URL/],
  [{ ORCH_WEBHOOK_SECRET: '0123456789abcdef' }, /ORCH_REVIEW_WEBHOOK is not/],
  [{ ORCH_PRICE_PEER_URL: HTTPS }, /ORCH_PRICE_PEER_KEYS/],
  [{ ORCH_REKOR_URL: HTTPS }, /ORCH_REKOR_PUBLIC_KEY/],
  [{ ORCH_GDW_SINK: 'web' }, /ORCH_GDW_SINK_URL/],
  [{ ORCH_GDW_SINK_URL: HTTPS }, /ORCH_GDW_SINK=web/],
  [{ ORCH_GDW_SINK: 'web', ORCH_GDW_SINK_URL: HTTPS, ORCH_OUTBOUND: 'off' }, /ORCH_OUTBOUND=off/],
  [{ ORCH_UPSTREAM_URL: HTTPS, ORCH_UPSTREAMS: TARGETS }, /short form/],
  [{ ORCH_UPSTREAM_URL: `${HTTPS}?key=1` }, /ORCH_UPSTREAM_URL must have no query/],
  [{ ORCH_DOI_CONCEPT: '10.5281/x', ORCH_DOI_FORMAL: '10.5281/x' }, /ORCH_DOI_FORMAL/],
]
for (const [env, names] of contradictions)
  test(`${Object.keys(env).join(' with ')} contradicts and is refused`, () => {
    const faults = faultsOf(env)
    assert.equal(faults.length, 1, faults.join('; '))
    assert.match(faults[0]!, names)
  })

test('a registry others can read is refused', () => {
  const file = join(folder, 'public.json')
  writeFileSync(file, '{}')
  chmodSync(file, 0o644)
  assert.match(faultsOf({ ORCH_CREDENTIALS: file })[0]!, /mode 0600/)
})

test('a source may be replaced by another origin, and only a known one', () => {
  for (const id of SOURCES)
    assert.equal(readConfig({ [`ORCH_SOURCE_${id}_URL`]: 'https://m.example' }).sources[id], 'https://m.example')
  assert.match(
    faultsOf({ ORCH_SOURCE_SEC_URL: 'http://m.example' })[0]!,
    /^ORCH_SOURCE_SEC_URL must be an https origin/,
  )
  assert.match(faultsOf({ ORCH_SOURCE_TOTO_URL: HTTPS })[0]!, /names no known source/)
})

test('a role of organ health may be handed to another service, and not to this one', () => {
  const url = 'https://health.example/up'
  for (const role of ROLES.map((name) => name.toUpperCase()))
    assert.equal(readConfig({ [`ORCH_ORGAN_HEALTH_${role}_URL`]: url }).organHealth[role], url)
  assert.match(faultsOf({ ORCH_ORGAN_HEALTH_TOTO_URL: url })[0]!, /names no known role/)
  const own = { ORCH_BASE_URL: 'https://health.example', ORCH_ORGAN_HEALTH_CARE_URL: url }
  assert.match(faultsOf(own)[0]!, /ORCH_ORGAN_HEALTH_CARE_URL is the address of this service itself/)
})

test('the key of a target comes from the variable it names, and is not among its facts', () => {
  const { targets, targetKeys } = readConfig({ ORCH_UPSTREAMS: TARGETS, A_KEY: 'sk-planted' })
  assert.deepEqual(targetKeys, { a: 'sk-planted' })
  assert.doesNotMatch(JSON.stringify(targets), /planted/)
  assert.deepEqual(
    targets.map(({ id, baseUrl }) => [id, baseUrl]),
    [
      ['a', HTTPS],
      ['b', 'http://127.0.0.1:9/v1'],
    ],
  )
  for (const key of ['', 'two words', 'a\r\nx: y'])
    assert.deepEqual(readConfig({ ORCH_UPSTREAMS: TARGETS, A_KEY: key }).targetKeys, {})
})

test('one target may be written short, and stays on this machine only where its address does', () => {
  const near = readConfig({ ORCH_UPSTREAM_URL: 'http://localhost:8000', ORCH_UPSTREAM_KEY: 'k' })
  assert.deepEqual([near.targets[0]?.zone, near.targets[0]?.model, near.targetKeys], ['local', null, { upstream: 'k' }])
  const far = readConfig({ ORCH_UPSTREAM_URL: HTTPS, ORCH_UPSTREAM_MODEL: 'm' }).targets[0]
  assert.deepEqual([far?.zone, far?.model, far?.baseUrl], ['external', 'm', HTTPS])
})

test('settings cannot be changed once read', () => {
  const config = readConfig({}) as { -readonly [K in keyof Config]: Config[K] }
  assert.throws(() => {
    config.port = 1
  }, TypeError)
})

test('9.4: docs/operations.md lists the ten that matter first, then every variable by task with its purpose, default, rule and secrecy', () => {
  const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `(ORCH_\w+)` \| (.+) \| (.+) \| (.+) \| (yes|no) \|$/gm)].map((match) =>
    match.slice(1).join(' | '),
  )
  const defined = Object.entries(VARIABLES).map(([key, { name, fallback, rule, secret }]) =>
    [
      name,
      PURPOSES[key as keyof typeof PURPOSES],
      fallback === null ? 'unset' : `\`${fallback}\``,
      rule.text,
      secret ? 'yes' : 'no',
    ].join(' | '),
  )
  assert.deepEqual(listed.toSorted(), defined.toSorted())
  const headings = Object.values(TASKS).map((task) => page.indexOf(`\n### ${task}\n`))
  assert.ok(headings.every((at, n) => at > (headings[n - 1] ?? 0)))
  const first = page.slice(page.indexOf('The ten that matter first'), headings[0])
  assert.equal(FIRST_SETTINGS.length, 10)
  for (const key of FIRST_SETTINGS) assert.ok(first.includes(`| \`${VARIABLES[key].name}\` | ${PURPOSES[key]} |`), key)
  for (const id of SOURCES) assert.ok(page.includes(`\`${id}\``), id)
})
