import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import { surplusFault } from './surplus.ts'
import { runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-surplus')
before(() => {
  mkdirSync(join(home, 'pol'))
  writeFileSync(join(home, 'tools.json'), '{}')
})
after(() => rmSync(home, { recursive: true, force: true }))

test('every command refuses the first word beyond those its usage line names', async () => {
  for (const name of COMMAND_NAMES) {
    const command = await loadCommand(name)
    const { maxArguments = 0 } = command
    assert.equal(maxArguments > 0, /^\w|^\[[A-Z]/.test(command.usage), `${name} ${command.usage}`)
    if (maxArguments === Number.POSITIVE_INFINITY) continue
    const fault = surplusFault(command, [...Array(maxArguments).fill('taken'), 'surplus'])
    assert.equal(fault?.exit, 2)
    assert.match(fault.message, new RegExp(`^surplus: orch ${name} takes (?:no|one) argument; `))
    assert.equal(surplusFault(command, Array(maxArguments).fill('taken')), null)
  }
})

for (const [words, said] of [
  [['policy', 'lint', 'pol'], 'pol: orch policy lint takes no argument; did you mean --policies pol?'],
  [
    ['policy', 'lint', 'tools.json'],
    'tools.json: orch policy lint takes no argument; did you mean --tools tools.json?',
  ],
  [['ledger', 'ls', 'deny'], 'deny: orch ledger ls takes no argument; did you mean --decision deny?'],
  [['ledger', 'tail', '5'], '5: orch ledger tail takes no argument; did you mean --lines 5 or --limit 5?'],
  [['version', 'no\nsuch'], '"no\\nsuch": orch version takes no argument; see orch version --help'],
  [
    ['organ', 'run', 'N1', '{'],
    '"{": orch organ run takes one argument; put a text of several words in quotes, or see orch organ run --help',
  ],
] as const)
  test(`orch ${words.join(' ')} is refused, and what was probably meant is named`, async () => {
    const { code, stdout, stderr } = await runOrch(words, { home })
    assert.deepEqual([code, stdout, stderr], [2, '', `orch: ${said}\n`])
  })

test('a receipt is not proven together with a data folder or a checkpoint', async () => {
  for (const flag of ['--data', '--since']) {
    const { code, stderr } = await runOrch(['ledger', 'prove', 'latest', flag, 'pol'], { home })
    assert.equal(code, 2)
    assert.match(stderr, /^orch: latest: .* one of them alone/)
  }
})
