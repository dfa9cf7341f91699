// What holds for every command.
import { EXIT_MEANINGS } from './exit.ts'

export const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': [
    'Exit codes:',
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`),
    '',
    'Several files: the worst result wins, 3 over 5 over 0.',
    '',
  ].join('\n'),
  settings: [
    'A setting comes from the first of: flag, environment, ./orch.yaml, config.yaml in the user config folder.',
    '',
    '  base_url    --url         ORCH_BASE_URL   where the service answers',
    '  token       --token-file  ORCH_TOKEN      the credential (ORCH_TOKEN_FILE names a file)',
    '  data        --data        ORCH_DATA       the data folder of a ledger on this machine',
    '  progress                  ORCH_PROGRESS   auto, always or never',
    '',
    'The files hold lines such as `base_url: "https://orch.example"`. orch doctor shows each value and its origin.',
    '',
  ].join('\n'),
  trust: [
    'verify trusts the keys given by --key, or else those pinned in the user config folder under keys/.',
    'A key that lies in the file being verified is never used.',
    '',
    '  orch keys pin cosign.pub --kind production',
    '',
    'Compare the fingerprint over another channel before pinning: whoever gives you both file and key can forge both.',
    '',
  ].join('\n'),
}
