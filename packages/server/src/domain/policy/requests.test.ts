import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type GovernFacts, governRequest, inferRequest } from './requests.ts'

const EFFECTS = ['none', 'read', 'write', 'external', 'destructive'] as const
const base: GovernFacts = {
  ...{
    owner: 'o',
    namespace: 'n',
    effect: 'none',
    tool: null,
    registered: null,
    rank: 2,
    tainted: false,
    approved: false,
  },
}

test('text that does nothing or reads is governed, everything else uses a tool', () => {
  const actions = EFFECTS.map((effect) => governRequest({ ...base, effect }).action.id)
  assert.deepEqual(actions, ['Govern', 'Govern', 'InvokeTool', 'InvokeTool', 'InvokeTool'])
  assert.equal(governRequest({ ...base, tool: 'hash' }).action.id, 'InvokeTool')
})

test('the effect of a registered tool is the graver of what the caller and the registry say', () => {
  const effect = fc.constantFrom(...EFFECTS)
  fc.assert(
    fc.property(effect, effect, (said, forReview) => {
      const { context } = governRequest({ ...base, effect: said, tool: 't', registered: { effect: forReview } })
      assert.equal(context.effect, EFFECTS[Math.max(EFFECTS.indexOf(said), EFFECTS.indexOf(forReview))])
    }),
    { seed: 1 },
  )
})

test('a command in the text counts for a named tool and makes no tool call of a text', () => {
  const effect = fc.constantFrom(...EFFECTS)
  fc.assert(
    fc.property(effect, effect, effect, (said, forReview, shown) => {
      const called = governRequest({ ...base, effect: said, tool: 't', registered: { effect: forReview }, shown })
      const gravest = Math.max(...[said, forReview, shown].map((one) => EFFECTS.indexOf(one)))
      assert.equal(called.context.effect, EFFECTS[gravest])
      assert.deepEqual(governRequest({ ...base, effect: said, shown }), governRequest({ ...base, effect: said }))
    }),
    { seed: 1 },
  )
})

test('without a name nothing is registered, whatever is handed over', () => {
  const { entities } = governRequest({ ...base, effect: 'write', registered: { effect: 'read' } })
  assert.deepEqual(
    entities.map(({ attrs }) => attrs),
    [{ registered: false, review: false }, { namespace: 'n' }],
  )
})

test('facts reach the context and lambda is none of them', () => {
  const used = governRequest({
    ...base,
    effect: 'write',
    tool: 't',
    registered: { effect: 'read' },
    tainted: true,
    approved: true,
  })
  assert.deepEqual(used.context, { effect: 'write', rank: 2, tainted: true, approved: true })
  assert.deepEqual(governRequest(base).context, { effect: 'none', rank: 2 })
  const asked = inferRequest({ owner: 'o', namespace: 'n', target: 'm1', zone: 'external', rank: 3 })
  assert.deepEqual([asked.context, asked.entities[0]?.attrs], [{ rank: 3 }, { zone: 'external' }])
})
