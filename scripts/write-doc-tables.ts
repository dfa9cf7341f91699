// Writes the tables of docs/operations.md, docs/errors.md and docs/reasons.md anew from the code they describe; the prose
// around them stays. The tests beside config.ts, errors.ts and explanations.ts say when it is time.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Explanation, GATE_EXPLANATIONS, REASON_EXPLANATIONS, RULE_EXPLANATIONS } from '@orch/core'
import { VARIABLES } from '../packages/server/src/config/config.ts'
import { FIRST_SETTINGS, PURPOSES, TASKS } from '../packages/server/src/config/setting-texts.ts'
import { ERRORS } from '../packages/server/src/errors.ts'

const SETTINGS = Object.entries(VARIABLES) as [keyof typeof VARIABLES, (typeof VARIABLES)[keyof typeof VARIABLES]][]
const first = FIRST_SETTINGS.map((key) => [`\`${VARIABLES[key].name}\``, PURPOSES[key]])
const settingsOf = (owner: string) =>
  SETTINGS.filter(([, variable]) => variable.owner === owner).map(([key, { name, fallback, rule, secret }]) => [
    `\`${name}\``,
    PURPOSES[key],
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

/** The first table with this head, or the first one after a heading. */
function rewrite(page: string, head: string, rows: string[][], heading = ''): void {
  const file = new URL(`../docs/${page}`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  const start = lines.indexOf(head, Math.max(0, lines.indexOf(heading))) + 2
  if (start < 2 || (heading !== '' && !lines.includes(heading)))
    throw new Error(`docs/${page} has no table with the head ${head}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  lines.splice(start, length, ...rows.map((cells) => `| ${cells.join(' | ')} |`))
  writeFileSync(file, lines.join('\n'))
}

rewrite('operations.md', '| setting | what it is for |', first)
for (const [owner, heading] of Object.entries(TASKS))
  rewrite(
    'operations.md',
    '| variable | what it is for | default | rule | secret |',
    settingsOf(owner),
    `### ${heading}`,
  )
rewrite('errors.md', '| code | status | meaning | what to do | CLI exit |', codes)
const inWords = (table: readonly Explanation[]) =>
  table.map(({ code, title, sentence }) => [`\`${code}\``, title, sentence])
rewrite('reasons.md', '| reason | title | meaning |', inWords(REASON_EXPLANATIONS))
rewrite('reasons.md', '| gate | title | meaning |', inWords(GATE_EXPLANATIONS))
rewrite('reasons.md', '| rule | title | meaning |', inWords(RULE_EXPLANATIONS))
