/** What runs in the worker: one page, read and acted upon. */
import { runActions, type Script } from './actions.ts'
import { BadSelector } from './find.ts'
import { hiddenTexts } from './hidden.ts'
import { openPage, snapshotOf } from './page.ts'
import { MAX_DEPTH } from './parse.ts'

const MAX_NODES = 500
const MAX_HIDDEN = 4000

export interface PageJob {
  html: string
  /** Null to look at the page alone. */
  script: Script | null
}

export type PageReport = ReturnType<typeof report>

/** Faults of the request come back as such: in a worker they cannot be told from failures. */
export function readPage({
  html,
  script,
}: PageJob): PageReport | { fault: { place: (string | number)[]; message: string } } {
  const page = openPage(html)
  if (page === null) return { fault: { place: ['html'], message: `nests elements more than ${MAX_DEPTH} levels deep` } }
  try {
    return report(page, script)
  } catch (error) {
    if (error instanceof BadSelector) return { fault: { place: ['actions', error.at, 'css'], message: error.message } }
    throw error
  }
}

function report(page: NonNullable<ReturnType<typeof openPage>>, script: Script | null) {
  const hidden = hiddenTexts(page)
  const ran = script === null ? null : runActions(page, script)
  const { snapshot, total } = snapshotOf(page, MAX_NODES)
  const count = (selector: string) => page.document.querySelectorAll(selector).length
  const handlers = [...page.document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some(({ name }) => /^on/i.test(name)),
  ).length
  return {
    snapshot,
    total,
    hidden: hidden.slice(0, MAX_HIDDEN),
    hiddenTotal: hidden.length,
    ran,
    unread: [...new Set(page.styles.unread)],
    inert: { scripts: count('script'), handlers, frames: count('iframe, frame, object, embed') },
  }
}
