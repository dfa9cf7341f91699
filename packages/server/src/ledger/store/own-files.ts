/** Which files on the disk a store has open. Whoever can write to the data folder can remove, rename or replace them while
 *  the service runs; the open handles go on working, and what is committed through them is lost when the process ends. A
 *  path that no longer leads to the file that was opened is therefore the end of all acknowledging. */
import { statSync } from 'node:fs'
import { join } from 'node:path'

export interface OwnFile {
  name: string
  dev: bigint
  ino: bigint
}

export class StoreReplaced extends Error {
  readonly code = 'STORE_REPLACED'

  constructor(name: string) {
    super(
      `${name} in the data folder is no longer the file this service opened: it was removed, renamed or replaced; stop the service, put the file back and start again`,
    )
  }
}

/** The files of these names that are there now. An inode number is not given out again while its file is held open. */
export const filesIn = (folder: string, names: readonly string[]): OwnFile[] =>
  names.flatMap((name) => fileAt(folder, name) ?? [])

function fileAt(folder: string, name: string): OwnFile | null {
  const found = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : { name, dev: found.dev, ino: found.ino }
}

/** One stat per file, a few microseconds each. */
export function assertSameFiles(folder: string, files: readonly OwnFile[]): void {
  for (const { name, dev, ino } of files) {
    const found = fileAt(folder, name)
    if (found === null || found.dev !== dev || found.ino !== ino) throw new StoreReplaced(name)
  }
}
