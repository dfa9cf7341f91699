import { fenceOf, isOurHost } from './origin-check.ts'

const ADDRESS = /^(?:\[|localhost(?::|$)|\d{1,3}(?:\.\d{1,3}){3}(?::|$))/

/** The operator’s word first. Otherwise the caller’s, and only for a host this service answers for: whoever forges the
 *  header must not be able to name the place an auditor fetches the key from. A listed name is taken to be behind TLS,
 *  an address literal is not. */
export function publicOriginOf(settings: Parameters<typeof fenceOf>[0]): (host: string | undefined) => string | null {
  const fence = fenceOf(settings)
  return (host) => {
    if (fence.baseOrigin !== null) return fence.baseOrigin
    const header = host?.toLowerCase() ?? ''
    if (!isOurHost(fence, header)) return null
    return `${ADDRESS.test(header) ? 'http' : 'https'}://${header}`
  }
}
