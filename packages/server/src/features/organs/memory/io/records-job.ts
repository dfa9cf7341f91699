/** The jobs of N15 in the thread of the indexes: every version of a record that holds now or will can be found. */
import { derivedTexts } from '../../search/io/text-index.ts'
import { StoredRecord } from '../records.ts'
import { liveVersions } from '../versions.ts'

export const { ask, add, drop } = derivedTexts(StoredRecord, ({ ns, key, versions }, now) =>
  liveVersions(versions, now).map(({ version: { version, text }, from, until }, at) => ({
    id: JSON.stringify([ns, key, at]),
    ...{ text, from, until, about: { ns, key, version } },
  })),
)
