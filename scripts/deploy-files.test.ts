// The files for running the service elsewhere, as far as they can be read without nginx, logrotate and a builder of images.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { VARIABLES } from '../packages/server/src/config/config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
/** Every setting there is, under its name in the environment. */
const known = new Set<string>(Object.values(VARIABLES).map(({ name }) => name))
/** How Node is started for the service, wherever that is done. */
const runtime = JSON.parse(read('deploy/runtime.json')) as { flags: string[]; env: Record<string, string> }
const runtimeVariables = Object.entries(runtime.env).map(([name, value]) => `${name}=${value}`)
const isKnown = (setting: string): boolean => known.has(setting.split('=')[0]!)
const isInstalled = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0

/** Where nginx takes each directive that is used here; `none` is a block. From its documentation. */
const NGINX: Readonly<Record<string, RegExp>> = {
  server: /^$/,
  listen: /^server$/,
  http2: /^server$/,
  server_name: /^server$/,
  ssl_certificate: /^server$/,
  ssl_certificate_key: /^server$/,
  client_max_body_size: /^(?:server|location)$/,
  location: /^server$/,
  proxy_pass: /^location$/,
  proxy_http_version: /^(?:server|location)$/,
  proxy_set_header: /^(?:server|location)$/,
  proxy_buffering: /^(?:server|location)$/,
  proxy_read_timeout: /^(?:server|location)$/,
}
const NGINX_VARIABLES = ['host', 'proxy_add_x_forwarded_for']

/** Directives with the blocks they stand in; throws where a block or a directive does not end. */
function readNginx(text: string): { name: string; value: string; context: string }[] {
  const found: { name: string; value: string; context: string }[] = []
  const open: string[] = []
  const plain = text.replace(/^\s*#.*$/gm, '')
  for (const [, words = '', end] of plain.matchAll(/\s*([^;{}]*)([;{}])/g)) {
    if (end === '}') assert.ok(words.trim() === '' && open.pop() !== undefined, `a block ends after ${words}`)
    else {
      const [name = '', ...value] = words.trim().split(/\s+/)
      found.push({ name, value: value.join(' '), context: open.at(-1) ?? '' })
      if (end === '{') open.push(name)
    }
  }
  assert.deepEqual(open, [], 'every block ends')
  assert.equal(plain.replaceAll(/\s*[^;{}]*[;{}]/g, '').trim(), '', 'every directive ends')
  return found
}

test('9.4 the proxy of nginx uses directives where they belong, streams, passes the host on and takes the largest body', (t) => {
  const directives = readNginx(read('deploy/nginx.conf'))
  for (const { name, value, context } of directives) {
    assert.match(context, NGINX[name] ?? /^unknown directive$/, `${name} in ${context || 'the file'}`)
    for (const [, variable] of value.matchAll(/\$(\w+)/g)) assert.ok(NGINX_VARIABLES.includes(variable!), value)
  }
  const valuesOf = (name: string) => directives.filter((one) => one.name === name).map(({ value }) => value)
  assert.ok(valuesOf('proxy_set_header').includes('Host $host'))
  assert.deepEqual(valuesOf('proxy_buffering'), ['off'])
  assert.deepEqual(valuesOf('proxy_pass'), ['http://127.0.0.1:8080'])
  const openapi = JSON.parse(read('openapi.json')) as {
    paths: Record<string, Record<string, { requestBody?: { description?: string } }>>
  }
  const bodies = Object.values(openapi.paths).flatMap((path) =>
    Object.values(path).map(({ requestBody }) =>
      Number(/At most (\d+) bytes/.exec(requestBody?.description ?? '')?.[1] ?? 0),
    ),
  )
  const [size = ''] = valuesOf('client_max_body_size')
  assert.ok(Math.max(...bodies) > 0 && Number(/^(\d+)m$/.exec(size)?.[1]) * 2 ** 20 >= Math.max(...bodies), size)
  if (!isInstalled('nginx')) t.diagnostic('nginx is not installed here: nginx -t was not run')
})

const LOGROTATE = ['daily', 'weekly', 'rotate', 'compress', 'missingok', 'notifempty', 'copytruncate']

test('9.4 the rotation of the log is of one file, by words that logrotate has, and keeps the file that is open', (t) => {
  const text = read('deploy/logrotate.conf').replace(/^\s*#.*$/gm, '')
  const [, file, body = ''] = /^(\/\S+) \{\n([\s\S]*)\n\}\n$/.exec(text.replace(/\n\s*\n/g, '\n'))!
  assert.equal(file, '/var/log/orch/orch.log')
  const words = body
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  for (const line of words) assert.ok(LOGROTATE.includes(line.split(' ')[0]!), line)
  assert.ok(words.includes('copytruncate'))
  if (isInstalled('logrotate')) {
    const { status, stderr } = spawnSync('logrotate', ['-d', join(ROOT, 'deploy/logrotate.conf')], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  } else t.diagnostic('logrotate is not installed here: logrotate -d was not run')
})

const INSTRUCTIONS = [
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'ARG',
  'ENV',
  'USER',
  'VOLUME',
  'EXPOSE',
  'HEALTHCHECK',
  'ENTRYPOINT',
]

const BUNDLE = 'packages/server/dist/main.mjs'
const BUILDS = 'node packages/console/build.ts && node packages/server/build.ts'

test('9.4 the image runs what is there, not as root, with settings that exist, and builds its pages without the tools of the tests', (t) => {
  const lines = read('deploy/Dockerfile')
    .replace(/^#.*$/gm, '')
    .replace(/\\\n/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const of = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []))
  for (const line of lines) assert.ok(INSTRUCTIONS.includes(line.split(' ')[0]!), line)
  const [program, ...args] = JSON.parse(of('ENTRYPOINT')[0]!) as string[]
  assert.equal(program, 'node')
  assert.equal(args.at(-1), BUNDLE)
  assert.deepEqual(of('USER'), ['node'])
  assert.deepEqual(args.slice(1, -1), runtime.flags)
  assert.deepEqual(of('ENV')[1]!.split(' '), runtimeVariables)
  for (const setting of of('ENV')[0]!.split(/\s+/)) assert.ok(isKnown(setting), setting)
  assert.deepEqual(of('EXPOSE'), ['8080'])
  const [check = ''] = of('HEALTHCHECK')
  assert.match(check, /--interval=\d+s --timeout=\d+s --start-period=\d+s +CMD \["node", /)
  assert.ok(Object.hasOwn(JSON.parse(read('openapi.json')).paths, new URL(/'(http[^']+)'/.exec(check)![1]!).pathname))
  const [builder] = of('RUN')
  assert.equal(builder, `npm ci --omit=dev --ignore-scripts && ${BUILDS}`)
  assert.ok(read('docs/deploy.md').includes(`npm ci --omit=dev && ${BUILDS}\n`))
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> }
  const builders = read('packages/console/build-pages.ts') + read('packages/server/build.ts')
  const tools = [...builders.matchAll(/from '([a-z@][^':]*)'/g)].map(([, name]) => name!)
  for (const name of tools.filter((one) => !one.startsWith('@orch/')))
    assert.equal(packages[`node_modules/${name}`]?.dev, undefined, `${name} is there without the tools of the tests`)
  t.diagnostic('no builder of images is used here: the image was not built')
})

test('9.4 the unit of systemd starts what is there, with settings that exist', () => {
  const unit = read('deploy/orch.service')
  const [, flags, script] = /^ExecStart=\/usr\/bin\/env node --disable-warning=\S+ (.*) (\S+)$/m.exec(unit)!
  assert.deepEqual(flags!.split(' '), runtime.flags)
  assert.ok(unit.includes(`\nEnvironment=${runtimeVariables.join(' ')}\n`))
  assert.equal(script, BUNDLE)
  for (const setting of /^Environment=(.*)$/m.exec(unit)![1]!.split(' ')) assert.ok(isKnown(setting), setting)
  const patience = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])
  assert.ok(patience > 10, 'longer than ORCH_SHUTDOWN_S')
})
