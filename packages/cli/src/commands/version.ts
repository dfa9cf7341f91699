import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION } from '../../../core/src/doctrine.ts'
import { command } from '../command.ts'
import { EXIT } from '../exit.ts'
import { BUILT_VERIFY_PAGE, CHECKOUT } from '../installation.ts'

/** The page is built on first start; before that there is nothing to hash. */
const VERIFY_PAGE = CHECKOUT && fileURLToPath(new URL('packages/console/dist/verify.html', CHECKOUT))

export default command({
  name: 'version',
  summary: 'Say which build this is',
  usage: '',
  flags: {},
  example: 'orch version --json',
  async run({ flags, terminal }) {
    const facts = {
      name: 'orch',
      version: BUILD_VERSION,
      interface_version: INTERFACE_VERSION,
      doctrine: DOCTRINE,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      verify_page_sha256: BUILT_VERIFY_PAGE ?? pageDigest(),
    }
    await terminal.out(flags.json ? `${JSON.stringify(facts)}\n` : `orch ${facts.version} (node ${facts.node})\n`)
    return EXIT.done
  },
})

const pageDigest = (): string | null =>
  VERIFY_PAGE && existsSync(VERIFY_PAGE) ? createHash('sha256').update(readFileSync(VERIFY_PAGE)).digest('hex') : null
