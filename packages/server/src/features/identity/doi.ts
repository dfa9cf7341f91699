/** Identifiers of archives. None is made up here: a value is the operator’s, or there is none. */
import type { Identity } from './contract.ts'

const RESOLVER = 'https://doi.org/'

const entry = (value: string | null) => ({ value, url: value === null ? null : `${RESOLVER}${value}` })

export function doiOf({ doi, readback }: Pick<Identity, 'doi' | 'readback'>) {
  const software = doi.software.value
  const found = software !== null && readback?.doi?.value === software ? readback.doi : null
  return {
    concept: { ...entry(doi.concept.value), role: 'ASSOCIATED_RESEARCH_PROGRAM' },
    formal_artifacts: { ...entry(doi.formal.value), role: 'FORMAL_ARTIFACT_RECORD' },
    software_version: {
      ...entry(software),
      status: software === null ? 'PENDING_ARCHIVE_READBACK' : found === null ? 'CONFIGURED_UNVERIFIED' : 'VERIFIED',
      readback: found === null ? null : { doi: found.value, read_at: found.readAt },
    },
  }
}

export const doiUrl = (value: string): string => `${RESOLVER}${value}`
