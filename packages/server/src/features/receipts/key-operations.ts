import { pemOf, ringRecord, rotationPayload } from '../../domain/keys.ts'
import { APPENDING, ServiceError } from '../../errors.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { Ports } from '../../ports.ts'
import { openDefaults } from './lookups.ts'
import * as replies from './replies.ts'
import * as schemas from './schemas.ts'

const PEM = 'application/x-pem-file'
const keyDefaults = { ...openDefaults, labels: ['STRUCTURAL-ONLY'] } as const

/** The keys that sign here, and how the demo key is turned. */
export const keyOperations = ({ ledger, recorder }: Pick<Ports, 'ledger' | 'recorder'>) => {
  const turns = new KeyedMutex()
  const rotate = async (call: Call) => {
    if (ledger.signer.kind !== 'demo')
      throw new ServiceError('key_not_rotatable', 'only a demo key is held here; rotate at the signing service')
    const reply = await recorder.record(call, 'keys.rotate', {
      decide: async () => rotationPayload(await ledger.prepareKey()),
      toReceipt: (payload) => ({ chain: 'keys', kind: 'key-rotation', payload, answer: payload }),
    })
    // A replay answers for a rotation that was made: the key that is in use now is not turned once more.
    if (reply.headers['idempotent-replay'] === undefined) await ledger.activateKey()
    return reply
  }

  return [
    operation({
      ...keyDefaults,
      id: 'keys.list',
      path: '/keys',
      summary: 'The trust ring: every key that ever signed here',
      reply: replies.Keys,
      async run() {
        const active = ledger.signer.keyid
        const keys = (await ledger.reader.keys()).map((key) => ringRecord(key, active))
        return { keys, count: keys.length, active_keyid: active, log_vkey: ledger.vkey }
      },
    }),
    operation({
      ...keyDefaults,
      id: 'keys.rotate',
      method: 'POST',
      path: '/keys/rotate',
      scope: 'keys:rotate',
      summary: 'Turn the demo key: the old one signs the receipt that names the new one',
      reply: replies.Rotated,
      errors: ['key_not_rotatable', ...APPENDING],
      // A rotation that starts while another is under way would turn the key in the middle of it.
      run: (call) => turns.run('rotate', () => rotate(call)),
    }),
    operation({
      ...keyDefaults,
      id: 'keys.cosign',
      path: '/cosign.pub',
      root: true,
      aliases: ['/api/orch/cosign.pub', '/.well-known/cosign.pub'],
      summary: 'The verification key in use as PEM, or one of the ring by its keyid',
      query: schemas.KeyQuery,
      narrows: true,
      reply: replies.Lines,
      produces: PEM,
      errors: ['no_signing_key'],
      run: ({ query }) => pemReply((key) => key.keyid === (query.keyid ?? ledger.signer.keyid)),
    }),
    operation({
      ...keyDefaults,
      id: 'keys.demoCosign',
      path: '/demo-cosign.pub',
      root: true,
      summary: 'The demo verification key as PEM, where a demo key is in use',
      reply: replies.Lines,
      produces: PEM,
      errors: ['no_signing_key'],
      run: () => pemReply((key) => key.kind === 'demo' && key.keyid === ledger.signer.keyid),
    }),
  ]

  async function pemReply(wanted: (key: { keyid: string; kind: string }) => boolean): Promise<Reply> {
    const key = (await ledger.reader.keys()).find(wanted)
    if (key === undefined)
      throw new ServiceError('no_signing_key', 'no key has this keyid; GET /api/orch/v1/keys lists them')
    return new Reply(pemOf(key), { type: PEM, headers: { 'x-orch-key-kind': key.kind, 'x-orch-key-id': key.keyid } })
  }
}
