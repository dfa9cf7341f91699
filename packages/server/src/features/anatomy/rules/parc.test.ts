import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandWith } from '#testing/anatomy.ts'
import { readParc } from './parc.ts'

const faultPaths = (value: unknown): string[] => {
  const read = readParc(value, null)
  return read.ok ? [] : read.faults.map(({ path }) => path)
}
const edited = (edit: (command: Record<string, Record<string, unknown>>) => void): unknown => {
  const command = structuredClone(commandWith())
  edit(command as unknown as Record<string, Record<string, unknown>>)
  return command
}
const attrsOf = (entity: Record<string, unknown> | undefined) => entity!.attrs as Record<string, unknown>

test('a complete intent has no fault', () => {
  assert.deepEqual(faultPaths(commandWith()), [])
})

test('every field is asked for, except the digest of the evidence', () => {
  const command = commandWith()
  for (const place of ['principal', 'resource'] as const)
    for (const name of Object.keys(command[place].attrs))
      assert.deepEqual(faultPaths(edited((all) => delete attrsOf(all[place])[name])), [`${place}.attrs.${name}`])
  for (const name of Object.keys(command.context))
    assert.deepEqual(
      faultPaths(edited((all) => delete all.context![name])),
      name === 'evidenceDigest' ? [] : [`context.${name}`],
    )
  assert.deepEqual(faultPaths(commandWith({ context: { evidenceDigest: null } })), [])
})

test('all faults are reported at once', () => {
  assert.deepEqual(faultPaths({}), ['principal', 'action', 'resource', 'context'])
  assert.deepEqual(faultPaths([]), [''])
  const wrong = edited((all) => {
    all.action!.type = 'Action'
    all.action!.id = ' '
    all.context!.riskScore = -1
    all.context!.extra = 1
    attrsOf(all.principal).assurance = 1.5
  })
  assert.deepEqual(faultPaths(wrong), [
    ...['principal.attrs.assurance', 'action.type', 'action.id', 'context.extra', 'context.riskScore'],
  ])
})

test('integers run from 0 to 2^53 - 1', () => {
  for (const [riskScore, good] of [
    [0, true],
    [2 ** 53 - 1, true],
    [2 ** 53, false],
    [-1, false],
    [0.5, false],
    ['1', false],
  ])
    assert.equal(
      faultPaths(
        edited((all) => {
          all.context!.riskScore = riskScore
        }),
      ).length === 0,
      good,
      String(riskScore),
    )
})

test('texts are not blank, not numbers and hold no lone surrogate', () => {
  for (const purpose of ['', ' \t', 1, null, '\ud800', ['release']])
    assert.deepEqual(
      faultPaths(
        edited((all) => {
          all.context!.purpose = purpose
        }),
      ),
      ['context.purpose'],
    )
  assert.deepEqual(
    faultPaths(
      edited((all) => {
        attrsOf(all.principal).roles = ['ok', '']
      }),
    ),
    ['principal.attrs.roles'],
  )
  assert.deepEqual(faultPaths(commandWith({ context: { evidenceDigest: ' ' } })), ['context.evidenceDigest'])
})

test('an attribute repeated beside attrs must say the same', () => {
  const repeated = (tenantId: string) =>
    edited((all) => {
      all.principal!.tenantId = tenantId
    })
  assert.deepEqual(faultPaths(repeated('tenant-a')), [])
  assert.deepEqual(faultPaths(repeated('tenant-b')), ['principal.tenantId'])
})

test('unknown fields are refused in every place, inherited names among them', () => {
  assert.deepEqual(
    faultPaths(
      edited((all) => {
        all.action!.attrs = {}
      }),
    ),
    ['action.attrs'],
  )
  assert.deepEqual(faultPaths({ ...commandWith(), entities: [] }), ['entities'])
  assert.deepEqual(
    faultPaths(
      edited((all) => {
        Object.assign(attrsOf(all.resource), { constructor: 1 })
      }),
    ),
    ['resource.attrs.constructor'],
  )
  const polluted = JSON.parse('{"__proto__":{"principal":{},"action":{},"resource":{},"context":{}}}')
  assert.ok(faultPaths(polluted).includes('principal'))
})
