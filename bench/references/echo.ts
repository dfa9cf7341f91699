// Reference: the least any validated JSON service on this runtime costs. Bare Fastify, one POST, a body schema.
import fastify from 'fastify'
import { Step } from './shapes.ts'

const app = fastify()
app.post('/', { schema: { body: Step, response: { 200: Step } } }, async (request) => request.body)
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}/\n`)
