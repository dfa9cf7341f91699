import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { CliError } from './exit.ts'
import { masked, readConfigFile, readSettings } from './settings.ts'

const folder = freshFolder('cli-settings')
const started = process.cwd()
before(() => {
  process.chdir(folder)
  mkdirSync('user/orch', { recursive: true })
})
after(() => {
  process.chdir(started)
  rmSync(folder, { recursive: true, force: true })
})
const environment = { XDG_CONFIG_HOME: join(folder, 'user') }

test('a flag comes before the environment, the folder, the user and the default, and each says where it is from', () => {
  const origin = (flags: object, env: object = {}) => readSettings(flags, { ...environment, ...env }).get('url')
  assert.deepEqual(origin({}), { value: 'http://127.0.0.1:8080', origin: 'default', secret: false })
  assert.equal(origin({}, { ORCH_PORT: '9000' })?.value, 'http://127.0.0.1:9000')
  writeFileSync('user/orch/config.yaml', 'base_url: "http://user:1"\n')
  assert.equal(origin({})?.value, 'http://user:1')
  writeFileSync('orch.yaml', '# a comment\nbase_url: "http://folder:1" # another\n\nprogress: never\n')
  assert.equal(origin({})?.origin, 'orch.yaml')
  assert.equal(origin({}, { ORCH_BASE_URL: 'http://env:1' })?.origin, 'ORCH_BASE_URL')
  assert.equal(origin({ url: 'http://flag:1' }, { ORCH_BASE_URL: 'http://env:1' })?.value, 'http://flag:1')
  assert.equal(readSettings({}, environment).progress, 'never')
  rmSync('orch.yaml')
})

test('a secret is read from a file and shown only by its length', () => {
  writeFileSync('token', 'abcdefghijkl\n')
  const token = readSettings({}, { ...environment, ORCH_TOKEN_FILE: 'token' }).get('token')
  assert.deepEqual(token, { value: 'abcdefghijkl', origin: 'ORCH_TOKEN_FILE', secret: true })
  assert.equal(masked(token!), 'ab... (12 characters)')
  assert.equal(masked({ ...token!, value: 'abc' }), '... (3 characters)')
  assert.throws(() => readSettings({ 'token-file': 'missing' }, environment), CliError)
})

test('a settings file is read strictly: what it does not plainly say is refused with its line', () => {
  const refused: [string, RegExp][] = [
    ['base_url "x"', /file\.yaml:1: not a line such as base_url: "https:/],
    ['\nbaseurl: x', /file\.yaml:2: baseurl is not one of data, base_url/],
    ['data: a\ndata: b', /:2: data is set twice/],
    ['data: [a, b]', /in quotes/],
    ['data: &anchor a', /in quotes/],
    ['data: "a" b', /in quotes/],
    ['  data: a', /not a line such as base_url: "https:/],
    ['data:', /not a line such as base_url: "https:/],
  ]
  for (const [text, message] of refused) {
    writeFileSync('file.yaml', text)
    assert.throws(() => readConfigFile('file.yaml', ['data', 'base_url']), message, text)
  }
  writeFileSync('file.yaml', 'data: \'./x y\'\r\nbase_url: "http://a:1"\r\n')
  assert.deepEqual(
    [...readConfigFile('file.yaml', ['data', 'base_url'])],
    [
      ['data', './x y'],
      ['base_url', 'http://a:1'],
    ],
  )
})
