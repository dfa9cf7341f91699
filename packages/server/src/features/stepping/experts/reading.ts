/** A request as the experts read it: all views of the pipeline, each as words and actions. A verb hidden from one
 *  view by a zero-width space, a look-alike letter or an encoding stands plainly in another. */

import type { Confusables } from '../../../domain/text/confusables.ts'
import { type MappedText, type Span, spanOf } from '../../../domain/text/mapped-text.ts'
import { normalise, type View } from '../../../domain/text/normalise.ts'
import { type Action, findActions } from './actions.ts'
import type { StepLexicon } from './lexicon.ts'
import { asksSomething } from './questions.ts'
import { type TokenText, tokenize } from './tokens.ts'

export interface ReadView extends TokenText {
  name: View['name']
  mapped: MappedText
  actions: Action[]
}

export interface Reading {
  /** The text without what nobody sees, case and lines kept: what statements are checked in. */
  plain: ReadView
  views: ReadView[]
  /** A verb or a question was recognised in some view. */
  understood: boolean
  folded: string
}

export function readingOf(request: string, table: Confusables, lexicon: StepLexicon): Reading {
  const normalised = normalise(request, table)
  const views = normalised.views.map((view) => readView(view, lexicon))
  const plain = views.find(({ name }) => name === 'folded')
  if (!plain) throw new Error('a normalised text has a folded view')
  const understood = asksSomething(plain, lexicon) || views.some(({ actions }) => actions.length > 0)
  return { plain, views, understood, folded: normalised.folded }
}

function readView(view: View, lexicon: StepLexicon): ReadView {
  const mapped = view.skeleton ? view.mapped : view.plain
  const read = tokenize(mapped.text, view.skeleton ? lexicon.spellSkeleton : lexicon.spell)
  return { ...read, name: view.name, mapped, actions: findActions(read, lexicon) }
}

/** Code points of the request. */
export const placeOf = ({ mapped }: ReadView, { from, to }: { from: number; to: number }): Span =>
  spanOf(mapped, from, to)
