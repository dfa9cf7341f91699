import { command } from '../command.ts'
import { TRUST_FLAGS, verifyFiles } from '../verify-files.ts'

export default command({
  name: 'verify',
  summary: 'Verify receipts, envelopes, exports, packs and statements offline',
  usage: 'FILE|- [...]',
  flags: { ...TRUST_FLAGS, chain: { type: 'boolean', help: 'the hash chain must have been walked (ledger exports)' } },
  example: 'orch verify --key cosign.pub receipt.json',
  run: (call) =>
    verifyFiles(call, {
      strict: call.flags.strict,
      chain: call.flags.chain,
      requireProduction: call.flags['require-production'],
      allowUnsigned: call.flags['allow-unsigned'],
    }),
})
