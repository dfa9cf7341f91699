import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formAccepted } from '../../domain/accept.ts'
import { KEY_FORMS } from './readings.ts'

const JSON_TYPE = 'application/json'
const PEM = 'application/x-pem-file'
const PLAIN = 'text/plain'

const cases: [accept: string | undefined, form: string][] = [
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  [JSON_TYPE, JSON_TYPE],
  [PEM, PEM],
  ['Application/X-PEM-File', PEM],
  [PLAIN, PLAIN],
  ['text/plain; charset=utf-8', PLAIN],
  ['text/*', PLAIN],
  ['application/*', JSON_TYPE],
  ['application/json, text/plain, */*', JSON_TYPE],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
  ['application/json;q=0.2, application/x-pem-file;q=0.9', PEM],
  ['application/json;q=0, */*', PEM],
  ['text/plain;q=0', JSON_TYPE],
  ['text/plain;q=9', JSON_TYPE],
  ['image/png', JSON_TYPE],
]
for (const [accept, form] of cases)
  test(`an Accept of ${accept ?? 'nothing'} is answered with ${form}`, () =>
    assert.equal(formAccepted(accept, KEY_FORMS), form))

test('no header, however odd, gives anything but one of the three forms', () => {
  fc.assert(
    fc.property(fc.string(), (header) => [JSON_TYPE, PEM, PLAIN].includes(formAccepted(header, KEY_FORMS))),
    { seed: 4 },
  )
})
