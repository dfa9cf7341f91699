// What this program is a part of: a checkout, whose other packages it can start, or the built file that stands alone.

/** Put in by the build; in a checkout there is no such name. */
declare const VERIFY_PAGE_SHA256: string | undefined

/** The root of the checkout; null in the built file. */
export const CHECKOUT = import.meta.url.endsWith('/packages/cli/src/installation.ts')
  ? new URL('../../../', import.meta.url)
  : null

/** Of the page /verify that was built together with this file; null in a checkout, where the page itself can be read. */
export const BUILT_VERIFY_PAGE = typeof VERIFY_PAGE_SHA256 === 'string' ? VERIFY_PAGE_SHA256 : null
