import Type from 'typebox'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { ServiceError } from '../../errors.ts'
import { operation, Reply } from '../../operation.ts'
import type { Pages } from '../../ports.ts'

const pageDefaults = {
  group: 'Operations',
  method: 'GET',
  root: true,
  scope: null,
  exempt: true,
  reply: Type.String(),
  labels: ['STRUCTURAL-ONLY'],
  errors: ['not_found'],
} as const

const PageName = Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['decisions'] })
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

/** The console in the browser: one document for all its addresses, which asks the service for what it shows with the
 *  reader's own credential. Nothing in these files depends on who asks. */
export const consoleApp = ({ pages }: { pages: Pages }) => {
  const precheck = ({ page }: Readonly<Record<string, string>>): void => {
    if (!pages.console.pages.includes(page as string))
      throw new ServiceError('not_found', `the console has no page ${page}; it has ${pages.console.pages.join(', ')}`)
  }
  const document = {
    ...pageDefaults,
    produces: 'text/html',
    precheck,
    run: () =>
      new Reply(pages.console.html, {
        type: 'text/html; charset=utf-8',
        headers: { ...pageHeaders(PAGE_POLICY), 'cache-control': 'no-store' },
      }),
  } as const
  const { precheck: _, ...first } = document
  return [
    operation({
      ...first,
      id: 'console.page',
      path: '/console',
      summary: 'The console; it opens with the decisions',
      example: {},
    }),
    operation({
      ...document,
      id: 'console.app',
      path: '/console/:page',
      summary: 'A page of the console',
      params: Type.Object({ page: PageName }),
      example: { params: { page: 'decisions' } },
    }),
    operation({
      ...document,
      id: 'console.item',
      path: '/console/:page/:id',
      summary: 'One thing on a page of the console, by its id',
      params: Type.Object({ page: PageName, id: Type.String({ minLength: 1, maxLength: 128 }) }),
      example: { params: { page: 'receipts', id: '0'.repeat(64) } },
    }),
    operation({
      ...pageDefaults,
      id: 'console.asset',
      path: '/console/assets/:file',
      summary: 'A script or style of the console; its name holds the digest of what is in it',
      params: Type.Object({
        file: Type.String({ pattern: '^[\\w-]{1,64}\\.(?:js|css)$', examples: ['main-0A1B2C3D.js'] }),
      }),
      example: { params: { file: 'main-0A1B2C3D.js' } },
      produces: 'text/javascript',
      run({ params: { file } }) {
        const found = pages.console.assets.get(file)
        if (found === undefined)
          throw new ServiceError('not_found', `this build has no file ${file}; load the page again`)
        const type = TYPES[file.endsWith('.css') ? 'css' : 'js']
        return new Reply(found.text, { type, headers: { 'cache-control': 'public, max-age=31536000, immutable' } })
      },
    }),
  ]
}
