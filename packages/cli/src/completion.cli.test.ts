import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-completion')
after(() => rmSync(home, { recursive: true, force: true }))

const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await runOrch(['completion', shell], { home })
  assert.equal(code, 0)
  const path = join(home, `orch.${shell}`)
  writeFileSync(path, stdout)
  return path
}

function bashCompletes(path: string, words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const ask = `. '${path}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _orch; printf '%s\\n' "\${COMPREPLY[@]}"`
  const run = spawnSync('bash', ['--norc', '-c', ask], { cwd: home, encoding: 'utf8' })
  assert.equal(run.stderr, '')
  return run.stdout.split('\n').filter(Boolean)
}

test('4e the bash script loads and completes commands, members, flags, their words, organ ids and operation ids', async (t) => {
  if (!isThere('bash')) return t.skip('SKIPPED: bash is not installed')
  const path = await scriptFor('bash')
  assert.deepEqual(bashCompletes(path, ['orch', 've']), ['version', 'verify'])
  assert.deepEqual(bashCompletes(path, ['orch', 'ledger', 'exp']), ['export'])
  assert.deepEqual(bashCompletes(path, ['orch', 'verify', '--requ']), ['--require-production'])
  assert.deepEqual(bashCompletes(path, ['orch', 'ledger', 'export', '--ou']), ['--out'])
  assert.ok(bashCompletes(path, ['orch', 'call', 'runtime.']).includes('runtime.health'))
  assert.deepEqual(bashCompletes(path, ['orch', 'organ', 'run', 'N25']), ['N25'])
  assert.deepEqual(bashCompletes(path, ['orch', 'credentials', 're']), ['revoke'])
  assert.deepEqual(bashCompletes(path, ['orch', 'ledger', 'ls', '--decision', '']), ['allow', 'review', 'deny'])
  assert.deepEqual(bashCompletes(path, ['orch', 'ledger', 'tail', '--signed', 'un']), ['unsigned'])
  assert.ok(bashCompletes(path, ['orch', 'verify', 'orch.ba']).includes('orch.bash'), 'files too')
})

for (const shell of ['zsh', 'fish'])
  test(`4e the ${shell} script loads`, async (t) => {
    const path = await scriptFor(shell)
    if (!isThere(shell)) return t.skip(`SKIPPED: ${shell} is not installed`)
    const load = shell === 'zsh' ? `autoload -U compinit; compinit -u; source '${path}'` : `source '${path}'`
    const run = spawnSync(shell, ['-c', load], { cwd: home, encoding: 'utf8' })
    assert.deepEqual([run.status, run.stderr], [0, ''])
  })

test('completion 2: a shell nobody knows', async () => {
  assert.equal((await runOrch(['completion', 'tcsh'], { home })).code, 2)
})
