import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sha256Hex, utf8Encode } from '@orch/core'
import { claimCompiler } from './compiler.ts'
import { resultText } from './evaluate.ts'
import { NO_MATCHES } from './local-marks.ts'

const page = readFileSync(new URL('../../../../../../docs/formats/claims.md', import.meta.url), 'utf8')
const examples = new Map(
  [...page.matchAll(/^```\w+ ([\w-]+)\n([\s\S]*?)\n```$/gm)].map(([, name, content]) => [name!, content!]),
)
const unread = new Set(examples.keys())
function example(name: string): string {
  unread.delete(name)
  const text = examples.get(name)
  assert.ok(text !== undefined, `docs/formats/claims.md has no example ${name}`)
  return text
}
const evaluated = (request: string) =>
  claimCompiler.evaluate(claimCompiler.readEvaluate(utf8Encode(request)), '', NO_MATCHES)

test('claims.md: the candidates are those of the text', () => {
  const { atoms } = claimCompiler.atomize(example('candidate-text'), '')
  const lines = atoms.map(({ span, claim_id }) => `${span.start} ${span.end} ${claim_id}`)
  assert.equal(lines.join('\n'), example('candidates'))
})

test('claims.md: the request has the result and the digest it states', () => {
  const answer = evaluated(example('request'))
  assert.equal(answer.result_sha256, example('result-sha256'))
  assert.equal(sha256Hex(example('result')), answer.result_sha256)
  const { overall_state, abstain_required, gate_outcome, claim_count, state_counts } = answer
  const { claims, unattached_contradictions } = answer
  const result = { overall_state, abstain_required, gate_outcome, claim_count, state_counts, claims }
  assert.equal(resultText({ ...result, unattached_contradictions } as typeof result), example('result'))
})

test('claims.md: python writes the same canonical text of the result', (t) => {
  const script =
    'import json,sys;print(json.dumps(json.load(sys.stdin),sort_keys=True,separators=(",",":"),ensure_ascii=False),end="")'
  const run = spawnSync('python3', ['-c', script], { input: example('result'), encoding: 'utf8' })
  if (run.error) return t.skip('SKIPPED: python3 absent')
  assert.equal(run.stdout, example('result'))
})

test('claims.md: a claim without an id has the name it states', () => {
  assert.equal(evaluated('{"claims":[{}]}').claims[0]!.claim_id, example('unidentified'))
})

test('claims.md: no example is left that nothing recomputes', () => {
  assert.deepEqual([...unread], [])
})
