import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ROLES, SCOPES, type Scope } from '../access.ts'

test('9.4: docs/access.md lists every scope and which role has it, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/access.md', import.meta.url), 'utf8')
  const has = (role: string, scope: Scope) => (ROLES[role]!.includes(scope) ? 'yes' : 'no')
  assert.deepEqual(
    [...page.matchAll(/^\| `([a-z]+:[a-z]+)` \| .+ \| (yes|no) \| (yes|no) \|$/gm)].map((row) => row.slice(1)),
    SCOPES.map((scope) => [scope, has('user', scope), has('operator', scope)]),
  )
  assert.deepEqual(ROLES.admin, SCOPES)
})
