// The language of a text, by its script and its commonest words: a label for the tables and nothing more.
const SCRIPTS: readonly [language: string, letters: RegExp][] = [
  ['ja', /[\u3041-\u30ff]/gu],
  ['ko', /[\uac00-\ud7af]/gu],
  ['zh', /[\u3400-\u9fff]/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['bn', /\p{Script=Bengali}/gu],
]
const MIN_SHARE = 0.15

const WORDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    en: 'the and you your is are of to that this with for not will what how can',
    de: 'der die das und ist nicht sie ich mit ein eine auf für zu du den von wie bitte',
    fr: 'le la les et est vous que des une dans pour pas je tu votre sur avec du ce',
    es: 'el la los las que y en es por una para con no tu su del como debes qué',
    pt: 'o os as que e em não um uma para com você do da seu sua como por é',
    it: 'il lo gli che e di non un una per con del sono come puoi questo è della',
    tr: 've bir bu için ile ne da de olarak sen bana',
    vi: 'và là của bạn không một các được cho tôi',
    id: 'dan yang untuk tidak anda dengan ini saya dari',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
)

export function languageOf(text: string): string {
  const sample = text.slice(0, 4000)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  for (const [language, script] of SCRIPTS)
    if ((sample.match(script)?.length ?? 0) > MIN_SHARE * letters) return language
  const words = sample.toLowerCase().split(/[^\p{L}]+/u)
  const counts = Object.entries(WORDS).map(([language, known]) => ({
    language,
    count: words.filter((word) => known.has(word)).length,
  }))
  const best = counts.reduce((most, one) => (one.count > most.count ? one : most))
  return best.count === 0 ? 'en' : best.language
}
