import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { stepsRoot } from './steps-root.ts'

const digests = ['a', 'b', 'c'].map((text) => sha256Hex(text))

test('the root over the digests of a, b and c is the published one', () => {
  assert.equal(stepsRoot(digests), 'cac3d448d4e20a2ad5eae1f500e63c2a7f9217cd14572ba7fd22e26dc1ec2648')
})

test('the order of the steps is part of the root', () => {
  assert.notEqual(stepsRoot([...digests].reverse()), stepsRoot(digests))
})

test('anything but 64 hex digits is misuse', () => {
  assert.throws(() => stepsRoot(['a']), RangeError)
  assert.throws(() => stepsRoot([digests[0]!.toUpperCase()]), RangeError)
})
