import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import type { TargetState } from '../../adapters/models/contract.ts'
import { measureArithmetic, SIZE } from './arithmetic.ts'
import { groupFolders, quotaCores, tightest } from './cgroup.ts'
import { parseGpus } from './gpu-text.ts'
import { lookAtGpus } from './io/gpu.ts'
import { type Answered, localModel, toFound } from './models.ts'
import { sovereignPage } from './page.ts'
import { type Found, runProbe } from './probe.ts'
import { toReport } from './report.ts'
import type { Capability } from './schemas.ts'

const clock = { now: () => 60_000, monotonic: () => 0 }

test('the product that is timed is the right one, and five times were taken', () => {
  const { checksum, runs_ms, median_ms, gflops } = measureArithmetic()
  // The sum of a product is the product of the column sums of one and the row sums of the other.
  let expected = 0
  for (let k = 0; k < SIZE; k++) {
    let [column, row] = [0, 0]
    for (let i = 0; i < SIZE; i++) {
      column += (i + k) % 7
      row += (k - i + 7 * SIZE) % 7
    }
    expected += column * row
  }
  assert.equal(checksum, expected)
  assert.equal(runs_ms.length, 5)
  assert.equal(median_ms, runs_ms.toSorted((a, b) => a - b)[2])
  assert.equal(gflops, (2 * 256 ** 3) / (median_ms / 1000) / 1e9)
})

test('the table of graphics processors is read whole or not at all', () => {
  assert.deepEqual(
    parseGpus('0, NVIDIA H200, 143771, 4, 0, 580.159.04\n1, NVIDIA H200, [N/A], 4, [N/A], 580.159.04\n'),
    [
      {
        index: 0,
        name: 'NVIDIA H200',
        memory_total_mib: 143771,
        memory_used_mib: 4,
        utilization_pct: 0,
        driver_version: '580.159.04',
      },
      {
        index: 1,
        name: 'NVIDIA H200',
        memory_total_mib: null,
        memory_used_mib: 4,
        utilization_pct: null,
        driver_version: '580.159.04',
      },
    ],
  )
  assert.deepEqual(parseGpus(''), [])
  for (const text of [
    'NVIDIA-SMI has failed',
    '0, a, b, 1, 2, 3, 4',
    'x, name, 1, 1, 1, 1',
    '0, , 1, 1, 1, 1',
    `0, ${'a'.repeat(129)}, 1, 1, 1, 1`,
  ])
    assert.equal(parseGpus(text), null, text)
})

async function toolThat(script: string): Promise<string> {
  const path = join(freshFolder('gpu-tool'), 'tool')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}
const look = (tool: string) => lookAtGpus(new AbortController().signal, tool)

test('a tool that is absent, fails, says something else or says nothing gives no processor and a reason', async () => {
  assert.deepEqual(await look('/nowhere/nvidia-smi'), {
    tier: 'NOT-CONFIGURED',
    facts: {},
    reason: 'nvidia-smi is not installed on this machine',
  })
  const failing = await look(await toolThat('echo "/secret/path" >&2; exit 9'))
  assert.deepEqual([failing.tier, failing.reason], ['WIRED-UNREACHABLE', 'nvidia-smi failed'])
  const talking = await look(await toolThat('echo hello'))
  assert.match(talking.reason!, /form that is not known/)
  assert.equal((await look(await toolThat('true'))).tier, 'NOT-CONFIGURED')
  const found = await look(await toolThat('echo "0, NVIDIA H200, 143771, 4, 0, 580.159.04"'))
  assert.deepEqual([found.tier, found.facts.count, found.reason], ['LIVE-SOVEREIGN', 1, undefined])
})

test('the tool sees nothing of our environment', async () => {
  const tool = await toolThat('echo "0, $(env | grep -c -e ORCH -e HOME -e NODE), 1, 1, 1, 1"')
  assert.deepEqual((await look(tool)).facts.gpus, [
    { index: 0, name: '0', memory_total_mib: 1, memory_used_mib: 1, utilization_pct: 1, driver_version: '1' },
  ])
})

test('a tool that never ends is ended', async () => {
  const stuck = await look(await toolThat('exec sleep 600'))
  assert.deepEqual([stuck.tier, stuck.reason], ['WIRED-UNREACHABLE', 'nvidia-smi did not answer within 1000 ms'])
})

test('the quota of a control group is the tightest of it and those above', () => {
  assert.deepEqual(
    [quotaCores('max 100000\n'), quotaCores('150000 100000\n'), quotaCores(''), quotaCores('-1 100000')],
    [null, 1.5, null, null],
  )
  assert.deepEqual(groupFolders('12:cpu:/x\n0::/a/b\n'), ['/a/b', '/a', '/'])
  assert.deepEqual(
    [groupFolders('0::/\n'), groupFolders(''), groupFolders('0::/../../etc\n')],
    [['/'], ['/'], ['/etc', '/']],
  )
  assert.deepEqual([tightest([null, 2, 1.5]), tightest([null])], [1.5, null])
})

const answered = (id: string, selfHosted: boolean, ok: boolean, at = 60_000): Answered => ({
  endpoint: { id, selfHosted },
  answer: ok ? { ok, facts: { models: 1 } } : { ok, code: 'RESPONSE_DEADLINE' },
  at,
})

test('the best answer stands for all: our own, then another’s, then none', () => {
  const tier = (...endpoints: Answered[]) => toFound(endpoints, 'nothing set').tier
  assert.equal(tier(answered('a', false, true), answered('b', true, true)), 'LIVE-SOVEREIGN')
  assert.equal(tier(answered('a', false, true), answered('b', true, false)), 'LIVE-MANAGED')
  assert.equal(tier(answered('a', false, false)), 'WIRED-UNREACHABLE')
  assert.equal(tier(), 'NOT-CONFIGURED')
  assert.match(toFound([answered('a', true, false)], '').reason!, /RESPONSE_DEADLINE/)
})

const embedded = (more: Partial<TargetState>) => [
  { id: 'm1', embedded: true, absent: null, calls: 0, errors: 0, ...more } as TargetState,
]

const gateOf = (state: string, reload: string) => async () => ({
  operational_state: state,
  release_state: 'NOT_PROMOTED',
  checks: {
    weights: { state: 'PASS', reason: null, sha256: 'ab' },
    offline_reload: { state: reload, reason: 'other logits' },
  },
})

test('the embedded model answers now only where its gate has just let it through', async () => {
  const never = () => assert.fail('nobody is there to ask')
  assert.equal((await localModel([], never)).reason, 'ORCH_M1 is off')
  const absent = await localModel(embedded({ absent: 'MODEL_ABSENT' }), never)
  assert.deepEqual([absent.tier, absent.reason], ['NOT-CONFIGURED', 'the embedded model m1 is not part of this build'])
  const blocked = await localModel(embedded({}), gateOf('BLOCKED', 'BLOCKED'))
  assert.equal(blocked.tier, 'WIRED-UNREACHABLE')
  assert.match(blocked.reason!, /BLOCKED: offline_reload: other logits/)
  const ready = await localModel(embedded({}), gateOf('READY_EXPERIMENTAL', 'PASS'))
  assert.equal(ready.tier, 'LIVE-SOVEREIGN')
  assert.deepEqual([ready.facts.weights_sha256, ready.facts.checks_passed], ['ab', 2])
})

const capability = (id: Capability['id'], found: () => Promise<Found>, name: string = id) =>
  runProbe({ id, name, source: 'test', look: found }, clock)

test('what was asked earlier is a sample with its date; what threw or waits is unavailable and says nothing of its inside', async () => {
  const asked = (at: number) =>
    capability('external_model', async () => ({ tier: 'LIVE-MANAGED', facts: {}, askedAt: at }))
  const [now, earlier] = [await asked(60_000), await asked(48_000)]
  assert.deepEqual([now.label, now.mode, now.age_seconds], ['MEASURED', 'live', 0])
  assert.deepEqual([earlier.label, earlier.mode, earlier.age_seconds], ['SAMPLE', 'cached', 12])
  assert.equal(earlier.fetched_at, '1970-01-01T00:00:48.000Z')
  const thrown = await capability('cpu', () => Promise.reject(new Error('/etc/secret')))
  assert.deepEqual([thrown.tier, thrown.label, thrown.reason], ['WIRED-UNREACHABLE', 'UNAVAILABLE', 'the probe failed'])
})

test('hardware and models of others never make the service sovereign; a model of its own does', async () => {
  const live = async (): Promise<Found> => ({ tier: 'LIVE-SOVEREIGN', facts: {} })
  const managed = async (): Promise<Found> => ({ tier: 'LIVE-MANAGED', facts: {} })
  const hardware = await Promise.all(
    (['cpu', 'memory', 'gpu', 'arithmetic'] as const).map((id) => capability(id, live)),
  )
  assert.equal(toReport(hardware, 'now').sovereign_any, false)
  assert.equal(toReport([...hardware, await capability('external_model', managed)], 'now').sovereign_any, false)
  const own = toReport([...hardware, await capability('embeddings', live)], 'now')
  assert.deepEqual([own.sovereign_any, own.models_live], [true, 1])
  assert.match(own.summary, /^5 of 5 capabilities answer now; a model that the operator hosts/)
})

test('what was kept of an earlier answer is not counted as answering now, and sovereignty says what it rests on', async () => {
  const asked = (at: number) => async (): Promise<Found> => ({ tier: 'LIVE-SOVEREIGN', facts: {}, askedAt: at })
  const cpu = await capability('cpu', async () => ({ tier: 'LIVE-SOVEREIGN', facts: {} }))
  const report = toReport([cpu, await capability('external_model', asked(48_000))], 'now')
  assert.deepEqual([report.sovereign_any, report.sovereign_basis], [true, 'ANSWERED_EARLIER'])
  assert.match(
    report.summary,
    /^1 of 2 capabilities answer now, 1 answered earlier and were not asked again; .*kept\.$/,
  )
  const fresh = toReport([cpu, await capability('external_model', asked(60_000))], 'now')
  assert.deepEqual([fresh.sovereign_any, fresh.sovereign_basis], [true, 'ANSWERED_NOW'])
  assert.equal(toReport([cpu], 'now').sovereign_basis, null)
})

test('a name, a fact, its name and a reason that look like markup are text on the page', async () => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&'
  const found: Found = {
    tier: 'WIRED-UNREACHABLE',
    facts: { [evil]: evil, list: [{ [evil]: [evil, 1] }], none: null },
    reason: evil,
  }
  const html = sovereignPage(
    toReport([await capability('gpu', async () => found, evil)], '2026-01-01T00:00:00.000Z'),
    { page: '/a', json: '/b' },
    [],
    null,
  )
  const main = /<main[\s\S]*<\/main>/.exec(html)![0]
  assert.doesNotMatch(main, /<script|<img|\son[a-z]+=[^&]*[^;]alert|\sstyle=/)
  assert.ok(main.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
})
