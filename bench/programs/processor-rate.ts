// How often something can be done in a second of the processor's time, whatever else the machine does: for the seconds given
// on the command line, once it was done so often that the compiler is through with it. Prints the rate.
import { EXAMPLE } from '../references/shapes.ts'
import { numbered } from '../serial.ts'

const WARMING = 10_000

export async function perProcessorSecond(decide: (text: string) => Promise<unknown>): Promise<void> {
  for (let count = 0; count < WARMING; count += 1) await decide(numbered(EXAMPLE.text))
  const before = process.cpuUsage()
  const until = performance.now() + Number(process.argv[2]) * 1_000
  let count = 0
  for (; performance.now() < until; count += 1) await decide(numbered(EXAMPLE.text))
  const { user, system } = process.cpuUsage(before)
  process.stdout.write(`${count / ((user + system) / 1e6)}\n`)
}
