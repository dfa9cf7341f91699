/** The parser of the HTML standard, with a select that may hold any element: the package still drops them, so that a form, a
 *  base address or a style inside of one would go unseen that browsers honour. */
import { html, Parser, type ParserOptions, type Token, type DefaultTreeAdapterTypes as Tree } from 'parse5'

const { SELECT, OPTION, OPTGROUP, HR, INPUT, UNKNOWN } = html.TAG_ID
/** Of the package: in a select, and in one in a table. */
const SELECT_MODES: readonly number[] = [15, 16]

/** Private to the package's types, and the one place where scopes are looked at. */
interface Scoped {
  hasInDynamicScope(name: number, scope: ReadonlySet<number>): boolean
}

export class StandardParser extends Parser<Tree.DefaultTreeAdapterMap> {
  constructor(options: ParserOptions<Tree.DefaultTreeAdapterMap>) {
    super(options)
    let mode = this.insertionMode
    Object.defineProperty(this, 'insertionMode', {
      get: () => mode,
      set: (next: typeof mode) => {
        if (!SELECT_MODES.includes(next)) mode = next
      },
    })
    // What is open around a select is not closed from inside of it.
    const stack = this.openElements as unknown as Scoped
    const find = stack.hasInDynamicScope.bind(stack)
    const scopes = new Map<ReadonlySet<number>, ReadonlySet<number>>()
    stack.hasInDynamicScope = (name, scope) => {
      const widened = scopes.get(scope) ?? new Set([...scope, SELECT])
      scopes.set(scope, widened)
      return find(name, widened)
    }
  }

  override _resetInsertionMode(): void {
    const ids = this.openElements.tagIDs
    this.openElements.tagIDs = ids.map((id) => (id === SELECT ? UNKNOWN : id))
    super._resetInsertionMode()
    this.openElements.tagIDs = ids
  }

  /** Before anything is open, the package finds everything in scope. */
  #isInSelect(): boolean {
    return this.openElements.stackTop >= 0 && this.openElements.hasInScope(SELECT)
  }

  override _startTagOutsideForeignContent(token: Token.TagToken): void {
    const stack = this.openElements
    if (this.#isInSelect()) {
      if (token.tagID === OPTION) stack.generateImpliedEndTagsWithExclusion(OPTGROUP)
      if (token.tagID === OPTGROUP || token.tagID === HR) stack.generateImpliedEndTags()
      if (token.tagID === SELECT || token.tagID === INPUT) stack.popUntilTagNamePopped(SELECT)
      if (token.tagID === SELECT) return
    }
    super._startTagOutsideForeignContent(token)
  }

  override _endTagOutsideForeignContent(token: Token.TagToken): void {
    if (token.tagID !== SELECT) super._endTagOutsideForeignContent(token)
    else if (this.#isInSelect()) {
      this.openElements.generateImpliedEndTags()
      this.openElements.popUntilTagNamePopped(SELECT)
    }
  }
}
