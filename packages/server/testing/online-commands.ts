/** Every command of the command line that talks to a service, with arguments that reach it. */
export const ONLINE: readonly (readonly string[])[] = [
  ['ledger', 'tail'],
  ['ledger', 'ls'],
  ['ledger', 'show', 'a'.repeat(64)],
  ['ledger', 'export', '--out', 'never.jsonl'],
  ['ledger', 'prove', 'a'.repeat(64)],
  ['keys', 'show'],
  ['keys', 'rotate'],
  ['pack', 'create', '--out', 'never.jsonl'],
  ['call', 'runtime.health'],
  ['organ', 'ls'],
  ['organ', 'run', 'N8'],
  ['govern', 'hello'],
  ['review', 'ls'],
  ['review', 'show', 'rev_1'],
  ['review', 'approve', 'rev_1', '--reason', 'because'],
  ['review', 'deny', 'rev_1', '--reason', 'because'],
]
