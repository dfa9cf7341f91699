// Reference: what physics leaves to anyone who signs every decision. The echo plus one SHA-256 of the body and one
// awaited P-256 signature; no gates, no chain, no disk.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { SignedStep, Step } from './shapes.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
// The callback form signs on the thread pool, so that several signatures run beside the event loop.
const signAsync = promisify(sign)

const app = fastify()
app.post('/', { schema: { body: Step, response: { 200: SignedStep } } }, async (request) => {
  const digest = createHash('sha256').update(JSON.stringify(request.body)).digest()
  const signature = await signAsync('sha256', digest, privateKey)
  return { step: request.body, digest: digest.toString('hex'), signature: signature.toString('base64') }
})
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}/\n`)
