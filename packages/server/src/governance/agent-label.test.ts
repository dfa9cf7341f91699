import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PATIENT } from '#testing/gate-workers/patient.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { InputError } from '../errors.ts'
import { labelCheck } from './agent-label.ts'
import type { Gates } from './contract.ts'
import { openGates, RULES_FOLDER } from './workers/gate-engine.ts'

const MAX_KNOWN = 1024
const CARD = 'card-4539578763621486'

async function open(t: TestContext, folder = RULES_FOLDER) {
  const gates = await openGates({ folder, ...PATIENT.gatePool, threads: 1 })
  t.after(() => gates.close())
  return gates
}

/** Rules that know no values but one that nobody sends. */
function lenientRules(t: TestContext): string {
  const folder = freshFolder('rules')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(RULES_FOLDER, folder, { recursive: true })
  const document = JSON.parse(readFileSync(join(folder, 'gates.json'), 'utf8'))
  const isKept = ({ gate, id }: { gate: string; id: string }) => gate !== 'pii-egress-guard' || id === 'P01'
  const rules = document.rules.filter(isKept)
  writeFileSync(join(folder, 'gates.json'), JSON.stringify({ ...document, rules }))
  return folder
}

function counted(gates: Gates) {
  const examined: string[] = []
  const examine: Gates['examine'] = (request) => {
    examined.push(request.text)
    return gates.examine(request)
  }
  return { examined, gates: { ...gates, examine } }
}

test('a label that passed is examined once, and no label needs no examination', async (t) => {
  const { gates, examined } = counted(await open(t))
  const assertPlainLabel = labelCheck(gates)
  for (const label of ['billing-bot', null, 'billing-bot', 'mail-bot', 'billing-bot']) await assertPlainLabel(label)
  assert.deepEqual(examined, ['billing-bot', 'mail-bot'])
})

test('a label that was refused is examined and refused again', async (t) => {
  const { gates, examined } = counted(await open(t))
  const assertPlainLabel = labelCheck(gates)
  for (let time = 0; time < 2; time++) await assert.rejects(assertPlainLabel(CARD), InputError)
  assert.deepEqual(examined, [CARD, CARD])
})

test('rules that are reloaded examine a label that the ones before let pass', async (t) => {
  const folder = lenientRules(t)
  const gates = await open(t, folder)
  const assertPlainLabel = labelCheck(gates)
  await assertPlainLabel(CARD)
  cpSync(RULES_FOLDER, folder, { recursive: true })
  await gates.reload()
  await assert.rejects(assertPlainLabel(CARD), InputError)
})

test('what passes under the rules of one service is not known to another in the process', async (t) => {
  await labelCheck(await open(t, lenientRules(t)))(CARD)
  await assert.rejects(labelCheck(await open(t))(CARD), InputError)
})

test('a label that passed by rules that were replaced meanwhile is examined by the new ones', async (t) => {
  const folder = lenientRules(t)
  const gates = await open(t, folder)
  const slow: Gates = {
    ...gates,
    async examine(request) {
      const examination = await gates.examine(request)
      cpSync(RULES_FOLDER, folder, { recursive: true })
      await gates.reload()
      return examination
    },
  }
  const assertPlainLabel = labelCheck(slow)
  await assertPlainLabel(CARD)
  await assert.rejects(assertPlainLabel(CARD), InputError)
})

test('so many labels are remembered and no more', async (t) => {
  const { gates, examined } = counted(await open(t))
  const assertPlainLabel = labelCheck(gates)
  for (let n = 0; n < MAX_KNOWN; n++) await assertPlainLabel(`bot-${n}`)
  await assertPlainLabel('bot-0')
  assert.equal(examined.length, MAX_KNOWN, 'at the bound')
  await assertPlainLabel('one-more')
  await assertPlainLabel('bot-0')
  assert.equal(examined.length, MAX_KNOWN + 2, 'one above it they are forgotten')
})

test('a label whose examination was not finished is refused and examined again', async (t) => {
  const own = await open(t)
  let answers = 0
  const late: Gates = {
    ...own,
    async examine(request) {
      const examination = await own.examine(request)
      return answers++ === 0 ? { ...examination, completed: examination.planned - 1 } : examination
    },
  }
  const assertPlainLabel = labelCheck(late)
  await assert.rejects(assertPlainLabel('billing-bot'), { code: 'gates_busy' })
  await assertPlainLabel('billing-bot')
  assert.equal(answers, 2)
})
