// Writes the answers of the golden file of errors anew, and names each that lacks a place, a cause or help. The requests and
// the command lines in the file are kept.
import { rmSync, writeFileSync } from 'node:fs'
import {
  askHttp,
  GOLDEN_FILE,
  lackingParts,
  readGolden,
  runCli,
  startBoth,
} from '../packages/cli/src/testing/golden-errors.ts'
import { freshFolder } from '../packages/server/testing/private-folder.ts'
import { startService } from '../packages/server/testing/service.ts'

const home = freshFolder('golden-errors')
const services = await startBoth(home, startService)
const places = { open: services.open.url, closed: services.closed.url, home }
const golden = readGolden()
const tell = (what: string, message: string, place: string) => {
  const lacking = lackingParts(message, place)
  if (lacking.length > 0) process.stderr.write(`${what} lacks ${lacking.join(', ')}: ${message}\n`)
}
try {
  for (const one of golden.http) {
    one.answer = await askHttp(one, places)
    tell(one.request ?? one.raw ?? '', one.answer.message, one.answer.place)
  }
  for (const [number, one] of golden.cli.entries()) {
    const { exit, message } = await runCli(one, places, number)
    one.answer = { exit, message }
    tell(one.command.join(' '), message, 'cli')
  }
  writeFileSync(GOLDEN_FILE, `${JSON.stringify(golden, null, 2)}\n`)
} finally {
  await services.close()
  rmSync(home, { recursive: true, force: true })
}
