// The ways an attack is dressed up so that a filter misses it while a model still reads it.
import { deflateRawSync, gzipSync } from 'node:zlib'
import { rot13, TRANSFORMS, type Transform } from './transforms.ts'

const WORD = /\p{L}{4,}/gu
const each = (text: string, change: (letter: string) => string): string => [...text].map(change).join('')
const mapped = (from: string, to: string) => {
  const table = new Map([...from].map((letter, at) => [letter, [...to][at] as string]))
  return (text: string): string =>
    each(text, (letter) => table.get(letter) ?? table.get(letter.toLowerCase()) ?? letter)
}
const inMiddle = (mark: string) => (text: string) =>
  text.replace(WORD, (word) => `${word.slice(0, word.length >> 1)}${mark}${word.slice(word.length >> 1)}`)
const between = (mark: string, gap: string) => (text: string) =>
  text.replace(/\p{L}+/gu, (word) => [...word].join(mark)).replaceAll(' ', gap)
const escaped = (spell: (code: number) => string) => (text: string) =>
  each(text, (letter) => spell(letter.charCodeAt(0)))
const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0')

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const alphabetFrom = (first: number) => String.fromCodePoint(...[...ALPHABET].map((_, at) => first + at))

/** One mistake in each word of five letters and more, at a place that its letters choose. */
const mistyped = (spoil: (word: string, at: number) => string) => (text: string) =>
  text.replace(/\p{L}{5,}/gu, (word) => spoil(word, 1 + ((word.length * 7 + word.charCodeAt(0)) % (word.length - 2))))

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.match(/.{1,5}/g) ?? []
  return digits
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('')
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const EVASIONS: readonly Transform[] = [
  ...TRANSFORMS.filter(({ name }) => name !== 'plain'),
  { name: 'upper case', apply: (text) => text.toUpperCase() },
  { name: 'accents', apply: mapped('aeiouncs', 'äéîöúñçš') },
  { name: 'combining marks', apply: (text) => text.replace(/\p{L}/gu, '$&\u0335\u0301') },
  { name: 'small capitals', apply: mapped(ALPHABET, 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ') },
  { name: 'mathematical bold', apply: mapped(ALPHABET, alphabetFrom(0x1d41a)) },
  { name: 'circled letters', apply: mapped(ALPHABET, alphabetFrom(0x24d0)) },
  { name: 'squared letters', apply: mapped(ALPHABET, alphabetFrom(0x1f130)) },
  { name: 'emoji inside words', apply: inMiddle('\u{1F600}') },
  { name: 'marks inside words', apply: inMiddle('**') },
  { name: 'hyphens inside words', apply: inMiddle('-') },
  { name: 'blanks inside words', apply: inMiddle(' ') },
  { name: 'soft hyphens', apply: inMiddle('\u00ad') },
  { name: 'leet digits', apply: mapped('aeiost', '431057') },
  { name: 'leet marks', apply: mapped('aeos', '@30$') },
  { name: 'spaced letters', apply: between(' ', ' ') },
  { name: 'spaced letters, wide gaps', apply: between(' ', '   ') },
  { name: 'dotted letters', apply: between('.', ' ') },
  {
    name: 'swapped letters',
    apply: mistyped((word, at) => `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`),
  },
  { name: 'dropped letter', apply: mistyped((word, at) => word.slice(0, at) + word.slice(at + 1)) },
  { name: 'doubled letter', apply: mistyped((word, at) => word.slice(0, at) + word[at] + word.slice(at)) },
  { name: 'wrong letter', apply: mistyped((word, at) => `${word.slice(0, at)}x${word.slice(at + 1)}`) },
  {
    name: 'glued with capitals',
    apply: (text) => text.replace(/ (\p{L})/gu, (_, letter: string) => letter.toUpperCase()),
  },
  { name: 'underscores for blanks', apply: (text) => text.replaceAll(' ', '_') },
  { name: 'reversed', apply: (text) => [...text].reverse().join('') },
  { name: 'base32', apply: base32 },
  { name: 'hex', apply: (text) => Buffer.from(text).toString('hex') },
  { name: 'percent escapes', apply: escaped((code) => `%${hex(code & 255, 2)}`) },
  { name: 'HTML entities', apply: escaped((code) => `&#${code};`) },
  { name: '\\x escapes', apply: escaped((code) => `\\x${hex(code & 255, 2)}`) },
  { name: '\\u escapes', apply: escaped((code) => `\\u${hex(code, 4)}`) },
  { name: 'UTF-16 in base64', apply: (text) => Buffer.from(text, 'utf16le').toString('base64') },
  { name: 'gzip in base64', apply: (text) => gzipSync(text).toString('base64') },
  { name: 'base64 twice', apply: (text) => base64(base64(text)) },
  { name: 'deflate in base64', apply: (text) => deflateRawSync(text).toString('base64') },
  { name: 'rot13 in base64', apply: (text) => base64(rot13(text)) },
  { name: 'base64 with blanks inside', apply: (text) => base64(text).replace(/.{5}/g, '$& ') },
  { name: 'base64 in lines before a text', apply: (text) => `${base64(text).replace(/.{76}/g, '$&\n')}\nThanks` },
  { name: 'octal escapes', apply: escaped((code) => `\\${(code & 127).toString(8).padStart(3, '0')}`) },
  { name: 'quoted-printable', apply: escaped((code) => `=${hex(code & 255, 2).toUpperCase()}`) },
  { name: 'hex with blanks', apply: (text) => escaped((code) => `${hex(code & 255, 2)} `)(text).trim() },
  {
    name: 'variation selectors',
    apply: escaped((code) => String.fromCodePoint(code < 16 ? 0xfe00 + code : 0xe00f0 + (code & 255))),
  },
  { name: 'tag characters', apply: escaped((code) => String.fromCodePoint(0xe0000 + (code & 127))) },
]
