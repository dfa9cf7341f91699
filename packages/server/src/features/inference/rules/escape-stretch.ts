/** Percent escapes and entities are decoded together with the words around them, and escapes close to each other as one
 *  stretch: while another may still join, nothing of it is parted. */

/** Two escapes belong together at 64 characters, and the words behind the last one for as many. */
const REACH = 128
const MAX_NAME = 9

export class EscapeStretch {
  #left = 0
  /** Hexadecimal digits behind a percent sign; -1 without one. */
  #hex = -1
  /** What stands behind an ampersand; null without one. */
  #name: string | null = null

  get open(): boolean {
    return this.#left > 0
  }

  take(code: number): void {
    if (this.#left > 0) this.#left -= 1
    if (this.#isPercent(code) || this.#isEntity(code)) this.#left = REACH
  }

  #isPercent(code: number): boolean {
    if (code === 37) this.#hex = 0
    else this.#hex = this.#hex >= 0 && this.#hex < 2 && isHex(code) ? this.#hex + 1 : -1
    return this.#hex === 2
  }

  /** By its number with or without the semicolon, as browsers read it. */
  #isEntity(code: number): boolean {
    if (code === 38) this.#name = ''
    else if (this.#name !== null) {
      const before = this.#name
      if (code === 59) {
        this.#name = null
        return before !== ''
      }
      const goesOn = isNameLetter(code) && before.length < MAX_NAME
      this.#name = goesOn ? before + String.fromCharCode(code) : null
      return goesOn && before.startsWith('#')
    }
    return false
  }
}

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
const isNameLetter = (code: number): boolean =>
  code === 35 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
