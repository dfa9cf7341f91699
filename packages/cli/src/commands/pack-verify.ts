import { command } from '../command.ts'
import { usage } from '../exit.ts'
import { TRUST_FLAGS, verifyFiles } from '../verify-files.ts'

export default command({
  name: 'pack verify',
  summary: 'Verify evidence packs offline: digest, signature and every receipt inside',
  usage: 'FILE|- [...]',
  flags: TRUST_FLAGS,
  example: 'orch pack verify --key cosign.pub pack.json',
  run: (call) =>
    verifyFiles(
      call,
      {
        strict: call.flags.strict,
        requireProduction: call.flags['require-production'],
        allowUnsigned: call.flags['allow-unsigned'],
      },
      // Good evidence of another kind must not pass for a pack; what cannot be read is judged as what it was meant to be.
      ({ kind }) => {
        if (kind !== 'pack' && kind !== 'unknown')
          throw usage(`this is no evidence pack but a ${kind}; use orch verify`)
      },
    ),
})
