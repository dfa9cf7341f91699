/** Folders of policies for tests: throw-away ones, and the ones this build ships. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHIPPED = join(import.meta.dirname, '..', '..', '..', '..', 'policies')
export const SHIPPED_POLICIES = SHIPPED
export const ANATOMY_POLICIES = join(SHIPPED, 'anatomy')

interface PolicyFolder extends Disposable {
  path: string
  write(name: string, content: string | Uint8Array): void
  remove(name: string): void
}

export function policyFolder(files: Record<string, string | Uint8Array> = {}, copyOf?: string): PolicyFolder {
  const path = mkdtempSync(join(tmpdir(), 'orch-policies-'))
  if (copyOf !== undefined) cpSync(copyOf, path, { recursive: true })
  const folder: PolicyFolder = {
    path,
    write: (name, content) => writeFileSync(join(path, name), content),
    remove: (name) => rmSync(join(path, name)),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  return folder
}

export const TOY_SCHEMA = `namespace Toy {
  entity User;
  entity Thing { open: Bool };
  action look, touch appliesTo { principal: [User], resource: [Thing], context: { n: Long } };
}`

/** A request under the toy schema. */
export const toyRequest = (action: string, n: number, open = true) => ({
  principal: { type: 'Toy::User', id: 'u' },
  action: { type: 'Toy::Action', id: action },
  resource: { type: 'Toy::Thing', id: 't' },
  context: { n },
  entities: [{ uid: { type: 'Toy::Thing', id: 't' }, attrs: { open }, parents: [] }],
})
