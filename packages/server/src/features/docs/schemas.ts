import Type, { type Static } from 'typebox'

export const DocumentEntry = Type.Object(
  {
    name: Type.String({ description: 'Below /docs/ in the address of its page' }),
    title: Type.String(),
    group: Type.String(),
    headings: Type.Array(Type.String()),
  },
  { $id: 'DocumentEntry' },
)
export type DocumentEntry = Static<typeof DocumentEntry>

export const DocumentList = Type.Object({ items: Type.Array(DocumentEntry) })

/** An element of a document: a tag out of a closed list, its attributes and what is in it. Text is text. */
export type DocumentNode = string | { tag: string; attributes: Record<string, string>; children: DocumentNode[] }

export const DocumentBody = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    source: Type.String({ description: 'The file it is made from, in the repository' }),
    body: Type.Array(Type.Unsafe<DocumentNode>({ type: ['string', 'object'] }), {
      description: 'Text, or elements as {tag, attributes, children}',
    }),
  },
  { $id: 'Document' },
)
export type DocumentBody = Static<typeof DocumentBody>
