/** Which of the two forms of the metrics a caller asks for. Text is what every scraper reads, so JSON has to be asked for
 *  by name, and as much as text is. */
const JSON_FORM = 'application/json'
const TEXT_FORM = 'text/plain'
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

export function prefersJson(accept: string | string[] | undefined): boolean {
  if (typeof accept !== 'string') return false
  const [json, text] = [qualityOf(accept, JSON_FORM), qualityOf(accept, TEXT_FORM)]
  return json > 0 && json > text
}

/** 0 where the type is not named: a wildcard names neither form. A weight that breaks the rule of weights is none. */
function qualityOf(accept: string, type: string): number {
  const named = accept
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([name]) => name === type)
  return Math.max(0, ...named.map(([, ...parameters]) => weightOf(parameters)))
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  const match = QUALITY.exec(weight)
  return match === null ? 0 : Number(match[1])
}
