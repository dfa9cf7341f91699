import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { type Method, operation } from '../operation.ts'
import { allowedMethods } from './allowed-methods.ts'

const at = (method: Method, path: string) =>
  operation({
    id: 'layer.any',
    group: 'Operations',
    method,
    path,
    root: true,
    scope: null,
    summary: 'x',
    reply: Type.Unknown(),
    run: () => ({}),
  })
const allowed = allowedMethods([
  at('GET', '/a'),
  at('POST', '/a'),
  at('GET', '/b/:id'),
  at('DELETE', '/b/:id/c'),
  at('GET', '/t/*'),
])

const rows: [path: string, route: string | null, allow: string | null][] = [
  ['/a', '/a', 'GET, HEAD, POST'],
  ['/a/', null, null],
  ['/b/1', '/b/:id', 'GET, HEAD'],
  ['/b/', null, null],
  ['/b/1/c', '/b/:id/c', 'DELETE'],
  ['/b/1/d', null, null],
  ['/t/1', '/t/*', 'GET, HEAD'],
  ['/t/1/2/3', '/t/*', 'GET, HEAD'],
  ['/t', null, null],
  ['', null, null],
]
for (const [path, route, allow] of rows)
  test(`${path || '(nothing)'} ${route === null ? 'is nobody’s path' : `answers ${allow}`}`, () => {
    assert.deepEqual(allowed.of(path), route === null ? null : { route, allow })
  })
