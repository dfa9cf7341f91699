/** The security loop over the files of this build. */
import { ServiceError } from '../../errors.ts'
import { readSealed } from '../../platform/sealed-file.ts'
import type { Ports } from '../../ports.ts'
import { ADVISORIES_SCHEMA, AdvisorySample } from './advisories.ts'
import type { SecurityLoop } from './contract.ts'
import { readLockfile } from './lockfile.ts'
import { buildRun, unavailableRun } from './run.ts'

export const openSecurityLoop = ({ artifacts }: Pick<Ports, 'artifacts'>): SecurityLoop => ({
  async run() {
    const [advisories, lockfile] = await Promise.all([artifacts.text('advisories'), artifacts.text('lockfile')])
    const sample = readSealed(advisories, ADVISORIES_SCHEMA, AdvisorySample)
    if (!sample.ok)
      throw new ServiceError(
        'data_file_invalid',
        'the advisories of this build are not the committed ones; ask the operator',
      )
    // Of the file, like that of the lockfile: whoever has it can recompute it.
    const found = { sample: sample.value, advisories_sha256: advisories.present ? advisories.sha256 : sample.sha256 }
    if (!lockfile.present) return unavailableRun({ ...found, lockfile_sha256: null }, lockfile.reason)
    const components = readLockfile(lockfile.text)
    const { sha256: lockfile_sha256 } = lockfile
    if (components === null)
      return unavailableRun({ ...found, lockfile_sha256 }, 'package-lock.json is no npm lockfile of version 2 or 3')
    return buildRun({ ...found, components, lockfile_sha256 })
  },
})
