/** Questions over the files of docs/, judged by hand: 3 answers it, 2 answers a part, 1 is about it. A section counts once,
 *  however many passages it was cut into. Asked as people ask: in their own words, some of them misspelled. */
type Judged = readonly [query: string, grades: Readonly<Record<string, number>>]

const A = 'docs/auditor.md'
const B = 'docs/backup.md'
const D = 'docs/decisions'
const F = 'docs/formats'
const O = 'docs/operations.md'
const Q = 'docs/quickstart.md'
const T = 'docs/threat-model.md'

export const JUDGED: readonly Judged[] = [
  [
    'how do I restore a backup',
    { [`${B}#restore`]: 3, [`${B}#what-the-guard-is-for`]: 1, [`${F}/receipt.md#a-restore`]: 1 },
  ],
  ['nightly backup of the data folder', { [`${B}#every-night`]: 3, [B]: 1 }],
  ['what is the rollback guard good for', { [`${B}#what-the-guard-is-for`]: 3, [`${D}/0002-ledger.md#the-guard`]: 2 }],
  ['run a witness on another machine', { [`${B}#a-witness`]: 3 }],
  ['verify one receipt with openssl alone', { [`${A}#2-one-receipt`]: 3 }],
  ['compare the key fingerprint over another channel', { [`${A}#1-get-the-keys-from-somebody-else`]: 3 }],
  ['what do PASS and PARTIAL mean', { [`${A}#5-what-the-verdicts-mean`]: 3, [`${Q}#verify-it-offline`]: 1 }],
  ['exit code of the verifier', { [`${A}#5-what-the-verdicts-mean`]: 3, [`${Q}#change-one-byte`]: 1 }],
  ['was every receipt shown to the auditor', { [`${A}#4-was-everything-shown`]: 3 }],
  ['verify an evidence pack in Python', { [`${A}#3-a-pack`]: 3, [`${F}/pack.md#the-digest-in-python`]: 3 }],
  ['tamper with a byte of the file and see it fail', { [`${Q}#change-one-byte`]: 3 }],
  ['getting started, which Node version', { [`${Q}#start`]: 3, [`${D}/0001-runtime-and-validators.md`]: 1 }],
  ['sign my first receipt with curl', { [`${Q}#make-a-receipt`]: 3 }],
  ['offline verification without network', { [`${Q}#verify-it-offline`]: 3, [`${A}#2-one-receipt`]: 2 }],
  ['environment variables of the service', { [`${O}#configuration`]: 3 }],
  ['maximum body size of a request', { [`${O}#limits-of-a-request`]: 3, 'docs/errors.md': 1 }],
  ['what happens when PostgreSQL is away', { [`${O}#when-the-store-fails`]: 3 }],
  ['graceful shutdown on SIGTERM', { [`${O}#stopping`]: 3 }],
  ['prometheus alert rules', { [`${O}#alerts`]: 3 }],
  ['liveness and readiness probe paths', { [`${O}#which-path-answers-which-question`]: 3 }],
  ['meaning of the label SAMPLE', { [`${O}#labels`]: 3 }],
  ['reload policies while running', { [`${O}#rules-and-policies`]: 3 }],
  ['background reader for outside readings', { [`${O}#readings-of-the-outside`]: 3, [`${D}/0009-operations.md`]: 1 }],
  ['drain the effects of steps', { [`${O}#effects-of-steps`]: 3 }],
  ['register my own tool', { 'docs/policies.md#a-tool-of-your-own-step-by-step': 3, 'docs/policies.md#tools': 2 }],
  ['built-in tools and default deny', { 'docs/policies.md#tools': 3 }],
  ['cedar files that say what is permitted', { 'docs/policies.md': 3 }],
  ['list of error codes', { 'docs/errors.md': 3 }],
  [
    'reason codes of a decision explained',
    { 'docs/reasons.md#why-a-decision-came-out-as-it-did': 3, 'docs/reasons.md': 2 },
  ],
  ['prompt injection rules of the gates', { 'docs/reasons.md#what-the-rules-of-the-gates-look-for': 3 }],
  ['what does a receipt not prove', { [`${T}#what-a-receipt-does-not-prove`]: 3, [`${T}#what-a-receipt-proves`]: 1 }],
  [
    'attacker who can write to the database',
    {
      [`${T}#who-can-write-the-database-and-holds-no-key`]: 3,
      [`${T}#attackers-and-what-is-done-about-them`]: 2,
    },
  ],
  ['which claims remain conjectures', { [`${T}#what-stays-conjecture`]: 3 }],
  ['order of object keys in canonical JSON', { [`${F}/canonical-json.md`]: 3, [`${F}/canonical-json.md#example`]: 2 }],
  [
    'duplicate keys are refused',
    { [`${F}/json-input.md#refused`]: 3, [`${F}/json-input.md#the-public-parsing-test-cases`]: 2 },
  ],
  ['how is lambda recomputed', { [`${F}/decision.md#lambda-recomputed`]: 3 }],
  ['pre-authentication encoding of the envelope', { [`${F}/dsse.md`]: 3, [`${F}/dsse.md#example`]: 1 }],
  ['merkle tree leaf and node hashing', { [`${F}/log.md`]: 3, [`${F}/agent-planner.md#steps-root`]: 1 }],
  ['sha3 lake chain', { [`${F}/chain.md#lake-chain-sha3-256`]: 3 }],
  ['walking the chain entry by entry', { [`${F}/chain.md#walking`]: 3, [`${D}/0002-ledger.md#walks`]: 1 }],
  ['export the whole ledger as lines', { [`${F}/export.md#a-whole-ledger-orchledger-exportv1`]: 3 }],
  [
    'arithmetic expressions the planner accepts',
    { [`${F}/agent-planner.md#expressions`]: 3, [`${F}/agent-planner.md#forms`]: 1 },
  ],
  ['JSON pointer queries', { [`${F}/agent-planner.md#queries`]: 3 }],
  ['splitting a goal into clauses', { [`${F}/agent-planner.md#clauses`]: 3, [`${F}/agent-planner.md`]: 1 }],
  ['software bill of materials', { [`${F}/release-records.md#sbomjson`]: 3 }],
  ['independent sources of a claim', { [`${F}/claims.md#whose-word-it-is`]: 3 }],
  [
    'demo key or production key',
    {
      [`${D}/0005-governed-decisions.md#demo-keys-by-their-own-signed-word`]: 3,
      [`${D}/0005-governed-decisions.md#demo-keys-by-the-files-own-words`]: 3,
    },
  ],
  ['why not piscina for the worker pool', { [`${D}/0010-compute-pool.md`]: 3 }],
  ['anchoring in rekor', { [`${D}/0004-attestation-and-anchoring.md`]: 3 }],
  ['two receipts for a streamed inference', { [`${D}/0007-inference.md`]: 3 }],
  ['restoring from bakcup', { [`${B}#restore`]: 3, [`${B}#every-night`]: 1 }],
  ['promethius allerts', { [`${O}#alerts`]: 3 }],
  [
    'canonicalisation of numbers',
    { [`${F}/canonical-json.md`]: 3, [`${F}/canonical-json.md#reading-signed-bytes`]: 1 },
  ],
  ['verifer checks in order', { [`${F}/receipt.md#what-a-verifier-checks`]: 3 }],
  ['environement configuraton', { [`${O}#configuration`]: 3 }],
]
