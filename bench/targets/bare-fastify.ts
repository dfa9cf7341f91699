/** The yardstick: the framework alone, echoing a parsed JSON body, with nothing of ours around it. */
import Fastify from 'fastify'

const app = Fastify({ logger: false })
app.post('/echo', async (request) => request.body)
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${address}/echo\n`)
process.on('SIGTERM', () => app.close().then(() => process.exit(0)))
