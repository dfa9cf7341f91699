/** How a turn may be read: as it was sent, without what nobody sees, and with look-alikes as the letters they pose as. A
 *  rule that looks only at the text as received is passed by one zero-width space. */
import { type Confusables, latinOf } from '../../../domain/text/confusables.ts'
import { plainOf } from '../../../domain/text/fold.ts'
import { rawText } from '../../../domain/text/mapped-text.ts'

/** Each once, the one that is folded most last. The case stays as it is. */
export function readingsOf(text: string, table: Confusables | null): string[] {
  const plain = plainOf(rawText(text)).text
  return [...new Set(table === null ? [text, plain] : [text, latinOf(text, table), plain, latinOf(plain, table)])]
}
