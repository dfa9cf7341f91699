/** Arithmetic on decimals: `+ - * /`, parentheses and signs. The expression is an attacker's: nothing is evaluated as
 *  code, there is no exponent and no power to grow a number with, and depth and length are bounded. */
import { DECIMALS, decimal, type Fraction, inDecimals, negated, product, quotient, sum } from '../exact-number.ts'

export const MAX_EXPRESSION = 1024
export const MAX_NESTING = 64

type Calculated = { ok: true; value: string; exact: boolean; rounding: string | null } | { ok: false; reason: string }

export function calculate(expression: string): Calculated {
  if (expression.length > MAX_EXPRESSION)
    return { ok: false, reason: `an expression has at most ${MAX_EXPRESSION} characters` }
  try {
    const shown = inDecimals(new Parser(expression).whole())
    return { ok: true, ...shown, rounding: shown.exact ? null : `half to even at ${DECIMALS} decimals` }
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, reason: error.message }
    throw error
  }
}

class ExpressionError extends Error {}

const NUMBER = /(\d*)(?:\.(\d+))?/y

/** expression = term (("+" | "-") term)*; term = factor (("*" | "/") factor)*; factor = ("+" | "-")* (number | "(" expression ")") */
class Parser {
  private readonly text: string
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): Fraction {
    const value = this.expression()
    if (this.peek() !== '') throw new ExpressionError(`unexpected character at ${this.at}`)
    return value
  }

  private expression(): Fraction {
    let value = this.term()
    for (let sign = this.peek(); sign === '+' || sign === '-'; sign = this.peek()) {
      this.at++
      const term = this.term()
      value = sum(value, sign === '+' ? term : negated(term))
    }
    return value
  }

  private term(): Fraction {
    let value = this.factor()
    for (let sign = this.peek(); sign === '*' || sign === '/'; sign = this.peek()) {
      this.at++
      const factor = this.factor()
      value = sign === '*' ? product(value, factor) : divided(value, factor)
    }
    return value
  }

  private factor(): Fraction {
    let minus = false
    for (let sign = this.peek(); sign === '+' || sign === '-'; sign = this.peek()) {
      if (sign === '-') minus = !minus
      this.at++
    }
    const value = this.peek() === '(' ? this.parenthesis() : this.number()
    return minus ? negated(value) : value
  }

  private parenthesis(): Fraction {
    if (++this.depth > MAX_NESTING) throw new ExpressionError(`parentheses nest at most ${MAX_NESTING} deep`)
    this.at++
    const value = this.expression()
    if (this.peek() !== ')') throw new ExpressionError(`a parenthesis is not closed at ${this.at}`)
    this.at++
    this.depth--
    return value
  }

  private number(): Fraction {
    NUMBER.lastIndex = this.at
    const [matched = '', digits = '', places = ''] = NUMBER.exec(this.text) ?? []
    if (matched === '') throw new ExpressionError(`a number is missing at ${this.at}`)
    this.at += matched.length
    return decimal(digits, places)
  }

  private peek(): string {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++
    return this.text[this.at] ?? ''
  }
}

function divided(value: Fraction, by: Fraction): Fraction {
  const result = quotient(value, by)
  if (result === null) throw new ExpressionError('division by zero')
  return result
}
