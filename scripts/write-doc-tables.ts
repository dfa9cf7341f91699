// Writes the tables of docs/operations.md, docs/errors.md and docs/reasons.md anew from the code they describe; the prose
// around them stays. The tests beside config.ts, errors.ts and explanations.ts say when it is time.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Explanation, REASON_EXPLANATIONS, RULE_EXPLANATIONS } from '@orch/core'
import { VARIABLES } from '../packages/server/src/config/config.ts'
import { ERRORS } from '../packages/server/src/errors.ts'

const settings = Object.values(VARIABLES).map(({ name, fallback, rule, secret }) => [
  `\`${name}\``,
  fallback === null ? 'unset' : `\`${fallback}\``,
  rule.text,
  secret ? 'yes' : 'no',
])
const codes = Object.entries(ERRORS).map(([code, { status, meaning, action, exit }]) => [
  `\`${code}\``,
  String(status),
  meaning,
  action,
  String(exit),
])

function rewrite(page: string, head: string, rows: string[][]): void {
  const file = new URL(`../docs/${page}`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  const start = lines.indexOf(head) + 2
  if (start < 2) throw new Error(`docs/${page} has no table with the head ${head}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  lines.splice(start, length, ...rows.map((cells) => `| ${cells.join(' | ')} |`))
  writeFileSync(file, lines.join('\n'))
}

rewrite('operations.md', '| variable | default | rule | secret |', settings)
rewrite('errors.md', '| code | status | meaning | what to do | CLI exit |', codes)
const inWords = (table: readonly Explanation[]) =>
  table.map(({ code, title, sentence }) => [`\`${code}\``, title, sentence])
rewrite('reasons.md', '| reason | title | meaning |', inWords(REASON_EXPLANATIONS))
rewrite('reasons.md', '| rule | title | meaning |', inWords(RULE_EXPLANATIONS))
