import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import { commandHelp, overview, TOPICS } from './help-text.ts'

test('9.5 every page of help fits 80 columns, examples aside, and loses no word', async () => {
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand))
  const pages = [await overview(), ...Object.values(TOPICS), ...commands.map(commandHelp)]
  const examples = new Set(commands.map(({ example }) => `  ${example}`))
  for (const line of pages.flatMap((page) => page.split('\n')))
    if (!examples.has(line)) assert.ok(line.length <= 80, line)
  const plain = (text: string) => text.replace(/\s+/g, ' ')
  for (const command of commands) assert.ok(plain(commandHelp(command)).includes(command.summary), command.name)
})
