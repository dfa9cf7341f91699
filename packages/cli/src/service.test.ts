import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { CliError, EXIT } from './exit.ts'
import { connect } from './service.ts'
import { readSettings } from './settings.ts'

const folder = freshFolder('cli-connect')
after(() => rmSync(folder, { recursive: true, force: true }))

test('a credential that no header can carry is refused by where it came from, and its value is not shown', () => {
  const file = join(folder, 'token')
  const from = (flags: object, env: object) => () => connect(readSettings(flags, { XDG_CONFIG_HOME: folder, ...env }))
  for (const text of ['SECRET\nTOKEN', 'SECRET TOKEN', 'SECRET\u00e9', 'SECRET\u0000', '', '\n']) {
    writeFileSync(file, text)
    const refused = (origin: string) => (error: unknown) =>
      error instanceof CliError &&
      error.exit === EXIT.usage &&
      error.message.startsWith(`${origin}: `) &&
      !error.message.includes('SECRET')
    assert.throws(from({ 'token-file': file }, {}), refused('--token-file'), JSON.stringify(text))
    assert.throws(from({}, { ORCH_TOKEN_FILE: file }), refused('ORCH_TOKEN_FILE'), JSON.stringify(text))
    if (text !== '') assert.throws(from({}, { ORCH_TOKEN: text }), refused('ORCH_TOKEN'), JSON.stringify(text))
  }
  writeFileSync(file, 'SECRETTOKEN\r\n')
  assert.equal(from({ 'token-file': file }, {})().baseUrl, 'http://127.0.0.1:8080')
})
