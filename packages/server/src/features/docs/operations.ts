import Type from 'typebox'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { ServiceError } from '../../errors.ts'
import { operation, Reply } from '../../operation.ts'
import { once } from '../../platform/once.ts'
import type { CatalogEntry, Pages } from '../../ports.ts'
import type { Documents } from './contract.ts'
import { markupOf, operationMarkup, overviewMarkup, withoutScripts } from './markup.ts'
import { DocumentBody, DocumentList } from './schemas.ts'

interface Deps {
  pages: Pages
  documents: Documents
  catalog: readonly CatalogEntry[]
  openApiBytes(): Uint8Array
}

const getDefaults = {
  group: 'Operations',
  method: 'GET',
  scope: null,
  exempt: true,
  labels: ['STRUCTURAL-ONLY'],
} as const

const Name = Type.Object({
  '*': Type.String({ maxLength: 128, description: 'Name of the document, such as quickstart or formats/receipt' }),
})
const ItemName = Type.Object({
  '*': Type.String({
    maxLength: 128,
    description: 'Name of a document, or `api/` and the id of an operation',
  }),
})
const PictureName = Type.Object({
  file: Type.String({ maxLength: 128, description: 'File name of the picture', examples: ['receipt.png'] }),
})
const OPERATION = /^api\/(.+)$/

/** The documentation: pages of the console, with the text in them for readers without scripts. */
export const docs = (deps: Deps) => {
  const described = once(() => descriptionsOf(deps.openApiBytes()))
  return [
    operation({
      ...getDefaults,
      id: 'docs.page',
      path: '/docs',
      root: true,
      summary: 'The documentation: guides and the reference of every operation',
      reply: Type.String(),
      produces: 'text/html',
      run: () => pageReply(deps, overviewMarkup(deps.documents.list(), deps.catalog)),
    }),
    operation({
      ...getDefaults,
      id: 'docs.item',
      path: '/docs/*',
      root: true,
      summary: 'A document, or the reference of one operation',
      params: ItemName,
      example: { params: { '*': 'quickstart' } },
      reply: Type.String(),
      produces: 'text/html',
      errors: ['not_found'],
      run: ({ params }) => pageReply(deps, itemMarkup(deps, described, params['*'])),
    }),
    operation({
      ...getDefaults,
      id: 'docs.picture',
      path: '/docs/pictures/:file',
      root: true,
      summary: 'A picture of the documents',
      params: PictureName,
      example: { params: { file: 'receipt.png' } },
      reply: Type.Unknown({ description: 'bytes' }),
      produces: 'image/png',
      errors: ['not_found'],
      run({ params: { file } }) {
        const { bytes, type } = deps.documents.picture(`pictures/${file}`) ?? {}
        if (!bytes || !type)
          throw new ServiceError('not_found', `there is no picture ${file}; GET /docs lists the documents`)
        return new Reply(bytes, { type, headers: pageHeaders(PAGE_POLICY) })
      },
    }),
    operation({
      ...getDefaults,
      id: 'docs.documents',
      path: '/documents',
      summary: 'The documents of this build with their titles',
      reply: DocumentList,
      run: () => ({ items: [...deps.documents.list()] }),
    }),
    operation({
      ...getDefaults,
      id: 'docs.document',
      path: '/documents/*',
      summary: 'One document as a tree of elements',
      params: Name,
      example: { params: { '*': 'quickstart' } },
      reply: DocumentBody,
      errors: ['not_found'],
      run: ({ params }) => readDocument(deps.documents, params['*']),
    }),
  ]
}

function pageReply({ pages }: Deps, main: string): Reply {
  const headers = { ...pageHeaders(PAGE_POLICY), 'cache-control': 'no-store' }
  return new Reply(withoutScripts(pages.console.html, main), { type: 'text/html; charset=utf-8', headers })
}

function readDocument(documents: Documents, name: string): DocumentBody {
  const { title, source, body } = documents.read(name) ?? {}
  if (title === undefined || source === undefined || body === undefined)
    throw new ServiceError('not_found', `there is no document ${name}; GET /docs lists them`)
  return { name, title, source, body }
}

type Descriptions = Readonly<Record<string, Record<string, unknown>>>

const descriptionsOf = (description: Uint8Array): Descriptions =>
  (JSON.parse(new TextDecoder().decode(description)) as { paths: Descriptions }).paths

function itemMarkup({ documents, catalog }: Deps, described: () => Descriptions, item: string): string {
  const id = OPERATION.exec(item)?.[1]
  if (id === undefined) return markupOf(readDocument(documents, item).body)
  const entry = catalog.find((one) => one.id === id)
  if (entry === undefined) throw new ServiceError('not_found', `there is no operation ${id}; GET /docs lists them`)
  return operationMarkup(entry, described()[entry.path]?.[entry.method.toLowerCase()])
}
